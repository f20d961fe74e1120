// SPDX-License-Identifier: Apache-2.0
// The named values of INFO and STATS: for people with units and in groups, and exact as JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/tegu/output/json.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {

std::string field_text(const client::Field& field);  // exact, without a unit
void add_fields(Json& json, const std::vector<client::Field>& fields);

// "uptime" of uptime_seconds, "buffers" of buffers_total: the unit stands behind the value.
std::string people_name(const std::string& name);
// The value with the unit that its name has: "36 min 22 s", "1.2 GiB", "87 %"; "-" for an empty text.
std::string people_value(const client::Field& field);

// A line for each field. Neighbours whose names begin alike, such as limit_, stand below a heading.
// `more`: what stands in the cell behind the value; `columns`: headings, or empty.
std::string fields_table(const std::vector<client::Field>& fields, const std::vector<std::string>& columns,
                         const std::function<std::string(const client::Field&)>& more);

}  // namespace cli
}  // namespace tegu
