// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_rows.h"

#include <algorithm>
#include <cmath>

namespace tegu::daemon {
namespace {

unsigned width_of(const TuningRange& range) {
    const std::uint64_t width = range.end - range.begin;
    return width >= 1u << 31 ? 32 : width < 2 ? 0 : 63 - static_cast<unsigned>(__builtin_clzll(width));
}

}  // namespace

bool CostRows::Row::is_for(const tuning::JobClass& job) const {
    if (jobs.width != 0 && jobs.width != job.width) return false;
    if (!jobs.type.empty() && jobs.type != element_word(job.type)) return false;
    if (!jobs.variant.empty() && variants != job.variants) return false;
    return jobs.sequences.contains(job.sequences) && jobs.elements.contains(job.elements) &&
           jobs.detail.contains(job.detail) && jobs.levels.contains(job.levels);
}

// Interpolates on logarithmic scales between the points. Before the first point its time counts; behind the
// last one the time grows with the elements.
double CostRows::Row::time_ns(double count) const {
    const double at = std::log2(std::max(count, 1.0));
    if (at <= elements.front()) return std::exp2(ns.front());
    if (at >= elements.back()) return std::exp2(ns.back() + (at - elements.back()));
    const auto above = std::upper_bound(elements.begin(), elements.end(), at) - elements.begin();
    const auto i = static_cast<std::size_t>(above);
    const double share = (at - elements[i - 1]) / (elements[i] - elements[i - 1]);
    return std::exp2(ns[i - 1] + share * (ns[i] - ns[i - 1]));
}

bool CostRows::make(const CostRow& from, Row& row) {
    const std::optional<unsigned> variants = tuning::find_variant(from.jobs.variant);
    if (!variants && !from.jobs.variant.empty()) return false;
    row.jobs = from.jobs;
    row.variants = variants.value_or(0);
    for (const CostPoint& point : from.points) {
        const bool ascends = row.elements.empty() || std::log2(point.elements) > row.elements.back();
        if (!(point.elements >= 1) || !(point.time_us > 0) || !std::isfinite(point.time_us) || !ascends)
            return false;
        row.elements.push_back(std::log2(point.elements));
        row.ns.push_back(std::log2(point.time_us * 1000));
    }
    row.precision = (from.jobs.type.empty() ? 0u : 200u) + (from.jobs.width != 0 ? 100u : 0u) +
                    (from.jobs.variant.empty() ? 0u : 100u) + 32 - width_of(from.jobs.detail) + 32 -
                    width_of(from.jobs.sequences) + 32 - width_of(from.jobs.elements) + 32 -
                    width_of(from.jobs.levels);
    return !row.elements.empty();
}

CostRows::CostRows(const std::vector<CostRow>& rows, TuningBackend backend, unsigned threads)
    : rows_(kOperationSlots) {
    for (const CostRow& from : rows) {
        const OperationInfo* operation = find_operation(std::string_view(from.jobs.operation));
        if (operation == nullptr || from.jobs.backend != backend) continue;
        if (backend == TuningBackend::Cpu && from.threads != threads && !(from.threads == 0 && threads > 1))
            continue;
        Row row;
        if (!make(from, row)) continue;
        rows_[static_cast<std::size_t>(operation->operation)].push_back(std::move(row));
        ++count_;
        measured_ += from.evidence.provenance == "model" ? 0 : 1;
    }
    for (std::vector<Row>& list : rows_)
        std::stable_sort(list.begin(), list.end(),
                         [](const Row& a, const Row& b) { return a.precision > b.precision; });
}

double CostRows::time_ns(const CostClass& job) const {
    if (count_ == 0) return 0;
    for (const Row& row : rows_[static_cast<std::size_t>(job.operation())])
        if (row.is_for(job.job)) return row.time_ns(job.elements());
    return 0;
}

bool are_alike(const std::vector<CostRow>& a, const std::vector<CostRow>& b) {
    const auto same_jobs = [](const TuningClass& x, const TuningClass& y) {
        return x.backend == y.backend && x.operation == y.operation && x.width == y.width &&
               x.type == y.type && x.variant == y.variant && x.sequences == y.sequences &&
               x.elements == y.elements && x.detail == y.detail && x.levels == y.levels;
    };
    const auto same_points = [](const CostPoint& x, const CostPoint& y) {
        return !(x.elements < y.elements) && !(y.elements < x.elements) && !(x.time_us < y.time_us) &&
               !(y.time_us < x.time_us);
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const CostRow& x, const CostRow& y) {
        return same_jobs(x.jobs, y.jobs) && x.threads == y.threads &&
               x.evidence.provenance == y.evidence.provenance &&
               std::equal(x.points.begin(), x.points.end(), y.points.begin(), y.points.end(), same_points);
    });
}

}  // namespace tegu::daemon
