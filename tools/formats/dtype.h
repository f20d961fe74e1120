// SPDX-License-Identifier: Apache-2.0
// Words for element types: those of this project and those of NumPy. One table serves --dtype and the headers
// of .npy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tegu {
namespace formats {

struct Dtype {
    std::uint8_t type = 0;    // TEGU_U8, ...
    bool big_endian = false;  // false where an element is one byte
};

// NumPy's code of kind and size, "f4", without a byte order; null for a type that is not in the list.
const char* numpy_code(std::uint8_t type);

// A NumPy code with or without byte order, as a .npy holds it: "<f4", "|u1", ">i2". bool becomes u8.
std::optional<Dtype> parse_descr(std::string_view descr);

// A word of a command line: ours ("f32"), a NumPy name ("float32", "double") or code ("f4", ">f4"). "u8" and
// "i8" have 8 bits here; NumPy's codes for 8 bytes need a byte order: "<u8".
std::optional<Dtype> parse_dtype(std::string_view word);

}  // namespace formats
}  // namespace tegu
