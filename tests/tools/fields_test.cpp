// SPDX-License-Identifier: Apache-2.0
// Values with their units, and fields in groups.
#include "tools/tegu/output/fields.h"

#include <gtest/gtest.h>

namespace tegu {
namespace cli {
namespace {

TEST(Fields, UnitsStandBehindTheValue) {
    const struct {
        client::Field field;
        const char *name, *value;
    } cases[] = {
        {{"uptime_seconds", 2182.15}, "uptime", "36 min 22 s"},
        {{"uptime_seconds", 0.25}, "uptime", "250 ms"},
        {{"limit_buffer_bytes_per_uid", std::uint64_t{1} << 30}, "limit buffer bytes per uid", "1.0 GiB"},
        {{"queue_ns_total", std::uint64_t{3563433}}, "queue", "3.56 ms"},
        {{"inline_budget_us", std::uint64_t{50}}, "inline budget", "50 us"},
        {{"jobs_inline_ratio", 0.876}, "jobs inline, share", "88 %"},
        {{"jobs_total", std::uint64_t{7}}, "jobs", "7"},
        {{"gpu_built_for", std::string()}, "gpu built for", "-"},
        {{"version", std::string("1.2")}, "version", "1.2"},
        {{"some_ratio", std::numeric_limits<double>::quiet_NaN()}, "some, share", "nan"},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(people_name(c.field.name), c.name);
        EXPECT_EQ(people_value(c.field), c.value) << c.field.name;
    }
}

TEST(Fields, NeighboursOfOneKindStandTogether) {
    const std::vector<client::Field> fields = {
        {"connections", std::uint64_t{1}},        {"connections_total", std::uint64_t{9}},
        {"limit_buffer_bytes", std::uint64_t{1}}, {"limit_buffer_bytes_total", std::uint64_t{2}},
        {"closed_idle_total", std::uint64_t{3}},
    };
    EXPECT_EQ(fields_table(fields, {}, nullptr),
              "  connections             1\n"
              "  connections so far      9\n"
              "  limits\n"
              "    buffer bytes          1 B\n"
              "    buffer bytes of all   2 B\n"
              "  closed idle             3\n");
}

}  // namespace
}  // namespace cli
}  // namespace tegu
