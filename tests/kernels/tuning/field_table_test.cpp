// SPDX-License-Identifier: Apache-2.0
// The list of fields in docs/tuning.md is the registry's. TEGU_WRITE_GOLDEN=1 writes it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/job.h"
#include "kernels/tuning/policy_fields.h"

namespace tegu::tuning {
namespace {

constexpr char kPage[] = TEGU_SOURCE_DIR "/docs/tuning.md";
constexpr char kBegin[] = "<!-- fields: written by tests/kernels/tuning/field_table_test.cpp -->\n";
constexpr char kEnd[] = "<!-- end of fields -->\n";

std::string read_page() {
    std::ifstream file(kPage, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// A device that bounds nothing more than every device does.
cuda::DeviceLimits large_device() {
    cuda::DeviceLimits limits;
    limits.compute_capability = 90;
    limits.shared_bytes_per_block = std::size_t{1} << 30;
    return limits;
}

std::string field_line(const PolicyField& field) {
    std::string allowed = allowed_values(field, large_device());
    if (field.max_of_device != nullptr) allowed += "; some devices less";
    return "`" + std::string(field.name) + "` | " + std::string(field.sentence) + " | " + allowed + " | " +
           value_text(field, field.get(PolicySet())) + " |\n";
}

// Fields that several operations have in common are listed once.
std::string backend_table(TuningBackend backend) {
    std::vector<std::pair<std::string, std::string>> lines;  // what a field is, and which operations have it
    for (const OperationInfo& operation : operation_infos())
        for (const PolicyField& field : policy_fields(backend, operation.stem)) {
            const std::string line = field_line(field);
            const std::string stem(operation.stem);
            auto known = lines.begin();
            while (known != lines.end() && known->first != line) ++known;
            if (known == lines.end())
                lines.emplace_back(line, stem);
            else
                known->second += ", " + stem;
        }
    std::string all;
    for (const OperationInfo& operation : operation_infos())
        all += (all.empty() ? "" : ", ") + std::string(operation.stem);
    std::string text = "| operation | field | meaning | allowed | default |\n|---|---|---|---|---|\n";
    for (const auto& [line, operations] : lines)
        text += "| " + (operations == all ? "every one" : operations) + " | " + line;
    return text;
}

TEST(FieldTable, OfTheDocsIsTheRegistry) {
    const std::string page = read_page();
    const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_NE(end, std::string::npos);
    const std::string table = "\nOn a GPU (`backend = \"cuda\"`):\n\n" + backend_table(TuningBackend::Cuda) +
                              "\nOn the CPU (`backend = \"cpu\"`):\n\n" + backend_table(TuningBackend::Cpu) +
                              "\n";
    const std::size_t from = begin + sizeof kBegin - 1;
    if (std::getenv("TEGU_WRITE_GOLDEN") != nullptr) {
        std::ofstream(kPage, std::ios::binary) << page.substr(0, from) + table + page.substr(end);
        return;
    }
    EXPECT_EQ(page.substr(from, end - from), table) << "run this test with TEGU_WRITE_GOLDEN=1";
}

}  // namespace
}  // namespace tegu::tuning
