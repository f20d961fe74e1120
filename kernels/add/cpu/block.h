// SPDX-License-Identifier: Apache-2.0
// The block kernels of add: the sum of one contiguous run, compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {

// out[i] = x[i] + y[i] for i in [0, n). x and y have any alignment; `out` is aligned for the type and may be
// x or y. `stream`: `out` is neither and is written with non-temporal stores. Returns n, or the first index
// whose integer sum overflows: x[i] and y[i] are then not overwritten, `out` is unspecified.
using AddKernel = std::size_t (*)(const std::byte* x, const std::byte* y, std::size_t n, bool stream,
                                  std::byte* out);

// X(word, type that the kernel computes in)
#define TEGU_ADD_KERNELS(X) \
    X(u8, std::uint8_t)     \
    X(i8, std::int8_t)      \
    X(u16, std::uint16_t)   \
    X(i16, std::int16_t)    \
    X(u32, std::uint32_t)   \
    X(i32, std::int32_t)    \
    X(u64, std::uint64_t)   \
    X(i64, std::int64_t)    \
    X(f16, HalfElement)     \
    X(f32, float)           \
    X(f64, double)

#define TEGU_X(word, type)                                                                               \
    TEGU_ISA_DECLARE(std::size_t add_block_##word(const std::byte* x, const std::byte* y, std::size_t n, \
                                                  bool stream, std::byte* out);)
TEGU_ADD_KERNELS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels
