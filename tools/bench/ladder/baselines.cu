// SPDX-License-Identifier: Apache-2.0
// Kernels as they are first written. Each block says what its form costs.
#include "tools/bench/ladder/baselines.h"

#include "kernels/cuda/grid.cuh"

namespace tegu {
namespace bench {
namespace {

using namespace cuda;

constexpr std::int32_t kNothing = INT32_MIN;
constexpr std::uint32_t kSignBit = 0x80000000u;

// plain_extremes: a minimum and a maximum a thread, a tree in shared memory, one atomic each a block.
// in:    x [n] i32                              in/out: keys [2] u32
// grid:  x strides over the elements            block: policy.threads, a power of two
// shared: 8 B a thread                          result valid in: keys, after the launch
// moves: reads 4n B                             order: any
// why:   one load a thread is in flight at a time, so memory waits; the atomics are few enough not to matter
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) plain_extremes(const std::int32_t* x, std::uint64_t n, std::uint32_t* keys) {
    TEGU_DYNAMIC_SHARED(memory);
    std::int32_t* const smallest = reinterpret_cast<std::int32_t*>(memory);
    std::int32_t* const largest = smallest + block_threads();
    const unsigned t = thread_index();
    std::int32_t low = INT32_MAX;
    std::int32_t high = INT32_MIN;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    TEGU_NO_UNROLL
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + t; i < n; i += stride) {
        const std::int32_t value = x[i];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    smallest[t] = low;
    largest[t] = high;
    block_barrier();
    for (unsigned half = block_threads() / 2; half != 0; half /= 2) {
        if (t < half) {
            smallest[t] = smallest[t + half] < smallest[t] ? smallest[t + half] : smallest[t];
            largest[t] = largest[t + half] > largest[t] ? largest[t + half] : largest[t];
        }
        block_barrier();
    }
    if (t != 0 || n == 0) return;
    atomic_min(keys, static_cast<std::uint32_t>(smallest[0]) ^ kSignBit);
    atomic_max(keys + 1, static_cast<std::uint32_t>(largest[0]) ^ kSignBit);
}

// Keeps list [K] descending and distinct; a value that is in it, or below all of it, changes nothing.
template <unsigned K>
TEGU_DEVICE void insert(std::int32_t* list, std::int32_t value) {
    if (value <= list[K - 1]) return;
    for (unsigned i = 0; i < K; ++i)
        if (list[i] == value) return;
    unsigned at = K - 1;
    for (; at > 0 && list[at - 1] < value; --at) list[at] = list[at - 1];
    list[at] = value;
}

// list_topk: a sorted list in every thread, merged in shared memory; a second launch of one block merges the lists of the blocks.
// in:    x [n] i32                              out: out [blocks, K] i32, each descending, then kNothing
// grid:  x strides over the elements            block: policy.threads, a power of two
// shared: 4 * K B a thread                      result valid in: out, after the launch
// moves: reads 4n B, writes 4 * K B a block     order: any
// why:   the list is indexed at run time, so it lies in local memory; an insertion moves up to K words of it and keeps the other 31 lanes of the warp
//        waiting; and the merge is done by ever fewer threads, each inserting K values one by one. It is bound by none of what the device has much of
template <unsigned K>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) list_topk(const std::int32_t* x, std::uint64_t n, std::int32_t* out) {
    TEGU_DYNAMIC_SHARED(memory);
    std::int32_t* const lists = reinterpret_cast<std::int32_t*>(memory);
    const unsigned t = thread_index();
    std::int32_t own[K];
    for (unsigned i = 0; i < K; ++i) own[i] = kNothing;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + t; i < n; i += stride) insert<K>(own, x[i]);
    for (unsigned i = 0; i < K; ++i) lists[t * K + i] = own[i];
    block_barrier();
    for (unsigned half = block_threads() / 2; half != 0; half /= 2) {
        if (t < half)
            for (unsigned i = 0; i < K; ++i) insert<K>(lists + t * K, lists[(t + half) * K + i]);
        block_barrier();
    }
    for (unsigned i = t; i < K; i += block_threads()) out[std::uint64_t{block_x()} * K + i] = lists[i];
}

// plain_add: z = x + y.
// in:    x, y [n] f32                           out: z [n] f32
// grid:  x = ceil(n / threads)                  block: policy.threads
// shared: none                                  result valid in: z, after the launch
// moves: reads 8n B, writes 4n B                order: any
// why:   nothing is wrong with it: neighbouring lanes touch neighbouring words. Packs of 16 bytes would save instructions, not bytes
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) plain_add(const float* x, const float* y, float* z, std::uint64_t n) {
    const std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index();
    if (i < n) z[i] = x[i] + y[i];
}

template <unsigned K>
LaunchStatus launch_lists(const std::int32_t* x, std::uint64_t n, std::int32_t* out, std::int32_t* lists,
                          const BaselinePolicy& policy, Stream stream) {
    const LaunchShape many{policy.blocks, 1, policy.threads, policy.threads * K * sizeof(std::int32_t)};
    const LaunchStatus first = launch(list_topk<K>, many, stream, x, n, lists);
    if (first != 0) return first;
    const LaunchShape one{1, 1, policy.threads, many.shared_bytes};
    return launch(list_topk<K>, one, stream, static_cast<const std::int32_t*>(lists), std::uint64_t{policy.blocks} * K,
                  out);
}

}  // namespace

LaunchStatus launch_plain_extremes(const std::int32_t* x, std::uint64_t n, std::uint32_t* keys,
                                   const BaselinePolicy& policy, Stream stream) {
    const LaunchShape shape{policy.blocks, 1, policy.threads, policy.threads * 2 * sizeof(std::int32_t)};
    return launch(plain_extremes, shape, stream, x, n, keys);
}

LaunchStatus launch_list_topk(unsigned k, const std::int32_t* x, std::uint64_t n, std::int32_t* out,
                              std::int32_t* lists, const BaselinePolicy& policy, Stream stream) {
    if (k == 10) return launch_lists<10>(x, n, out, lists, policy, stream);
    return launch_lists<48>(x, n, out, lists, policy, stream);
}

LaunchStatus launch_plain_add(const float* x, const float* y, float* z, std::uint64_t n, const BaselinePolicy& policy,
                              Stream stream) {
    if (n == 0) return 0;
    const auto blocks = static_cast<unsigned>(n / policy.threads + (n % policy.threads != 0));
    return launch(plain_add, LaunchShape{blocks, 1, policy.threads, 0}, stream, x, y, z, n);
}

}  // namespace bench
}  // namespace tegu
