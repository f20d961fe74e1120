// SPDX-License-Identifier: Apache-2.0
// One line `name digest` for each job of tests/kernels/digests/cases.h: a hash over the results of several
// shapes and contents, or over the error. tests/data/digests.txt holds them; every machine and instruction
// set must reproduce the file. Each job runs with the calling thread alone and with a pool of three, which
// must agree. A plain program, so that a cross-built one needs nothing but an emulator.
// usage: digests            print all
//        digests FILE       compare with FILE; exit 1 and the lines that differ if they do
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"
#include "tests/kernels/digests/cases.h"

namespace tegu::testing_support {
namespace {

// FNV-1a, 64 bits.
class Digest {
  public:
    void add(const void* data, std::size_t bytes) {
        const unsigned char* at = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3u;
    }
    void add(const std::string& text) { add(text.c_str(), text.size() + 1); }
    void add(const Error& error) {
        add("error " + std::to_string(static_cast<unsigned>(error.status)));
        add(error.field);
    }
    std::string text() const {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
        return digits;
    }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

std::vector<kernels::InputView> make_inputs(const DigestCase& test, Content content, const DigestShape& shape,
                                            std::size_t count, std::vector<std::vector<std::byte>>* bytes) {
    std::vector<kernels::InputView> views;
    for (std::size_t i = 0; i < count; ++i) {
        bytes->push_back(make_digest_input(test.type, content, shape, 1000 * i + shape.cols));
        views.push_back({bytes->back().data() + shape.offset, shape.cols + shape.extra});
    }
    return views;
}

// The digest of one run: of every array's role, type, rows and filled columns, and their bytes; or of the
// error.
void run(const Job& job, const kernels::JobPlan& plan, const std::vector<kernels::InputView>& inputs,
         kernels::ThreadPool* pool, Digest* digest) {
    std::vector<std::vector<std::uint64_t>> memory;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan.outputs) {
        memory.emplace_back((array_bytes(spec) + 15) / 8, 0xcdcdcdcdcdcdcdcdu);
        outputs.push_back({reinterpret_cast<std::byte*>(memory.back().data())});
    }
    const Result<kernels::RunReport> report =
        kernels::run_job(job, inputs, outputs, pool, kernels::StopToken());
    if (!report) return digest->add(report.error());
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const ArraySpec& spec = plan.outputs[i];
        const std::uint64_t filled = report->filled_columns[i];
        const std::uint64_t head[] = {static_cast<std::uint64_t>(spec.role),
                                      static_cast<std::uint64_t>(spec.type), spec.rows, filled};
        digest->add(head, sizeof head);
        const std::size_t bytes = element_bytes(spec.type);
        for (std::uint64_t row = 0; row < spec.rows; ++row)
            digest->add(outputs[i].data + row * spec.cols * bytes, filled * bytes);
    }
}

// False if one thread and three disagree.
bool add_job(const DigestCase& test, Content content, const DigestShape& shape, kernels::ThreadPool* pool,
             Digest* digest) {
    Job job;
    job.type = test.type;
    job.axis = test.axis;
    job.rows = shape.rows;
    job.cols = shape.cols;
    job.params = test.params(test.axis == Axis::Whole ? shape.rows * shape.cols : shape.cols);
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        digest->add(plan.error());
        return true;
    }
    std::vector<std::vector<std::byte>> bytes;
    const std::size_t count = static_cast<std::size_t>(info_of(operation_of(job)).inputs);
    const std::vector<kernels::InputView> inputs = make_inputs(test, content, shape, count, &bytes);
    Digest together = *digest;
    run(job, *plan, inputs, nullptr, digest);
    run(job, *plan, inputs, pool, &together);
    return together.text() == digest->text();
}

// Whether the operation takes the type at all.
bool is_supported(const DigestCase& test) {
    Job job;
    job.type = test.type;
    job.axis = test.axis;
    job.rows = 2;
    job.cols = 50;
    job.params = test.params(50);
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    return plan.ok() || plan.error().status != Status::Unsupported;
}

// Names and digests of all cases; empty if a result depended on the threads.
std::vector<std::pair<std::string, std::string>> compute() {
    kernels::ThreadPool pool(3);
    std::vector<std::pair<std::string, std::string>> lines;
    for (const DigestCase& test : digest_cases()) {
        if (!is_supported(test)) continue;
        Digest digest;
        for (const DigestShape& shape : digest_shapes(static_cast<Operation>(test.params(1).index() + 1))) {
            for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties}) {
                if (!uses_content(shape, content) || add_job(test, content, shape, &pool, &digest)) continue;
                std::fprintf(stderr, "%s, %llu x %llu: one thread and three disagree\n", test.name.c_str(),
                             static_cast<unsigned long long>(shape.rows),
                             static_cast<unsigned long long>(shape.cols));
                return {};
            }
        }
        lines.emplace_back(test.name, digest.text());
    }
    return lines;
}

int compare(const std::vector<std::pair<std::string, std::string>>& lines, const char* path) {
    std::ifstream file(path);
    std::map<std::string, std::string> wanted;
    std::string name, digest, line;
    while (file >> name) {
        if (name[0] == '#')
            std::getline(file, line);
        else if (file >> digest)
            wanted[name] = digest;
    }
    int differences = 0;
    for (const auto& [found_name, found] : lines) {
        const auto entry = wanted.find(found_name);
        if (entry == wanted.end())
            ++differences, std::printf("%s %s: not in the file\n", found_name.c_str(), found.c_str());
        else if (entry->second != found)
            ++differences, std::printf("%s %s: the file has %s\n", found_name.c_str(), found.c_str(),
                                       entry->second.c_str());
        wanted.erase(found_name);
    }
    for (const auto& entry : wanted)
        ++differences, std::printf("%s: in the file alone\n", entry.first.c_str());
    std::printf("%zu digests with %s, %d differences from %s\n", lines.size(), kernels::cpu_isa(),
                differences, path);
    return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tegu::testing_support

int main(int argc, char** argv) {
    const auto lines = tegu::testing_support::compute();
    if (lines.empty()) return 1;
    if (argc == 2) return tegu::testing_support::compare(lines, argv[1]);
    std::printf(
        "# What tests/kernels/digests/digests.cpp prints: every machine and instruction set must reproduce "
        "it.\n");
    for (const auto& [name, digest] : lines) std::printf("%s %s\n", name.c_str(), digest.c_str());
    return 0;
}
