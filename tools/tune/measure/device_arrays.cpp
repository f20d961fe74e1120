// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/device_arrays.h"

#include <algorithm>

namespace tegu::tune {
namespace {

constexpr std::size_t kPatternBytes = 4 << 20;

}  // namespace

DeviceArrays::~DeviceArrays() {
    (void)gpu_.synchronize(stream_);  // fails only where the device is lost
    for (void* piece : pieces_) gpu_.free_device(piece);
}

Result<std::byte*> DeviceArrays::allocate(std::size_t bytes) {
    const Result<void*> piece = gpu_.allocate_device(std::max<std::size_t>(bytes, 1));
    if (!piece) return piece.error();
    pieces_.push_back(*piece);
    return static_cast<std::byte*>(*piece);
}

Result<void> DeviceArrays::copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return {};
    Result<void> copied = gpu_.copy(to, from, bytes, stream_);
    return copied ? gpu_.synchronize(stream_) : copied;
}

Result<void> DeviceArrays::poison(std::byte* memory, std::size_t bytes) {
    if (pattern_ == nullptr) {
        const Result<std::byte*> made = allocate(kPatternBytes);
        if (!made) return made.error();
        const std::vector<std::byte> pattern(kPatternBytes, std::byte{0x5a});
        Result<void> copied = copy(*made, pattern.data(), pattern.size());
        if (!copied) return copied;
        pattern_ = *made;
    }
    for (std::size_t begin = 0; begin < bytes; begin += kPatternBytes) {
        Result<void> copied =
            gpu_.copy(memory + begin, pattern_, std::min(kPatternBytes, bytes - begin), stream_);
        if (!copied) return copied;
    }
    return gpu_.synchronize(stream_);
}

}  // namespace tegu::tune
