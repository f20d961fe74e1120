// SPDX-License-Identifier: Apache-2.0
// DeviceArrays: memory of a device that belongs to one measured job.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/device/gpu.h"

namespace tegu::tune {

class DeviceArrays {
  public:
    DeviceArrays(device::Gpu& gpu, device::Stream stream) : gpu_(gpu), stream_(stream) {}
    ~DeviceArrays();
    DeviceArrays(const DeviceArrays&) = delete;
    DeviceArrays& operator=(const DeviceArrays&) = delete;

    // Freed with this object. Errors: OutOfMemory, DeviceLost.
    Result<std::byte*> allocate(std::size_t bytes);
    // Between ordinary and device memory, or within the device; complete on return. bytes may be 0.
    Result<void> copy(void* to, const void* from, std::size_t bytes);
    // Sets every byte to a pattern that no result has throughout.
    Result<void> poison(std::byte* memory, std::size_t bytes);

  private:
    device::Gpu& gpu_;
    const device::Stream stream_;
    std::vector<void*> pieces_;
    std::byte* pattern_ = nullptr;
};

}  // namespace tegu::tune
