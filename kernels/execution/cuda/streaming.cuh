// SPDX-License-Identifier: Apache-2.0
// Accesses to memory that is not read again soon: they leave cache capacity to other data. Toolkits before 11
// lack the intrinsics; there these are ordinary accesses.
#pragma once

#include "kernels/execution/cuda/simt.cuh"

namespace tegu {
namespace cuda {

#if defined(__CUDACC__) && __CUDACC_VER_MAJOR__ >= 11
#define TEGU_STREAMS 1
#else
#define TEGU_STREAMS 0
#endif

#if TEGU_STREAMS
template <std::size_t Bytes>
struct StreamedWord {
    using type = unsigned short;
};
template <>
struct StreamedWord<4> {
    using type = unsigned;
};
template <>
struct StreamedWord<8> {
    using type = uint2;
};
template <>
struct StreamedWord<16> {
    using type = uint4;
};
#endif

// P: trivially copyable, of 2, 4, 8 or 16 bytes, and aligned to its size.
template <class P>
TEGU_DEVICE P load_last(const P* at) {
#if TEGU_STREAMS
    using Word = typename StreamedWord<sizeof(P)>::type;
    static_assert(sizeof(P) == sizeof(Word), "no access has that size");
    const Word word = __ldcs(reinterpret_cast<const Word*>(at));
    P value;
    memcpy(&value, &word, sizeof value);
    return value;
#else
    return *at;
#endif
}
template <class P>
TEGU_DEVICE void store_away(P* at, const P& value) {
#if TEGU_STREAMS
    using Word = typename StreamedWord<sizeof(P)>::type;
    static_assert(sizeof(P) == sizeof(Word), "no access has that size");
    Word word;
    memcpy(&word, &value, sizeof word);
    __stcs(reinterpret_cast<Word*>(at), word);
#else
    *at = value;
#endif
}

// Starts to bring memory into the L2 cache for a later load. REQUIRES: the address is valid.
TEGU_DEVICE void prefetch(const void* at) {
#if defined(__CUDACC__)
    asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
#else
    static_cast<void>(at);
#endif
}

}  // namespace cuda
}  // namespace tegu
