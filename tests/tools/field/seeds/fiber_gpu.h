// SPDX-License-Identifier: Apache-2.0
// A device that runs kernels as fibers on the host (tests/simt), for cases of a field run. GpuLab::open()
// opens one: this file's source defines open_gpu() and GpuMeter::create(), so it is linked in place of those
// with CUDA. It ends the program where memory is freed twice, or managed memory is freed while a stream has
// it.
#pragma once

#include "kernels/device/gpu.h"

namespace tegu::device {

DeviceInfo fiber_device(int ordinal);

// From now on every copy from a device to the host is wrong by one bit. So is managed memory that the host
// gets back.
void corrupt_results(bool corrupt);
// Pieces of device and managed memory that were not freed.
std::size_t fiber_allocations();

}  // namespace tegu::device
