// SPDX-License-Identifier: Apache-2.0
// The instances of a kernel template in one table. A launch selects an instance by index; the list of kernels
// (kernel_list.h) iterates over all. C++14.
#pragma once

#include "base/element_type.h"

namespace tegu {
namespace cuda {

template <class Kernel>
struct KernelVariant {
    Kernel kernel = nullptr;    // null: there is no such instance
    const char* words[3] = {};  // template arguments that are words: "f32", "dense"
    unsigned numbers[3] = {};   // numeric template arguments behind the words; not 0
};

// Kernel: a function pointer type that all instances share.
template <class Kernel, unsigned Count>
struct KernelTable {
    const char* name;   // of the template; at most 255 bytes with the arguments
    const char* moves;  // the bytes that a launch reads and writes, in words; at most 255 bytes
    KernelVariant<Kernel> variants[Count];

    constexpr Kernel operator[](unsigned index) const { return variants[index].kernel; }
};

// Variants by their template arguments: words, or a word and numbers.
template <class Kernel>
constexpr KernelVariant<Kernel> variant(Kernel kernel, const char* first, const char* second = nullptr,
                                        const char* third = nullptr) {
    return KernelVariant<Kernel>{kernel, {first, second, third}, {}};
}
template <class Kernel, class... Numbers>
constexpr KernelVariant<Kernel> numbered(Kernel kernel, const char* word, Numbers... numbers) {
    return KernelVariant<Kernel>{kernel, {word}, {numbers...}};
}

// X(type, word) for the four key widths, in the order of width_index(), each with one variant of a kernel.
#define TEGU_WIDTHS(X) \
    X(std::uint8_t, "u8"), X(std::uint16_t, "u16"), X(std::uint32_t, "u32"), X(std::uint64_t, "u64")
#define TEGU_BY_WIDTH(kernel)                                                   \
    variant(kernel<std::uint8_t>, "u8"), variant(kernel<std::uint16_t>, "u16"), \
        variant(kernel<std::uint32_t>, "u32"), variant(kernel<std::uint64_t>, "u64")
constexpr unsigned width_index(unsigned bytes) {
    return bytes == 8 ? 3 : bytes / 2;
}
constexpr unsigned width_of_index(unsigned index) {
    return 1u << index;
}

// The same for the integer types and for the float types, in the order of their numbers.
#define TEGU_INTEGERS(X)                                                                          \
    X(std::uint8_t, "u8"), X(std::int8_t, "i8"), X(std::uint16_t, "u16"), X(std::int16_t, "i16"), \
        X(std::uint32_t, "u32"), X(std::int32_t, "i32"), X(std::uint64_t, "u64"), X(std::int64_t, "i64")
#define TEGU_FLOATS(X) X(Half, "f16"), X(float, "f32"), X(double, "f64")
#define TEGU_BY_INTEGER(kernel)                                                      \
    variant(kernel<std::uint8_t>, "u8"), variant(kernel<std::int8_t>, "i8"),         \
        variant(kernel<std::uint16_t>, "u16"), variant(kernel<std::int16_t>, "i16"), \
        variant(kernel<std::uint32_t>, "u32"), variant(kernel<std::int32_t>, "i32"), \
        variant(kernel<std::uint64_t>, "u64"), variant(kernel<std::int64_t>, "i64")
#define TEGU_BY_FLOAT(kernel) \
    variant(kernel<Half>, "f16"), variant(kernel<float>, "f32"), variant(kernel<double>, "f64")
constexpr unsigned kIntegerTypes = 8, kFloatTypes = 3, kElementTypes = kIntegerTypes + kFloatTypes;
constexpr unsigned element_index(ElementType type) {
    return static_cast<unsigned>(type) - static_cast<unsigned>(ElementType::U8);
}
constexpr unsigned float_index(ElementType type) {
    return static_cast<unsigned>(type) - static_cast<unsigned>(ElementType::F16);
}
constexpr ElementType element_of_index(unsigned index) {
    return static_cast<ElementType>(static_cast<unsigned>(ElementType::U8) + index);
}
static_assert(element_index(ElementType::F64) + 1 == kElementTypes && float_index(ElementType::F64) == 2,
              "element types are numbered one after the other, integers first");

}  // namespace cuda
}  // namespace tegu
