// SPDX-License-Identifier: Apache-2.0
#include "tools/board/throttle_reasons.h"

#include <algorithm>
#include <iterator>

namespace tegu::board {
namespace {

constexpr const char* kStanding[] = {"sw_power_cap", "sync_boost"};  // words of nvml.cpp

}  // namespace

bool is_standing(const std::string& reason) {
    return std::any_of(std::begin(kStanding), std::end(kStanding),
                       [&](const char* word) { return reason == word; });
}

std::vector<std::string> passing_reasons(const std::vector<std::string>& throttle) {
    std::vector<std::string> reasons;
    for (const std::string& reason : throttle)
        if (!is_standing(reason) && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
            reasons.push_back(reason);
    return reasons;
}

std::string in_words(const std::vector<std::string>& reasons) {
    std::string text;
    for (const std::string& reason : reasons) text += (text.empty() ? "" : ", ") + reason;
    return text;
}

}  // namespace tegu::board
