// SPDX-License-Identifier: Apache-2.0
// The nearest known key for an unknown one: a typo, a missing unit, or the right key in the wrong table.
#pragma once

#include <string_view>

#include "base/span.h"

namespace tegu::config {

// The number of insertions, deletions, replacements and adjacent swaps that turn `a` into `b`, at most
// `limit` + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The most likely key of the table for `table`.`name`; empty if none is near. `table` may be empty.
std::string_view suggest_key(std::string_view table, std::string_view name);

// The same for the name of a table.
std::string_view suggest_table(std::string_view name);

}  // namespace tegu::config
