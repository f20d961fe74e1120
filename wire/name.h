// SPDX-License-Identifier: Apache-2.0
// Names of programs in messages: printable ASCII, at most kMaxNameBytes, so that logs and lists print them
// unchanged.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "wire/bytes.h"
#include "wire/protocol.h"

namespace tegu::wire {

inline bool is_printable(char character) {
    return character >= 0x20 && character < 0x7f;
}

// The first kMaxNameBytes of a name, with unprintable characters replaced.
inline std::string clean_name(std::string_view name) {
    std::string clean(name.substr(0, kMaxNameBytes));
    for (char& character : clean)
        if (!is_printable(character)) character = '?';
    return clean;
}

inline std::string_view read_name(Reader& reader, std::size_t bytes, const char* field) {
    if (bytes > kMaxNameBytes)
        reader.fail(Status::TooLarge, field, "at most 64 bytes", "a name is too long", bytes);
    const std::string_view name = reader.text(reader.ok() ? bytes : 0);
    if (!std::all_of(name.begin(), name.end(), is_printable))
        reader.fail(Status::BadRequest, field, "printable ASCII",
                    "a name holds control or non-ASCII characters");
    return name;
}

}  // namespace tegu::wire
