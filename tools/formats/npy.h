// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy: versions 1, 2 and 3 of the header are read, version 1 is written. The eleven element types
// and bool (as u8), in C or Fortran order and either byte order; structured, complex and object arrays are
// refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

bool looks_like_npy(std::string_view prefix);

// `prefix`: the first min(file_bytes, kPrefixBytes) bytes of the file.
Expected<ArrayHeader> parse_npy(std::string_view prefix, std::uint64_t file_bytes);

// A column of a .npy that is written: one field of a structured array, or the whole element if there is one
// column without a name.
struct NpyColumn {
    std::string name;
    std::uint8_t type = 0;
    std::uint64_t values = 1;  // more than one: a sub-array of each element
};

// The header of an array of `shape` whose elements are the columns, packed; its length is a multiple of 64.
std::string encode_npy_header(const std::vector<NpyColumn>& columns, const std::vector<std::uint64_t>& shape);

}  // namespace formats
}  // namespace tegu
