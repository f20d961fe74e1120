// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/probe_plan.h"

#include <algorithm>

#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

constexpr double kSampleNs = 4e6;  // all runs of one sample take at most about this long

// Varies the properties that determine the time of an operation: bytes, details, rows. The plain class of
// every operation comes first, as the budget may end early.
std::vector<Sample> classes() {
    std::vector<std::vector<Sample>> operations;
#define TEGU_X(number, Name, stem, inputs, sentence) \
    operations.push_back(probes_##stem());           \
    for (Sample & each : operations.back()) each.operation = Operation::Name;
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    // Operations with several classes come first; of these, classes of one segment come before rows.
    const auto turn = [](const std::vector<Sample>& probes) {
        return probes.size() == 1 ? 2 : probes.front().rows > 1 ? 1 : 0;
    };
    std::stable_sort(operations.begin(), operations.end(),
                     [&](const auto& a, const auto& b) { return turn(a) < turn(b); });
    std::vector<Sample> all;
    for (const auto& probes : operations) all.push_back(probes.front());
    for (const auto& probes : operations) all.insert(all.end(), probes.begin() + 1, probes.end());
    return all;
}

// One thread gets samples that are short there; other resources get samples that may be worth the handover.
std::vector<std::uint64_t> sizes(CostResource resource) {
    if (resource == kOneThread) return {4 << 10, 32 << 10, 256 << 10};
    if (resource == kPool) return {16 << 10, 128 << 10, 1 << 20, ProbePlan::kMaxElements};
    return {4 << 10, 256 << 10, ProbePlan::kMaxElements};
}

}  // namespace

Sample probe(ElementType type, std::uint64_t detail) {
    Sample made;
    made.type = type;
    made.detail = detail;
    return made;
}

Sample rows_probe(ElementType type, std::uint64_t detail, std::uint64_t columns) {
    Sample made = probe(type, detail);
    made.rows = 2;
    made.cols = columns;
    return made;
}

ProbePlan::ProbePlan(CostResource resource, std::uint64_t budget_ns, Of of)
    : budget_ns_(budget_ns), sizes_(sizes(resource)) {
    for (const Sample& each : classes())
        if (of == Of::All || each.operation == Operation::Add) cases_.push_back({each});
}

std::optional<Sample> ProbePlan::at_size(const Case& of, std::uint64_t elements) const {
    Sample made = of.sample;
    if (made.rows > 1)
        made.rows = elements / made.cols;
    else
        made.cols = elements;
    // Assumes that its whole time is proportional to the elements.
    const double expected_ns =
        of.elements == 0 ? 0 : of.ns * static_cast<double>(elements) / static_cast<double>(of.elements);
    if (of.over || expected_ns * (kRuns + 1) > kSampleNs) return std::nullopt;
    if (!job_of(made)) return std::nullopt;
    return made;
}

std::optional<Sample> ProbePlan::next() {
    for (; size_ < sizes_.size(); ++size_, case_ = 0)
        for (; case_ < cases_.size(); ++case_) {
            if (spent_ns_ >= budget_ns_) return std::nullopt;
            if (const std::optional<Sample> made = at_size(cases_[case_], sizes_[size_])) return made;
        }
    return std::nullopt;
}

void ProbePlan::record(double ns, std::uint64_t spent_ns) {
    Case& of = cases_[case_];
    spent_ns_ += spent_ns;
    if (ns > 0) {
        const std::optional<Sample> made = at_size(of, sizes_[size_]);
        if (made) results_.push_back({*made, ns});
        of.ns = ns;
        of.elements = sizes_[size_];
    } else {
        of.over = true;
    }
    ++case_;
}

}  // namespace tegu::daemon
