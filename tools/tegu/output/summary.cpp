// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/summary.h"

#include <cmath>
#include <limits>

#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

// Calls visit(value) with each element as a double.
template <class Visit>
void each(const client::Array& array, Visit visit) {
    const auto typed = [&](const auto* elements) {
        for (std::uint64_t i = 0; i < array.size(); ++i) visit(static_cast<double>(elements[i]));
    };
    switch (array.type) {  // the common types of large results; the others one by one
        case TEGU_U8: return typed(array.as<std::uint8_t>());
        case TEGU_U16: return typed(array.as<std::uint16_t>());
        case TEGU_I32: return typed(array.as<std::int32_t>());
        case TEGU_F32: return typed(array.as<float>());
        case TEGU_F64: return typed(array.as<double>());
        default:
            for (std::uint64_t i = 0; i < array.size(); ++i) visit(element_number(array, i));
    }
}

}  // namespace

Summary summarise(const client::Array& array) {
    Summary summary{HUGE_VAL, 0, -HUGE_VAL, 0};
    each(array, [&summary](double value) {
        if (std::isnan(value)) {
            ++summary.nans;
            return;
        }
        summary.min = std::min(summary.min, value);
        summary.max = std::max(summary.max, value);
        summary.mean += value;
    });
    const std::uint64_t numbers = array.size() - summary.nans;
    if (numbers == 0) summary.min = summary.max = std::numeric_limits<double>::quiet_NaN();
    summary.mean /= static_cast<double>(numbers);  // 0 / 0 is NaN
    return summary;
}

std::string summary_text(const Summary& summary) {
    if (std::isnan(summary.min)) return "no numbers";
    return "min " + short_text(summary.min) + ", mean " + short_text(summary.mean) + ", max " +
           short_text(summary.max) + (summary.nans != 0 ? ", " + std::to_string(summary.nans) + " nan" : "");
}

std::vector<float> to_floats(const client::Array& array) {
    std::vector<float> floats;
    if (array.type == TEGU_F32) return floats;
    floats.reserve(array.size());
    each(array, [&floats](double value) { floats.push_back(static_cast<float>(value)); });
    return floats;
}

}  // namespace cli
}  // namespace tegu
