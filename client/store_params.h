// SPDX-License-Identifier: Apache-2.0
// The parameter structs of tegu.h have the layout of the wire, behind the pointer to the list if there is
// one.
#pragma once

#include <cstring>

#include "base/job.h"
#include "client/tegu.h"

namespace tegu::clientlib {

// The offset of the first parameter other than the list.
template <class Params>
constexpr std::size_t fixed_offset() {
    std::size_t offset = 0;
    for_each_list<Params>([&](const auto&) { offset += sizeof(void*); });
    return offset;
}
template <class Params>
constexpr std::size_t c_bytes() {
    return fixed_offset<Params>() + fixed_bytes<Params>();
}
#define TEGU_X(number, Name, stem, inputs, sentence)                       \
    static_assert(sizeof(tegu_##stem##_params) == c_bytes<Name##Params>(), \
                  "tegu.h repeats base/operations/" #stem ".h");
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

template <class Params>
struct StoreFixed {
    void operator()(const Flag<Params>& flag, std::size_t offset) {
        put(offset, static_cast<std::uint8_t>(params.*flag.member));
    }
    template <class T>
    void operator()(const Number<Params, T>& number, std::size_t offset) {
        put(offset, params.*number.member);
    }
    template <class Enumeration>
    void operator()(const Choice<Params, Enumeration>& choice, std::size_t offset) {
        put(offset, static_cast<std::uint8_t>(params.*choice.member));
    }
    void operator()(const Set<Params>& set, std::size_t offset) { put(offset, params.*set.member); }
    void operator()(const Edge<Params>& edge, std::size_t offset) { put(offset, params.*edge.member); }
    template <class T>
    void operator()(const List<Params, T>& list, std::size_t offset) {
        put(offset, static_cast<std::uint32_t>((params.*list.member).size()));
    }
    template <class T>
    void put(std::size_t offset, T value) {
        std::memcpy(fixed + offset, &value, sizeof value);
    }

    const Params& params;
    unsigned char* fixed;
};

// Writes the parameters as the member of *to that belongs to their operation. Lists are not copied. REQUIRES:
// *to is zero; there are no parts (tegu_part is another type than FusedPart).
template <class Params>
void store(const Params& params, tegu_params* to) {
    auto* const bytes = reinterpret_cast<unsigned char*>(to);
    for_each_offset<Params>(StoreFixed<Params>{params, bytes + fixed_offset<Params>()});
    for_each_list<Params>([&](const auto& list) {
        if ((params.*list.member).empty()) return;
        const void* const elements = (params.*list.member).data();
        std::memcpy(bytes, &elements, sizeof elements);
    });
}

}  // namespace tegu::clientlib
