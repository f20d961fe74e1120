// SPDX-License-Identifier: Apache-2.0
// For numpy_test.py: reads elements from stdin, writes the counts of their histogram as raw u64 and its
// edges as raw f64 to stdout.
// usage: histogram_program TYPE ELEMENTS BINS [LO HI]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/operation.h"

namespace {

tegu::ElementType type_of(const std::string& word) {
    for (std::uint8_t number = 1; tegu::is_element_type(number); ++number)
        if (tegu::element_word(static_cast<tegu::ElementType>(number)) == word)
            return static_cast<tegu::ElementType>(number);
    std::exit(64);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace tegu;
    if (argc != 4 && argc != 6) return 64;
    HistogramParams params;
    params.bins = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
    params.has_range = argc == 6;
    if (params.has_range) {
        params.lo = std::strtod(argv[4], nullptr);
        params.hi = std::strtod(argv[5], nullptr);
    }
    Job job;
    job.type = type_of(argv[1]);
    job.cols = std::strtoull(argv[2], nullptr, 10);
    job.params = params;
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        std::fprintf(stderr, "%s: %s\n", plan.error().field.c_str(), plan.error().message.c_str());
        return 65;
    }
    std::vector<std::byte> elements(job.cols * element_bytes(job.type));
    if (std::fread(elements.data(), 1, elements.size(), stdin) != elements.size()) return 66;
    std::vector<std::uint64_t> counts(params.bins);
    std::vector<double> edges(params.bins + 1);
    const kernels::InputView input{elements.data(), job.cols};
    const kernels::OutputView outputs[] = {{reinterpret_cast<std::byte*>(counts.data())},
                                           {reinterpret_cast<std::byte*>(edges.data())}};
    const Result<kernels::RunReport> report = kernels::run_job(job, Span<const kernels::InputView>(&input, 1),
                                                               outputs, nullptr, kernels::StopToken());
    if (!report) {
        std::fprintf(stderr, "%s: %s\n", report.error().field.c_str(), report.error().message.c_str());
        return 65;
    }
    const bool written =
        std::fwrite(counts.data(), sizeof counts[0], counts.size(), stdout) == counts.size() &&
        std::fwrite(edges.data(), sizeof edges[0], edges.size(), stdout) == edges.size();
    return written ? 0 : 74;
}
