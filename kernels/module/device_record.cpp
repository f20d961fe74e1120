// SPDX-License-Identifier: Apache-2.0
#include "kernels/module/device_record.h"

namespace tegu::module {

tegu_module_device record_of(const device::DeviceInfo& device) {
    tegu_module_device record{};
    record.ordinal = device.ordinal;
    record.compute_capability = device.limits.compute_capability;
    record.multiprocessors = device.limits.multiprocessors;
    record.threads_per_multiprocessor = device.limits.threads_per_multiprocessor;
    record.shared_bytes_per_block = device.limits.shared_bytes_per_block;
    record.l2_bytes = device.limits.l2_bytes;
    record.memory_bytes = device.memory_bytes;
    record.core_clock_khz = device.core_clock_khz;
    record.memory_clock_khz = device.memory_clock_khz;
    record.memory_class = static_cast<std::uint32_t>(device.memory_class);
    record.integrated = device.attributes.integrated;
    record.managed_memory = device.attributes.managed_memory;
    record.concurrent_managed_access = device.attributes.concurrent_managed_access;
    record.pageable_memory_access = device.attributes.pageable_memory_access;
    record.host_register_supported = device.attributes.host_register_supported;
    record.can_map_host_memory = device.attributes.can_map_host_memory;
    copy_text(device.name, record.name);
    copy_text(device.unusable, record.unusable);
    return record;
}

device::DeviceInfo device_of(const tegu_module_device& record) {
    device::DeviceInfo device;
    device.ordinal = record.ordinal;
    device.limits.compute_capability = record.compute_capability;
    device.limits.multiprocessors = record.multiprocessors;
    device.limits.threads_per_multiprocessor = record.threads_per_multiprocessor;
    device.limits.shared_bytes_per_block = static_cast<std::size_t>(record.shared_bytes_per_block);
    device.limits.l2_bytes = static_cast<std::size_t>(record.l2_bytes);
    device.memory_bytes = record.memory_bytes;
    device.core_clock_khz = record.core_clock_khz;
    device.memory_clock_khz = record.memory_clock_khz;
    device.memory_class = static_cast<device::MemoryClass>(record.memory_class);
    device.attributes.integrated = record.integrated != 0;
    device.attributes.managed_memory = record.managed_memory != 0;
    device.attributes.concurrent_managed_access = record.concurrent_managed_access != 0;
    device.attributes.pageable_memory_access = record.pageable_memory_access != 0;
    device.attributes.host_register_supported = record.host_register_supported != 0;
    device.attributes.can_map_host_memory = record.can_map_host_memory != 0;
    device.name = text_of(record.name);
    device.unusable = text_of(record.unusable);
    return device;
}

}  // namespace tegu::module
