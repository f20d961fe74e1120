// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/add/add.h"

#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

// plain_add: z = x + y.
// in:    x, y [n] f32                           out: z [n] f32
// grid:  x = ceil(n / threads)                  block: threads
// shared: none                                  result valid in: z, after the launch
// moves: reads 8n B, writes 4n B                order: any
// why:   neighbouring lanes touch neighbouring words, so nothing is wrong with it. Packs of 16 bytes would
//        save instructions, not bytes
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) plain_add(const float* x, const float* y, float* z, std::uint64_t n) {
    const std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index();
    if (i < n) z[i] = x[i] + y[i];
}

}  // namespace

LaunchStatus launch_plain_add(const float* x, const float* y, float* z, std::uint64_t n, unsigned threads,
                              Stream stream) {
    if (n == 0) return 0;
    const auto blocks = static_cast<unsigned>(n / threads + (n % threads != 0));
    return launch_seed(plain_add, LaunchShape{blocks, 1, threads, 0}, stream, x, y, z, n);
}
KernelEntry plain_add_kernel(unsigned threads) {
    return kernel_entry("plain_add", {}, plain_add, threads, 0, "reads 8 n B, writes 4 n B");
}

}  // namespace seeds
}  // namespace tegu
