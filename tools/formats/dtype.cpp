// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/dtype.h"

#include <string>

#include "client/tegu.hpp"

namespace tegu {
namespace formats {
namespace {

struct Known {
    std::uint8_t type;
    const char* code;  // kind and size
    const char* name;
    const char* other;  // a second name; may be null
};
constexpr Known kKnown[] = {
    {TEGU_U8, "u1", "uint8", "ubyte"},     {TEGU_I8, "i1", "int8", "byte"},
    {TEGU_U16, "u2", "uint16", "ushort"},  {TEGU_I16, "i2", "int16", "short"},
    {TEGU_U32, "u4", "uint32", "uintc"},   {TEGU_I32, "i4", "int32", "intc"},
    {TEGU_U64, "u8", "uint64", "uint"},    {TEGU_I64, "i8", "int64", "int"},
    {TEGU_F16, "f2", "float16", "half"},   {TEGU_F32, "f4", "float32", "single"},
    {TEGU_F64, "f8", "float64", "double"}, {TEGU_F64, "f8", "float", nullptr},
    {TEGU_U8, "b1", "bool", "bool_"},
};

bool is_order(char c) {
    return c == '<' || c == '>' || c == '|' || c == '=';
}

}  // namespace

const char* numpy_code(std::uint8_t type) {
    for (const Known& known : kKnown)
        if (known.type == type) return known.code;
    return nullptr;
}

std::optional<Dtype> parse_descr(std::string_view descr) {
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = is_order(order) ? descr.substr(1) : descr;
    for (const Known& known : kKnown)
        if (code == known.code) return Dtype{known.type, order == '>' && tegu_element_bytes(known.type) > 1};
    return std::nullopt;
}

std::optional<Dtype> parse_dtype(std::string_view word) {
    const std::uint8_t ours = client::find_element_type(std::string(word));
    if (ours != 0) return Dtype{ours, false};
    for (const Known& known : kKnown)
        if (word == known.name || (known.other != nullptr && word == known.other))
            return Dtype{known.type, false};
    return parse_descr(word);
}

}  // namespace formats
}  // namespace tegu
