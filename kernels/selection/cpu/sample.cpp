// SPDX-License-Identifier: Apache-2.0
#include "kernels/selection/cpu/sample.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "kernels/selection/cpu/sort.h"

namespace tegu::kernels::selection {
namespace {

// From the random bytes that Linux gives every process: no input can be constructed against the positions of
// the sample. Results do not depend on it.
std::uint64_t secret() {
    static const std::uint64_t drawn = [] {
        std::uint64_t bytes[2] = {};
        const auto address = static_cast<std::uintptr_t>(getauxval(AT_RANDOM));
        if (address != 0) std::memcpy(bytes, reinterpret_cast<const void*>(address), sizeof bytes);
        return scramble(bytes[0] ^ scramble(bytes[1]));
    }();
    return drawn;
}

}  // namespace

const ScanKernels& scan_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(selection_scan_kernels);
    return of(type);
}

const std::uint64_t* take_sample(const Segment& segment, const ScanKernels& kernels, std::uint64_t flip,
                                 std::uint64_t count, std::uint64_t* keys, const WorkerGroup& workers) {
    constexpr std::uint64_t kBatch = 256;
    const std::uint64_t n = segment.n;
    const std::uint64_t width = n / count;
    const std::uint64_t seed = secret();
    const bool done = workers.run(blocks_of(count, kBatch), [&](std::uint64_t batch, unsigned) {
        std::uint64_t positions[kBatch];
        const std::uint64_t begin = batch * kBatch;
        const std::uint64_t size = std::min(kBatch, count - begin);
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint64_t index = (begin + i) * width + scramble(seed + begin + i) % width;
            positions[i] = segment.contiguous()
                               ? index
                               : index / segment.cols * segment.row_stride + index % segment.cols;
        }
        kernels.gather(Elements{segment.data, n, flip}, positions, size, keys + begin);
    });
    return done ? sort_by_key<Entry64>(keys, keys + count, count, 0, workers) : nullptr;
}

}  // namespace tegu::kernels::selection
