// SPDX-License-Identifier: Apache-2.0
// A file in memory for parsers that read parts of it. A read beyond its end ends the test.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tools/formats/reader.h"

namespace tegu {
namespace formats {

inline Reader text_reader(std::string_view text) {
    return {text.size(), [text](std::uint64_t offset, void* to, std::uint64_t count) -> Expected<void> {
                if (offset > text.size() || count > text.size() - offset) std::abort();
                if (count != 0) std::memcpy(to, text.data() + offset, count);
                return {};
            }};
}

}  // namespace formats
}  // namespace tegu
