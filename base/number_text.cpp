// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tegu {

std::string number_text(double value) {
    if (std::isnan(value)) return "nan";
    constexpr double kFifteenDigits = 1e15;
    if (std::abs(value) < kFifteenDigits && value == std::trunc(value) &&
        !(value == 0 && std::signbit(value)))
        return std::to_string(static_cast<long long>(value));  // as below, but faster
    char text[32];
    for (int digits = 15; digits <= 17; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value) break;
    }
    return text;
}

}  // namespace tegu
