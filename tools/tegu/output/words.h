// SPDX-License-Identifier: Apache-2.0
// Option values of several operations: lists of numbers, a range, the base of a logarithm.
#pragma once

#include <string>
#include <vector>

#include "tools/tegu/failure.h"

namespace tegu {
namespace cli {

// The words between commas; "" is one empty word.
std::vector<std::string> split(const std::string& words);

// "0.5,0.9". False unless every word is a number of C's strtod().
bool parse_numbers(const std::string& words, std::vector<double>& numbers);

struct Range {
    double lo = 0, hi = 0;
};
// "lo,hi"
bool parse_range(const std::string& word, Range& range);

// Sets has_range, lo and hi of an operation's parameters to the word of --range, unless that is empty. What
// the range may be is the daemon's to judge.
template <class Params>
Expected<void> fill_range(const std::string& word, Params& params) {
    if (word.empty()) return {};
    Range range;
    if (!parse_range(word, range)) return usage_error("--range", word, "two numbers, as 0,255");
    params.has_range = 1;
    params.lo = range.lo;
    params.hi = range.hi;
    return {};
}

// The word of --base, "2" or "e", as TEGU_BASE_*, and the unit of an entropy in that base.
inline std::uint8_t base_number(const std::string& base) {
    return base == "e" ? TEGU_BASE_E : TEGU_BASE_2;
}
inline const char* entropy_unit(const std::string& base) {
    return base == "e" ? "nat" : "bit";
}

}  // namespace cli
}  // namespace tegu
