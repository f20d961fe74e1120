// SPDX-License-Identifier: Apache-2.0
// probe_devices() with the CUDA runtime. It makes no context, because listing devices and attributes needs
// none.
#include <cuda_runtime_api.h>

#include <iterator>

#include "kernels/device/device_info.h"

#ifndef TEGU_CUDA_CODE
#error "TEGU_CUDA_CODE: the architectures that the kernels are built for, separated by commas"
#endif

namespace tegu::device {
namespace {

constexpr unsigned kBuilt[] = {TEGU_CUDA_CODE};

std::string words_of(cudaError_t error) {
    return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}

ProbeFailure failure_of(cudaError_t error) {
    switch (error) {
        case cudaErrorNoDevice: return ProbeFailure::NoDevice;
        case cudaErrorInsufficientDriver: return ProbeFailure::DriverTooOld;
#if CUDART_VERSION >= 11010
        case cudaErrorCallRequiresNewerDriver:
            return ProbeFailure::DriverTooOld;  // a required driver function is missing
#endif
        case cudaErrorSystemDriverMismatch: return ProbeFailure::DriverMismatch;
        default: return ProbeFailure::Other;
    }
}

std::string reason_of(cudaError_t error) {
    int driver = 0, runtime = CUDART_VERSION;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaGetLastError();  // clears the error, which is already reported
    return probe_failure_reason(failure_of(error), driver, runtime, words_of(error));
}

// 0 where the driver does not report it.
std::uint64_t attribute(cudaDeviceAttr name, int ordinal) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, name, ordinal) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

void fill_limits(int ordinal, cuda::DeviceLimits& limits) {
    limits.compute_capability =
        static_cast<unsigned>(10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
                              attribute(cudaDevAttrComputeCapabilityMinor, ordinal));
    limits.multiprocessors = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount, ordinal));
    limits.threads_per_multiprocessor =
        static_cast<unsigned>(attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal));
    limits.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
    if (limits.shared_bytes_per_block == 0)
        limits.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlock, ordinal);
    limits.l2_bytes = attribute(cudaDevAttrL2CacheSize, ordinal);
}

MemoryAttributes memory_attributes(int ordinal) {
    MemoryAttributes attributes;
    attributes.integrated = attribute(cudaDevAttrIntegrated, ordinal) != 0;
    attributes.managed_memory = attribute(cudaDevAttrManagedMemory, ordinal) != 0;
    attributes.concurrent_managed_access = attribute(cudaDevAttrConcurrentManagedAccess, ordinal) != 0;
    attributes.pageable_memory_access = attribute(cudaDevAttrPageableMemoryAccess, ordinal) != 0;
    attributes.can_map_host_memory = attribute(cudaDevAttrCanMapHostMemory, ordinal) != 0;
    attributes.host_register_supported = attribute(cudaDevAttrHostRegisterSupported, ordinal) != 0;
    return attributes;
}

DeviceInfo describe(int ordinal) {
    DeviceInfo device;
    device.ordinal = ordinal;
    cudaDeviceProp properties;
    const cudaError_t got = cudaGetDeviceProperties(&properties, ordinal);
    if (got != cudaSuccess) {
        device.name = "unknown";
        device.unusable = words_of(got);
        (void)cudaGetLastError();
        return device;
    }
    device.name = properties.name;
    device.memory_bytes = properties.totalGlobalMem;
    device.core_clock_khz = attribute(cudaDevAttrClockRate, ordinal);
    device.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, ordinal);
    fill_limits(ordinal, device.limits);
    device.attributes = memory_attributes(ordinal);
    device.memory_class = choose_memory_class(device.attributes);
    device.unusable =
        missing_code_reason(kBuilt, device.limits.compute_capability, device.attributes.integrated);
    if (device.unusable.empty() && attribute(cudaDevAttrComputeMode, ordinal) == cudaComputeModeProhibited)
        device.unusable = "its compute mode is prohibited";
    return device;
}

}  // namespace

Span<const unsigned> built_architectures() {
    return kBuilt;
}

bool may_have_gpus(const ModuleSearch&) {
    return true;
}

DeviceList probe_devices(const ModuleSearch&) {
    DeviceList list;
    list.built.assign(std::begin(kBuilt), std::end(kBuilt));
    int count = 0;
    const cudaError_t counted = cudaGetDeviceCount(&count);
    if (counted != cudaSuccess || count == 0) {
        list.reason = reason_of(counted == cudaSuccess ? cudaErrorNoDevice : counted);
        return list;
    }
    for (int ordinal = 0; ordinal < count; ++ordinal) list.devices.push_back(describe(ordinal));
    return list;
}

}  // namespace tegu::device
