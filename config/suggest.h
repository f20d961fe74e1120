// SPDX-License-Identifier: Apache-2.0
// The nearest known key for one that is not known: a typo, a forgotten unit, or the right key in the wrong
// table.
#pragma once

#include <string_view>

#include "base/span.h"

namespace tegu::config {

// How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`; at most `limit` +
// 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The key of the table that `table`.`name` was probably meant to be; empty if none is near. `table` may be
// empty.
std::string_view suggest_key(std::string_view table, std::string_view name);

// The same for the name of a table.
std::string_view suggest_table(std::string_view name);

}  // namespace tegu::config
