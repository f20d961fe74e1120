// SPDX-License-Identifier: Apache-2.0
// Where kernels run as fibers no driver tells of them, and there is no CUB.
#include "tools/field/seeds/seed_gpu.h"
#include "tools/field/seeds/topk/cub.h"

namespace tegu::seeds {

std::size_t cub_topk_space(std::uint32_t) {
    return 0;
}
cuda::LaunchStatus launch_cub_topk(const CubMemory&, const std::int32_t*, std::uint32_t, unsigned,
                                   std::int32_t*, cuda::Stream) {
    return -1;
}

}  // namespace tegu::seeds

namespace tegu::field {

Result<std::string> resource_note(const cuda::KernelEntry& entry) {
    return entry.name + ": as fibers";
}

}  // namespace tegu::field
