// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/words.h"

#include <algorithm>
#include <cstdlib>

namespace tegu {
namespace cli {

std::vector<std::string> split(const std::string& words) {
    std::vector<std::string> list;
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t end = std::min(words.find(',', begin), words.size());
        list.push_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

bool parse_numbers(const std::string& words, std::vector<double>& numbers) {
    for (const std::string& word : split(words)) {
        char* end = nullptr;
        numbers.push_back(std::strtod(word.c_str(), &end));
        if (end == word.c_str() || *end != '\0') return false;
    }
    return true;
}

bool parse_range(const std::string& word, Range& range) {
    std::vector<double> numbers;
    if (!parse_numbers(word, numbers) || numbers.size() != 2) return false;
    range = Range{numbers[0], numbers[1]};
    return true;
}

}  // namespace cli
}  // namespace tegu
