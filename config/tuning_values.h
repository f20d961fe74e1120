// SPDX-License-Identifier: Apache-2.0
// The values of a tuning table, each by itself: from a TOML node to a field, or what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/tuning_row.h"
#include "config/toml_text.h"

namespace tegu::config {

// What is wrong with a value, and where.
struct Wrong {
    toml::source_position at;
    std::string key;
    std::string text;
};
using Check = std::optional<Wrong>;

// "found 3, allowed ...", at the node.
Check wrong(const toml::node& node, std::string key, const std::string& allowed);

bool is_plain(const std::string& text);  // short printable ASCII
bool is_word(const std::string& text);   // likewise, and not empty

// Each sets `*to`, or leaves it and says what is wrong. `key`: the name in that message.
Check read_text(const toml::node& node, const char* key, std::string* to);
Check read_count(const toml::node& node, const char* key, std::int64_t most, unsigned* to);
Check read_number(const toml::node& node, const char* key, double* to);
Check read_backend(const toml::node& node, TuningBackend* to);
// "9.0" is 90.
Check read_capability(const toml::node& node, unsigned* to);
// [begin, end], or [begin] for "from there on".
Check read_range(const toml::node& node, const char* key, TuningRange* to);
Check read_points(const toml::node& node, std::vector<CostPoint>* to);  // adds those before a bad one

}  // namespace tegu::config
