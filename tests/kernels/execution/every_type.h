// SPDX-License-Identifier: Apache-2.0
// For typed tests of kernels: the element types and their names, and pools that live as long as the program.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/element_type.h"
#include "base/half.h"
#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::test {

using EveryType = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                 std::int32_t, std::uint64_t, std::int64_t, Half, float, double>;

struct TypeNames {
    template <class T>
    static std::string GetName(int) {
        return std::string(element_word(ElementTypeOf<T>::value));
    }
};

// REQUIRES: 2 or 7 threads.
inline kernels::ThreadPool& pool_of(unsigned threads) {
    static kernels::ThreadPool two(2);
    static kernels::ThreadPool seven(7);
    return threads == 2 ? two : seven;
}

// One number of threads is enough with a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace tegu::test
