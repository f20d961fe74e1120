// SPDX-License-Identifier: Apache-2.0
// The named values of INFO and STATS as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/tegu/output/json.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {

inline std::string field_text(const client::Field& field) {
    if (const auto* integer = std::get_if<std::uint64_t>(&field.value)) return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&field.value)) return number_text(*number);
    return std::get<std::string>(field.value);
}

inline void add_fields(Json& json, const std::vector<client::Field>& fields) {
    json.begin_object();
    for (const client::Field& field : fields) {
        json.key(field.name);
        if (const auto* integer = std::get_if<std::uint64_t>(&field.value))
            json.integer(*integer);
        else if (const auto* number = std::get_if<double>(&field.value))
            json.number(*number);
        else
            json.text(std::get<std::string>(field.value));
    }
    json.end_object();
}

}  // namespace cli
}  // namespace tegu
