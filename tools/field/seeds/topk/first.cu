// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/topk/first.h"

#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

constexpr unsigned kThreads = 1024;

// first_distinct: a value is the first of its kind where the one before it differs; a count of those before
// it is its place.
// in:    sorted [n] i32                         out: out [k] i32
// grid:  1                                      block: kThreads
// shared: 132 B static                          result valid in: out, after the launch
// moves: reads 4 B per value until k are found  order: any
// why:   sorted random values hardly repeat, so a few tiles hold the first k
TEGU_KERNEL TEGU_BOUNDS(kThreads)
    first_distinct(const std::int32_t* sorted, std::uint64_t n, unsigned k, std::int32_t* out) {
    TEGU_SHARED_ARRAY(unsigned, before_warp, kThreads / kWarpLanes);
    unsigned found = 0;
    for (std::uint64_t begin = 0; begin < n && found < k; begin += kThreads) {
        const std::uint64_t i = begin + thread_index();
        const bool is_first = i < n && (i == 0 || sorted[i] != sorted[i - 1]);
        const std::uint32_t firsts = warp_ballot(is_first);
        if (lane_index() == 0) before_warp[warp_index()] = count_bits(firsts);
        block_barrier();
        unsigned place = found + count_bits(firsts & lanes_before());
        unsigned all = 0;
        for (unsigned w = 0; w < kThreads / kWarpLanes; ++w) {
            if (w < warp_index()) place += before_warp[w];
            all += before_warp[w];
        }
        if (is_first && place < k) out[place] = sorted[i];
        found += all;
        block_barrier();  // the counts are read: the next tile may write them
    }
    for (unsigned i = found + thread_index(); i < k; i += kThreads) out[i] = INT32_MIN;
}

}  // namespace

LaunchStatus launch_first_distinct(const std::int32_t* sorted, std::uint64_t n, unsigned k, std::int32_t* out,
                                   Stream stream) {
    return launch_seed(first_distinct, LaunchShape{1, 1, kThreads, 0}, stream, sorted, n, k, out);
}

}  // namespace seeds
}  // namespace tegu
