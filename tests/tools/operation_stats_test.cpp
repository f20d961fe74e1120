// SPDX-License-Identifier: Apache-2.0
// The table of operations: whose fields it tells, what stands in it, and what is missing from an older
// daemon.
#include "tools/tegu/operation_stats.h"

#include <gtest/gtest.h>

namespace tegu {
namespace cli {
namespace {

using Fields = std::vector<client::Field>;

Fields fields_of(const std::string& stem, std::uint64_t jobs) {
    return {{"operation_" + stem + "_ok_total", jobs},
            {"operation_" + stem + "_jobs_total", jobs},
            {"operation_" + stem + "_inline_total", std::uint64_t{0}},
            {"operation_" + stem + "_compute_ns_total", 1000 * jobs},
            {"operation_" + stem + "_queue_ns_total", 50 * jobs},
            {"operation_" + stem + "_bytes_read_total", 4000 * jobs}};
}

TEST(OperationStats, StemsAndTheirFields) {
    Fields fields = {{"jobs_total", std::uint64_t{3}}};
    for (const char* stem : {"entropy_map", "entropy"})
        for (const client::Field& field : fields_of(stem, 1)) fields.push_back(field);
    const std::vector<std::string> stems = operation_stems(fields);
    EXPECT_EQ(stems, (std::vector<std::string>{"entropy_map", "entropy"}));
    for (const char* name : {"operation_entropy_ok_total", "predicted_entropy_map_jobs_total",
                             "predicted_entropy_seconds_total", "cost_error_entropy_ratio"})
        EXPECT_TRUE(is_of_operation(name, stems)) << name;
    for (const char* name : {"jobs_total", "jobs_ok_total", "operation", "predicted_work_running_ns"})
        EXPECT_FALSE(is_of_operation(name, stems)) << name;
}

TEST(OperationStats, OneLineForEachOperationThatHadJobs) {
    Fields fields = fields_of("topk", 4);
    for (const client::Field& field : fields_of("reduce", 0)) fields.push_back(field);
    std::string table = operations_table(fields, {}, 0);
    EXPECT_NE(table.find("  topk           4        0    50 ns       1 us   4 GB/s        -\n"),
              std::string::npos)
        << table;
    EXPECT_EQ(table.find("reduce"), std::string::npos);
    EXPECT_EQ(operations_table(fields_of("reduce", 0), {}, 0), "");

    fields.push_back({"predicted_topk_jobs_total", std::uint64_t{4}});
    fields.push_back({"cost_error_topk_ratio", 0.996});
    table = operations_table(fields, fields_of("topk", 1), 2);
    EXPECT_NE(table.find("per s"), std::string::npos) << table;
    EXPECT_NE(table.find("   4     1.5        0 "), std::string::npos) << table;
    EXPECT_NE(table.find("4 GB/s    100 %\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace cli
}  // namespace tegu
