// SPDX-License-Identifier: Apache-2.0
// Draws counts: bars for one histogram, a line of small columns for each of many. A Unicode terminal gets
// blocks of an eighth of a cell, others ASCII.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegu {
namespace cli {

// True if the environment declares UTF-8 for the terminal of stdout.
bool stdout_has_blocks();

// A bar of `width` cells at most for `share` of 0 to 1; a share above 0 is never empty.
std::string bar_text(double share, std::size_t width, bool blocks);

// A column as high as `share`, 0 to 1, one cell wide; only a share of 0 is a blank.
const char* column_text(double share, bool blocks);

// One column for each count, as high as its share of the largest; 0 is a blank.
std::string spark_text(const std::vector<std::uint64_t>& counts, bool blocks);

// Sums of groups of neighbours, so that at most `max` are left; the last group may be smaller. REQUIRES:
// max > 0.
std::vector<std::uint64_t> merged(const std::uint64_t* counts, std::uint64_t count, std::uint64_t max);
// The size of those groups; 1 if count <= max.
std::uint64_t group_size(std::uint64_t count, std::uint64_t max);

}  // namespace cli
}  // namespace tegu
