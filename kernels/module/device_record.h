// SPDX-License-Identifier: Apache-2.0
// A device as a C struct and back, for both sides of the border of a module.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "kernels/device/device_info.h"
#include "kernels/module/abi.h"

namespace tegu::module {

// Cuts a text that is too long.
template <std::size_t capacity>
void copy_text(const std::string& text, char (&to)[capacity]) {
    const std::size_t bytes = std::min(text.size(), capacity - 1);
    std::memcpy(to, text.data(), bytes);
    to[bytes] = 0;
}

// Up to the zero byte, or all.
template <std::size_t capacity>
std::string text_of(const char (&from)[capacity]) {
    return std::string(from, ::strnlen(from, capacity));
}

tegu_module_device record_of(const device::DeviceInfo& device);
device::DeviceInfo device_of(const tegu_module_device& record);

}  // namespace tegu::module
