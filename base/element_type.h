// SPDX-License-Identifier: Apache-2.0
// The eleven element types of an array, in one list that wire ids, dispatch, clients, tools and tests expand.
// The numbers are on the wire and in stored files: never renumber, append only. C++14 except for the words,
// because device code includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#if __cplusplus >= 201703L
#include <string_view>
#endif

#include "base/half.h"

// X(number, Name, word, C++ type)
#define TEGU_INTEGER_TYPES(X)     \
    X(1, U8, u8, std::uint8_t)    \
    X(2, I8, i8, std::int8_t)     \
    X(3, U16, u16, std::uint16_t) \
    X(4, I16, i16, std::int16_t)  \
    X(5, U32, u32, std::uint32_t) \
    X(6, I32, i32, std::int32_t)  \
    X(7, U64, u64, std::uint64_t) \
    X(8, I64, i64, std::int64_t)
#define TEGU_FLOAT_TYPES(X)    \
    X(9, F16, f16, tegu::Half) \
    X(10, F32, f32, float)     \
    X(11, F64, f64, double)
#define TEGU_ELEMENT_TYPES(X) TEGU_INTEGER_TYPES(X) TEGU_FLOAT_TYPES(X)

namespace tegu {

enum class ElementType : std::uint8_t {
#define TEGU_X(number, Name, word, type) Name = number,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

// Bytes of one element; 0 for an unknown number.
constexpr std::size_t element_bytes(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, type) \
    case ElementType::Name: return sizeof(type);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return 0;
}

constexpr bool is_element_type(std::uint8_t number) {
    return element_bytes(static_cast<ElementType>(number)) != 0;
}

constexpr bool is_float(ElementType type) {
    return type == ElementType::F16 || type == ElementType::F32 || type == ElementType::F64;
}

constexpr bool is_signed_integer(ElementType type) {
    return type == ElementType::I8 || type == ElementType::I16 || type == ElementType::I32 ||
           type == ElementType::I64;
}

#if __cplusplus >= 201703L
// "f32"; "?" for an unknown number.
constexpr std::string_view element_word(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, type) \
    case ElementType::Name: return #word;
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return "?";
}
#endif

// ElementTypeOf<float>::value == ElementType::F32.
template <class T>
struct ElementTypeOf;
#define TEGU_X(number, Name, word, type)                        \
    template <>                                                 \
    struct ElementTypeOf<type> {                                \
        static constexpr ElementType value = ElementType::Name; \
    };
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

// Calls `visitor(T{})` with a value of the element type's C++ type and returns what it returns.
// REQUIRES: is_element_type(type).
template <class Visitor>
decltype(auto) visit_element_type(ElementType type, Visitor&& visitor) {
    switch (type) {
#define TEGU_X(number, Name, word, type) \
    case ElementType::Name: return visitor(type{});
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    __builtin_unreachable();
}

}  // namespace tegu
