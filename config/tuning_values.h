// SPDX-License-Identifier: Apache-2.0
// Converts the single values of a tuning table from TOML nodes to fields, or to errors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/tuning_row.h"
#include "config/toml_text.h"

namespace tegu::config {

// The error of a value, with its position.
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

// Each sets `*to`, or leaves it unchanged and returns the error. `key`: the name in that message.
Check read_text(const toml::node& node, const char* key, std::string* to);
Check read_count(const toml::node& node, const char* key, std::int64_t max, unsigned* to);
Check read_number(const toml::node& node, const char* key, double* to);
Check read_backend(const toml::node& node, TuningBackend* to);
// "9.0" is 90.
Check read_capability(const toml::node& node, unsigned* to);
// [begin, end], or [begin] without an end.
Check read_range(const toml::node& node, const char* key, TuningRange* to);
Check read_points(const toml::node& node, std::vector<CostPoint>* to);  // adds those before a bad one

}  // namespace tegu::config
