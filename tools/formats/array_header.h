// SPDX-License-Identifier: Apache-2.0
// The header of an array in a file, and the limits of all parsers. A parser is a pure function from the first
// bytes and the size of a file to an ArrayHeader. It checks every number against the file's size before it
// allocates, so offset and bytes are safe to use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/tegu.hpp"

namespace tegu {
namespace formats {

using client::Error;
using client::Expected;

// Maximum size of a header: a header that does not end within this many bytes is refused.
constexpr std::size_t kPrefixBytes = 65536 + 16;
constexpr std::size_t kMaxDimensions = 32;

struct ArrayHeader {
    std::uint8_t type = 0;             // TEGU_U8, ...
    std::vector<std::uint64_t> shape;  // outermost first; may be empty (one element) and may hold zeros
    bool column_major = false;
    bool big_endian = false;   // of elements with more than one byte
    std::uint64_t offset = 0;  // of the first element, from the start of the file
    std::uint64_t bytes = 0;   // of the elements; offset + bytes <= size of the file
};

// Product of the shape and the element size. False if it does not fit 63 bits.
inline bool data_bytes(const std::vector<std::uint64_t>& shape, std::uint8_t type, std::uint64_t& bytes) {
    std::uint64_t product = tegu_element_bytes(type);
    bool empty = false;
    for (const std::uint64_t extent : shape) {
        if (extent == 0) empty = true;
        if (extent != 0 && __builtin_mul_overflow(product, extent, &product)) return false;
    }
    if (product > static_cast<std::uint64_t>(INT64_MAX)) return false;
    bytes = empty ? 0 : product;
    return true;
}

// The error of a file whose content contradicts its format: exit code 65.
inline Error bad_data(std::string field, std::string allowed, std::string message) {
    return Error{TEGU_BAD_REQUEST, 0, std::move(field), std::move(allowed), std::move(message)};
}

// "truncated: the header announces 400 bytes of elements, the file holds 398"
Error truncated(const char* format, std::uint64_t announced, std::uint64_t held);

}  // namespace formats
}  // namespace tegu
