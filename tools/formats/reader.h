// SPDX-License-Identifier: Apache-2.0
// Reads parts of a file, for formats whose header is not in the first bytes.
#pragma once

#include <cstdint>
#include <functional>

#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

struct Reader {
    std::uint64_t bytes = 0;  // of the file
    // Fills `to` with [offset, offset + count). REQUIRES: offset + count <= bytes.
    std::function<Expected<void>(std::uint64_t offset, void* to, std::uint64_t count)> read;

    bool holds(std::uint64_t offset, std::uint64_t count) const {
        return offset <= bytes && count <= bytes - offset;
    }
};

}  // namespace formats
}  // namespace tegu
