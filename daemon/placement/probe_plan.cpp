// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/probe_plan.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kRowColumns = 256;
constexpr std::uint64_t kImageColumns = 512;
constexpr double kSampleNs = 4e6;  // all runs of one sample take at most about this long

Sample sample(Operation operation, ElementType type, std::uint64_t detail, std::uint32_t levels = 0) {
    Sample made;
    made.operation = operation;
    made.type = type;
    made.detail = detail;
    made.levels = levels;
    return made;
}

// By rows; their number comes with the size.
Sample rows(Sample made) {
    made.rows = 2;
    return made;
}

// Varies the properties that determine the time of an operation: bytes, details, rows.
std::vector<Sample> classes() {
    constexpr ElementType f32 = ElementType::F32, u8 = ElementType::U8;
    Sample distinct = sample(Operation::Topk, f32, 16);
    distinct.distinct = true;
    return {sample(Operation::Reduce, f32, 1),
            sample(Operation::Topk, f32, 16),
            sample(Operation::Quantile, f32, 1),
            sample(Operation::Histogram, f32, 64),
            sample(Operation::Entropy, f32, 256),
            rows(sample(Operation::EntropyMap, f32, 25)),
            sample(Operation::Add, f32, 0),
            sample(Operation::Dot, f32, 0),
            rows(sample(Operation::Rowscale, f32, 0)),
            sample(Operation::Fused, f32, 0),
            sample(Operation::Reduce, f32, 6),
            sample(Operation::Reduce, u8, 1),
            rows(sample(Operation::Reduce, f32, 1)),
            sample(Operation::Topk, f32, 1024),
            distinct,
            rows(sample(Operation::Topk, f32, 16)),
            sample(Operation::Quantile, f32, 7),
            sample(Operation::Histogram, u8, 256),
            sample(Operation::Entropy, u8, 256),
            rows(sample(Operation::EntropyMap, u8, 81, 256)),
            rows(sample(Operation::EntropyMap, u8, 961, 16))};
}

// One thread gets samples that are short there; other backends get samples that may be worth the handover.
std::vector<std::uint64_t> sizes(Backend backend) {
    if (backend == kOneThread) return {4 << 10, 32 << 10, 256 << 10};
    if (backend == kPool) return {16 << 10, 128 << 10, 1 << 20, ProbePlan::kMostElements};
    return {4 << 10, 256 << 10, ProbePlan::kMostElements};
}

}  // namespace

ProbePlan::ProbePlan(Backend backend, std::uint64_t budget_ns, Of of)
    : budget_ns_(budget_ns), sizes_(sizes(backend)) {
    for (const Sample& each : classes())
        if (of == Of::All || each.operation == Operation::Add) cases_.push_back({each});
}

std::optional<Sample> ProbePlan::at_size(const Case& of, std::uint64_t elements) const {
    Sample made = of.sample;
    const std::uint64_t columns = made.operation == Operation::EntropyMap ? kImageColumns : kRowColumns;
    made.cols = made.rows > 1 ? columns : elements;
    if (made.rows > 1) made.rows = elements / columns;
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
