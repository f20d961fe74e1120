// SPDX-License-Identifier: Apache-2.0
// What there is of GPUs, and what stands in the way of using them, in words for `info`, `health` and the log.
// Nothing here is fatal: a daemon without a GPU computes on the CPU and says why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "kernels/device/memory_class.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu::device {

struct DeviceInfo {
    int ordinal = 0;
    std::string name;
    cuda::DeviceLimits limits;           // compute capability, multiprocessors, ...
    std::uint64_t memory_bytes = 0;      // of an integrated device: the board's
    std::uint64_t core_clock_khz = 0;    // 0: not told
    std::uint64_t memory_clock_khz = 0;  // 0: not told
    MemoryAttributes attributes;
    MemoryClass memory_class = MemoryClass::None;
    std::string unusable;  // why it cannot be used; empty: it can
};

// What a probe found.
struct DeviceList {
    std::vector<DeviceInfo> devices;  // in CUDA's order; index = ordinal
    std::string reason;               // why there are none; empty if there are
};

// Looks for GPUs. Takes tens of milliseconds, up to seconds where a driver starts up. Any thread, but not one
// that may not wait.
DeviceList probe_devices();

// The compute capabilities that this program holds machine code for; empty: built without CUDA.
Span<const unsigned> built_architectures();

// Whether machine code for `built` runs on the device: code of an integrated GPU on its own kind alone; other
// code also on devices of the same major and a higher minor number.
bool runs_code_for(unsigned built, unsigned compute_capability, bool integrated);
// Why a device cannot run what was built; empty: it can.
std::string missing_code_reason(Span<const unsigned> built, unsigned compute_capability, bool integrated);

// Why a probe found nothing, where the CUDA runtime could not even list devices.
enum class ProbeFailure : std::uint8_t {
    NoDevice,
    DriverTooOld,    // for the runtime that this program was built with
    DriverMismatch,  // parts of the driver of different versions
    Other,
};
// `driver`, `runtime`: as CUDA numbers versions, 1000 * major + 10 * minor; driver 0: none is installed.
// `said`: CUDA's words.
std::string probe_failure_reason(ProbeFailure failure, int driver, int runtime, std::string_view said);

struct DeviceWish {
    int ordinal = -1;                              // -1: the first that can be used
    MemoryClass memory_class = MemoryClass::None;  // None: as the device is; else forced
};
// The device to use, with its class. Errors: Unavailable (there is none, or it cannot be used), BadRange
// (gpu.devices, gpu.memory_class).
Result<DeviceInfo> choose_device(const DeviceList& list, const DeviceWish& wish);

}  // namespace tegu::device
