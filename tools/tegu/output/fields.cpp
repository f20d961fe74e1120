// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/fields.h"

#include <algorithm>
#include <cmath>

#include "tools/tegu/output/terminal.h"
#include "tools/tegu/top/parts.h"

namespace tegu {
namespace cli {
namespace {

struct Group {
    const char *prefix, *heading;
};
constexpr Group kGroups[] = {
    {"limit_", "limits"},
    {"placement_", "placement"},
    {"tuning_", "tuning"},
    {"gpu_", "gpu"},
    {"buffers_", "buffers"},
    {"refused_", "requests refused, by reason"},
    {"closed_", "connections closed, by reason"},
    {"placed_for_", "jobs placed, by reason"},
    {"placed_", "jobs placed, by place"},
    {"start_", "time to start a job, by place"},
};

const Group* group_of(const std::string& name) {
    for (const Group& group : kGroups)
        if (name.rfind(group.prefix, 0) == 0) return &group;
    return nullptr;
}

std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('_', begin), name.size());
        parts.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

bool is_unit(const std::string& part) {
    return part == "seconds" || part == "ns" || part == "us" || part == "ms" || part == "ratio" ||
           part == "bytes";
}

// "" if the name has none.
std::string unit_of(const std::string& name) {
    for (const std::string& part : parts_of(name))
        if (is_unit(part)) return part;
    return {};
}

// What a counter has in addition if there is a value of now of the same name.
std::string so_far(const std::vector<client::Field>& fields, const std::string& name) {
    constexpr std::size_t kTotal = 6;  // "_total"
    if (name.size() <= kTotal || name.compare(name.size() - kTotal, kTotal, "_total") != 0) return {};
    const std::string now = name.substr(0, name.size() - kTotal);
    const bool both = std::any_of(fields.begin(), fields.end(),
                                  [&](const client::Field& field) { return field.name == now; });
    if (!both) return {};
    return name.rfind("limit_", 0) == 0 ? " of all" : " so far";
}

std::string with_unit(double value, const std::string& unit) {
    if (!std::isfinite(value)) return number_text(value);
    if (unit == "ratio") return std::to_string(std::lround(100 * value)) + " %";
    const double nanoseconds = unit == "ns" ? value : unit == "us" ? 1e3 * value : 1e6 * value;
    if (unit != "seconds") return duration_text(nanoseconds);
    return value < 60 ? duration_text(1e9 * value) : top::span_text(value);
}

}  // namespace

std::string field_text(const client::Field& field) {
    if (const auto* integer = std::get_if<std::uint64_t>(&field.value)) return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&field.value)) return number_text(*number);
    return std::get<std::string>(field.value);
}

void add_fields(Json& json, const std::vector<client::Field>& fields) {
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

std::string people_name(const std::string& name) {
    std::vector<std::string> parts = parts_of(name);
    if (parts.size() > 1 && parts.back() == "total") parts.pop_back();
    std::string text;
    for (const std::string& part : parts)
        if (part == "bytes" || !is_unit(part)) text += (text.empty() ? "" : " ") + part;
    return parts.back() == "ratio" ? text + ", share" : text;
}

std::string people_value(const client::Field& field) {
    const std::string unit = unit_of(field.name);
    if (const auto* text = std::get_if<std::string>(&field.value)) return text->empty() ? "-" : *text;
    if (const auto* integer = std::get_if<std::uint64_t>(&field.value)) {
        if (unit.empty()) return std::to_string(*integer);
        return unit == "bytes" ? bytes_text(*integer) : with_unit(static_cast<double>(*integer), unit);
    }
    const double value = std::get<double>(field.value);
    return unit.empty() || unit == "bytes" ? short_text(value) : with_unit(value, unit);
}

std::string fields_table(const std::vector<client::Field>& fields, const std::vector<std::string>& columns,
                         const std::function<std::string(const client::Field&)>& more) {
    const bool wide = !columns.empty();
    Table table(wide ? "lrr" : "ll");
    if (wide) table.heading(columns);
    const Group* last = nullptr;
    const auto begins = [](const client::Field& field, const Group* group) {
        return group != nullptr && group_of(field.name) == group;
    };
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Group* group = group_of(fields[i].name);
        // One alone needs no heading.
        const bool has_more = group == last || (i + 1 < fields.size() && begins(fields[i + 1], group));
        if (!has_more) group = nullptr;
        if (group != nullptr && group != last)
            table.row(wide ? std::vector<std::string>{group->heading, "", ""}
                           : std::vector<std::string>{group->heading, ""});
        last = group;
        const std::string name =
            group == nullptr ? people_name(fields[i].name)
                             : "  " + people_name(fields[i].name.substr(std::string(group->prefix).size()));
        std::vector<std::string> cells = {name + so_far(fields, fields[i].name), people_value(fields[i])};
        if (wide) cells.push_back(more(fields[i]));
        table.row(std::move(cells));
    }
    return table.text(stdout_has_colour());
}

}  // namespace cli
}  // namespace tegu
