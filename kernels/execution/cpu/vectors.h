// SPDX-License-Identifier: Apache-2.0
// Vectors of the current instruction set as the compiler's vector types. Arithmetic, comparisons and shuffles
// use ordinary operators and compile to the instructions of every set. They serve loops that the compiler
// vectorises poorly (docs/simd.md): several accumulators, or values in registers between two steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/execution/cpu/isa.h"

#define TEGU_INLINE inline __attribute__((always_inline))

namespace tegu::kernels::TEGU_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VectorOf {
    typedef T Type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::Type;

template <class T>
constexpr std::size_t kVectorWidth = kVectorBytes / sizeof(T);

// At any alignment.
template <class T>
TEGU_INLINE Vector<T> load_vector(const T* from) {
    Vector<T> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

// Prefetches the cache lines of `bytes` bytes.
TEGU_INLINE void prefetch_lines(const std::byte* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at);
}
// Prefetches the start of `bytes` bytes into L2, where the hardware follows.
TEGU_INLINE void prefetch_start(const std::byte* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes * 3 / 8; at += 64) __builtin_prefetch(from + at, 0, 2);
}
// Reads memory in its order, so that the hardware prefetches.
TEGU_INLINE void touch_lines(const void* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64)
        static_cast<void>(static_cast<const volatile unsigned char*>(from)[at]);
}

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
