// SPDX-License-Identifier: Apache-2.0
#include "kernels/statistics/cpu/find.h"

#include "kernels/execution/cpu/vectors.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

template <class T>
std::size_t find(const T* x, std::size_t n, T value) {
    constexpr std::size_t kStep = 4 * kVectorWidth<T>;
    const Vector<T> wanted = Vector<T>{} + value;
    std::size_t i = 0;
    for (; n - i >= kStep; i += kStep) {
        auto hits = load_vector<T>(x + i) == wanted;
        for (std::size_t k = 1; k < 4; ++k) hits |= load_vector<T>(x + i + k * kVectorWidth<T>) == wanted;
        std::uint64_t words[kVectorBytes / 8];
        std::memcpy(words, &hits, sizeof words);
        std::uint64_t any = 0;
        for (const std::uint64_t word : words) any |= word;
        if (any != 0) break;
    }
    for (; i < n; ++i)
        if (x[i] == value) return i;
    return n;
}

}  // namespace

#define TEGU_X(word, type)                                                 \
    std::size_t find_##word(const void* data, std::size_t n, type value) { \
        return find(static_cast<const type*>(data), n, value);             \
    }
TEGU_FIND_KERNELS(TEGU_X)
#undef TEGU_X

}  // namespace tegu::kernels::TEGU_ISA
