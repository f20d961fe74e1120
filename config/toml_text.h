// SPDX-License-Identifier: Apache-2.0
// What settings and tuning tables share around toml++: reading a file, checks that the parser lacks, and the
// words of messages. Only this header includes the parser, and only config/ includes this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// Release 3.3 asserts conditions that malformed text violates ("[[[x]") and then rejects the text correctly.
// Its assertions would abort a debug build.
#ifndef TOML_ASSERT
#define TOML_ASSERT(expression) static_assert(true)
#endif
#include <toml++/toml.h>

namespace tegu::config {

// The bytes of a regular file, at most `max_bytes` and a few. Error texts follow the file's name: NotFound
// (no such file), Denied, Io. Blocks as long as the file system does.
Result<std::string> read_toml_file(const std::string& path, std::size_t max_bytes);

struct TextError {
    std::uint32_t line = 0;    // from 1; 0: the text as a whole
    std::uint32_t column = 0;  // from 1, in characters
    std::string text;          // "found ..., allowed ...", or the parser's words
};
struct TomlText {
    toml::table table;  // empty if there is an error
    std::optional<TextError> error;
};
// Safe for any bytes.
TomlText parse_toml(std::string_view text, std::size_t max_bytes);

// A key as written in the file: quoted where TOML requires quotes.
std::string key_text(std::string_view key);
// "the integer 5", "an array": the description of a value of the wrong type.
std::string node_text(const toml::node& node);

}  // namespace tegu::config
