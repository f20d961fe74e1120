// SPDX-License-Identifier: Apache-2.0
// Lists the GPUs and the reasons why they cannot be used, as text for `info`, `health` and the log. No error
// is fatal: a daemon without a GPU computes on the CPU and reports the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "kernels/device/memory_class.h"
#include "kernels/execution/cuda/launch.h"

struct tegu_module;

namespace tegu::device {

struct DeviceInfo {
    int ordinal = 0;
    std::string name;
    cuda::DeviceLimits limits;           // compute capability, multiprocessors, ...
    std::uint64_t memory_bytes = 0;      // an integrated device: the board's
    std::uint64_t core_clock_khz = 0;    // 0: unknown
    std::uint64_t memory_clock_khz = 0;  // 0: unknown
    MemoryAttributes attributes;
    MemoryClass memory_class = MemoryClass::None;
    std::string unusable;  // why it cannot be used; empty: usable
    // The module that found it and opens it; never unloaded. Null: CUDA is linked in.
    const ::tegu_module* module = nullptr;
};

// The result of a probe.
struct DeviceList {
    std::vector<DeviceInfo> devices;   // in CUDA's order; index = ordinal
    std::string reason;                // why there are no devices; empty otherwise
    std::vector<unsigned> built = {};  // compute capabilities that there is machine code for
    std::string module = {};           // the file that found the devices; empty: CUDA is linked in
    std::string refused = {};          // the modules that were tried before, and why they are not used
};

// The folders with modules (kernels/module/), for a program that loads them; others ignore it.
struct ModuleSearch {
    std::string folder;  // empty: those of the installation
};

// These three, and open_gpu(), are defined once for programs with CUDA linked in (cuda_gpu.cpp,
// probe_cuda.cpp), for those without (no_gpu.cpp), and for tegud (kernels/module/module_devices.cpp).
//
// Lists the GPUs. Takes tens of milliseconds, or seconds while a driver starts. Any thread that may block.
DeviceList probe_devices(const ModuleSearch& search = ModuleSearch());
// Whether there is code for any GPU. Where there is none, a missing GPU is no failure.
bool may_have_gpus(const ModuleSearch& search = ModuleSearch());
// The compute capabilities that this program itself contains machine code for. Empty: built without CUDA.
Span<const unsigned> built_architectures();

// Returns whether machine code for `built` runs on the device. Code for an integrated GPU runs only on the
// same GPU. Other code also runs on devices of the same major and a higher minor number.
bool runs_code_for(unsigned built, unsigned compute_capability, bool integrated);
// Why a device cannot run the built code; empty: it can.
std::string missing_code_reason(Span<const unsigned> built, unsigned compute_capability, bool integrated);

// Why a probe found nothing, where the CUDA runtime could not list devices.
enum class ProbeFailure : std::uint8_t {
    NoDevice,
    DriverTooOld,    // for the runtime that this program was built with
    DriverMismatch,  // parts of the driver of different versions
    Other,
};
// `driver`, `runtime`: CUDA version numbers, 1000 * major + 10 * minor; driver 0: none is installed. `said`:
// CUDA's error text.
std::string probe_failure_reason(ProbeFailure failure, int driver, int runtime, std::string_view said);

struct DeviceWish {
    int ordinal = -1;                              // -1: the first usable device
    MemoryClass memory_class = MemoryClass::None;  // None: the device's own class; else forced
};
// Chooses the device and its class. Errors: Unavailable (no device, or it is unusable), BadRange
// (gpu.devices, gpu.memory_class).
Result<DeviceInfo> choose_device(const DeviceList& list, const DeviceWish& wish);

}  // namespace tegu::device
