// SPDX-License-Identifier: Apache-2.0
// Memory for kernels, aligned to a cache line.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tegu::kernels {

inline constexpr std::align_val_t kCacheLine{64};

struct FreeAligned {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, kCacheLine); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;

// Null if there is not that much memory.
inline AlignedBytes allocate_aligned(std::size_t bytes) {
    return AlignedBytes(static_cast<std::byte*>(::operator new[](bytes, kCacheLine, std::nothrow)));
}

}  // namespace tegu::kernels
