// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/bars.h"

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tegu {
namespace cli {
namespace {

const char* const kLengths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
const char* const kHeights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
const char* const kShades[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
constexpr std::uint64_t kSteps = 8;

}  // namespace

bool stdout_has_blocks() {
    if (isatty(STDOUT_FILENO) == 0) return false;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {  // the first that is set counts
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        std::string locale = value;
        for (char& c : locale) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
    return false;
}

std::string bar_text(double share, std::size_t width, bool blocks) {
    const std::uint64_t steps = blocks ? kSteps : 1;
    const double cells = std::min(std::max(share, 0.0), 1.0) * static_cast<double>(width * steps);
    std::uint64_t length = static_cast<std::uint64_t>(std::llround(cells));
    if (share > 0) length = std::max<std::uint64_t>(length, 1);
    std::string text;
    for (std::uint64_t i = 0; i < length / steps; ++i) text += blocks ? kLengths[kSteps] : "#";
    return blocks ? text + kLengths[length % steps] : text;
}

const char* column_text(double share, bool blocks) {
    const double steps = std::ceil(std::min(std::max(share, 0.0), 1.0) * static_cast<double>(kSteps));
    return (blocks ? kHeights : kShades)[static_cast<std::size_t>(steps)];
}

std::string spark_text(const std::vector<std::uint64_t>& counts, bool blocks) {
    const std::uint64_t max = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    std::string text;
    for (const std::uint64_t count : counts) {
        text += column_text(max == 0 ? 0 : static_cast<double>(count) / static_cast<double>(max), blocks);
    }
    return text;
}

std::uint64_t group_size(std::uint64_t count, std::uint64_t max) {
    return count == 0 ? 1 : (count - 1) / max + 1;
}

std::vector<std::uint64_t> merged(const std::uint64_t* counts, std::uint64_t count, std::uint64_t max) {
    const std::uint64_t group = group_size(count, max);
    std::vector<std::uint64_t> sums((count + group - 1) / group);
    for (std::uint64_t i = 0; i < count; ++i) sums[i / group] += counts[i];
    return sums;
}

}  // namespace cli
}  // namespace tegu
