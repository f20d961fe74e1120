// SPDX-License-Identifier: Apache-2.0
// Array: one array of a result. Also the numbers of element types and statistics, by C++ type and by word.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu.h"
#else
#include <tegu.h>
#endif

namespace tegu {
namespace client {

// The element type of a C++ type: element_type<float>() == TEGU_F32. Half floats have no C++ type: pass
// TEGU_F16 by number.
template <class T>
constexpr std::uint8_t element_type() {
    using U = std::remove_cv_t<T>;
    static_assert(std::is_arithmetic<U>::value && !std::is_same<U, bool>::value && sizeof(U) <= 8,
                  "not an element type of tegu");
    if (std::is_floating_point<U>::value) return sizeof(U) == 4 ? TEGU_F32 : TEGU_F64;
    const std::uint8_t unsigned_type = sizeof(U) == 1   ? TEGU_U8
                                       : sizeof(U) == 2 ? TEGU_U16
                                       : sizeof(U) == 4 ? TEGU_U32
                                                        : TEGU_U64;
    return static_cast<std::uint8_t>(unsigned_type + (std::is_signed<U>::value ? 1 : 0));
}

// The element type of a word: "f32" -> TEGU_F32; 0 if there is none.
inline std::uint8_t find_element_type(std::string_view word) {
    for (unsigned number = 1; number < 256; ++number) {
        const char* known = tegu_element_word(static_cast<std::uint8_t>(number));
        if (known != nullptr && word == known) return static_cast<std::uint8_t>(number);
    }
    return 0;
}

// The role of a statistic's array in a result. REQUIRES: exactly one bit of TEGU_STAT_* is set.
constexpr std::uint8_t role_of(std::uint32_t statistic) {
    std::uint8_t role = 1;
    for (; statistic > 1; statistic >>= 1) ++role;
    return role;
}

// The bit of a statistic's word: "sum" -> TEGU_STAT_SUM; 0 if there is none.
inline std::uint32_t find_statistic(std::string_view word) {
    for (std::uint8_t role = 1; role < TEGU_ROLE_VALUES; ++role) {
        const char* known = tegu_role_word(role);
        if (known != nullptr && word == known) return 1u << (role - 1);
    }
    return 0;
}

// One array of a result: a view, valid as long as the result, or as the output buffer.
struct Array {
    std::uint8_t role = 0;
    std::uint8_t type = 0;
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    const void* data = nullptr;

    const char* word() const { return tegu_role_word(role); }
    std::uint64_t size() const { return rows * cols; }
    std::uint64_t bytes() const { return size() * tegu_element_bytes(type); }
    // REQUIRES: element_type<T>() == type.
    template <class T>
    const T* as() const {
        assert(element_type<T>() == type);
        return static_cast<const T*>(data);
    }
    // Element `index` as a double, rounded if it is an integer of more than 53 bits. REQUIRES: index <
    // size().
    double number(std::uint64_t index) const {
        assert(index < size());
        switch (type) {
            case TEGU_U8: return as<std::uint8_t>()[index];
            case TEGU_I8: return as<std::int8_t>()[index];
            case TEGU_U16: return as<std::uint16_t>()[index];
            case TEGU_I16: return as<std::int16_t>()[index];
            case TEGU_U32: return as<std::uint32_t>()[index];
            case TEGU_I32: return as<std::int32_t>()[index];
            case TEGU_U64: return static_cast<double>(as<std::uint64_t>()[index]);
            case TEGU_I64: return static_cast<double>(as<std::int64_t>()[index]);
            case TEGU_F32: return static_cast<double>(as<float>()[index]);
            case TEGU_F64: return as<double>()[index];
            case TEGU_F16: return half(static_cast<const std::uint16_t*>(data)[index]);
            default: assert(false); return 0;
        }
    }

  private:
    static double half(std::uint16_t bits) {
        const int exponent = (bits >> 10) & 31;
        const int mantissa = bits & 1023;
        double magnitude =
            exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
        if (exponent == 31) magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
};

}  // namespace client
}  // namespace tegu
