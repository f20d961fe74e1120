// SPDX-License-Identifier: Apache-2.0
// The description of an operation. parameters() is a tuple of the kinds below, in wire order; outputs() calls
// add(elements, bytes of one) with the maximum size of each result array. The codec, the C ABI, the Python
// package and the tests of the documents use both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tegu {

// The shape of a job, for its outputs.
struct JobShape {
    std::uint64_t rows, cols;
    std::uint64_t segments;          // 1, or one for each row
    std::uint64_t segment_elements;  // of each
    std::uint64_t element_bytes;

    std::uint64_t elements() const { return rows * cols; }
};

// A boolean: a byte, 0 or 1.
template <class Params>
struct Flag {
    const char* name;
    bool Params::*member;
    const char* sentence;
};

// An integer, u32 or u64. plan_job() rejects values outside [min, max], and applies the other limits that
// `allowed` names.
template <class Params, class T>
struct Number {
    const char* name;
    T Params::*member;
    std::uint64_t min, max;
    const char* allowed;   // for messages and tables: "odd, 3 to 63"
    const char* sentence;  // may be empty
};

// An enumeration: a byte. words_of() of the enumeration gives the words in order, from 0.
template <class Params, class Enumeration>
struct Choice {
    const char* name;
    Enumeration Params::*member;
    const char* sentence;
};

// A set of at most 32 members: bit b of a u32 is member b.
template <class Params>
struct Set {
    const char* name;
    std::uint32_t Params::*member;
    std::uint32_t known;
    const char* unknown;  // the message for a bit that is not in `known`
    const char* sentence;
};

// An edge of a range: an f64. Its bytes are zero without `has_range`, so that equal jobs have equal bytes.
template <class Params>
struct Edge {
    const char* name;
    double Params::*member;
    bool Params::*has_range;
    const char* sentence;
};

// A list: its count is a u32 among the parameters, and its elements follow all parameters.
template <class Params, class T>
struct List {
    const char* name;
    std::vector<T> Params::*member;
    std::uint32_t max;
    const char* allowed;   // "1..5 operations"
    const char* too_many;  // the message for a longer list
    const char* count_name;
    const char* count_sentence;
    const char* sentence;
};

template <class P>
Flag(const char*, bool P::*, const char*) -> Flag<P>;
template <class P, class T>
Number(const char*, T P::*, std::uint64_t, std::uint64_t, const char*, const char*) -> Number<P, T>;
template <class P, class E>
Choice(const char*, E P::*, const char*) -> Choice<P, E>;
template <class P>
Set(const char*, std::uint32_t P::*, std::uint32_t, const char*, const char*) -> Set<P>;
template <class P>
Edge(const char*, double P::*, bool P::*, const char*) -> Edge<P>;
template <class P, class T>
List(const char*, std::vector<T> P::*, std::uint32_t, const char*, const char*, const char*, const char*,
     const char*) -> List<P, T>;

// The words of an enumeration, by number.
struct Words {
    const char* const* begin;
    std::size_t count;
};
template <std::size_t count>
constexpr Words words(const char* const (&list)[count]) {
    return {list, count};
}

// Bytes of a parameter on the wire, also its alignment; for a list, those of its count.
template <class P>
constexpr std::size_t width_of(const Flag<P>&) {
    return 1;
}
template <class P, class T>
constexpr std::size_t width_of(const Number<P, T>&) {
    return sizeof(T);
}
template <class P, class E>
constexpr std::size_t width_of(const Choice<P, E>&) {
    return 1;
}
template <class P>
constexpr std::size_t width_of(const Set<P>&) {
    return 4;
}
template <class P>
constexpr std::size_t width_of(const Edge<P>&) {
    return 8;
}
template <class P, class T>
constexpr std::size_t width_of(const List<P, T>&) {
    return 4;
}

constexpr std::size_t aligned(std::size_t offset, std::size_t width) {
    return (offset + width - 1) / width * width;
}

// Calls visit(parameter) for each, in order.
template <class Params, class Visit>
constexpr void for_each_parameter(Visit&& visit) {
    std::apply([&](const auto&... each) { (visit(each), ...); }, Params::parameters());
}

// Calls visit(parameter, offset) for each. Offsets are relative to the first parameter, each aligned to its
// width. Returns the total bytes, a multiple of 8 and at least 8. Padding is zero.
template <class Params, class Visit>
constexpr std::size_t for_each_offset(Visit&& visit) {
    std::size_t end = 0;
    for_each_parameter<Params>([&](const auto& parameter) {
        const std::size_t width = width_of(parameter), offset = aligned(end, width);
        visit(parameter, offset);
        end = offset + width;
    });
    return end == 0 ? 8 : aligned(end, 8);
}
template <class Params>
constexpr std::size_t fixed_bytes() {
    return for_each_offset<Params>([](const auto&, std::size_t) {});
}

// Calls visit(parameter) for the lists.
template <class T>
inline constexpr bool kIsList = false;
template <class P, class T>
inline constexpr bool kIsList<List<P, T>> = true;
template <class Params, class Visit>
constexpr void for_each_list(Visit&& visit) {
    for_each_parameter<Params>([&](const auto& parameter) {
        if constexpr (kIsList<std::decay_t<decltype(parameter)>>) visit(parameter);
    });
}

}  // namespace tegu
