// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "daemon/placement/gpu_work.h"
#include "daemon/placement/sample_job.h"

namespace tegu::daemon {
namespace {

constexpr double kLongestNs = 9e18;       // fits 63 bits
constexpr double kAloneNs = 20000;        // plans below it are not divided among threads
constexpr double kWakeNs = 6000;          // to wake the pool and to wait for the last of its threads
constexpr double kOperationWeight = 0.5;  // of a job in the correction of its operation
// Weights of unmeasured predictions, in jobs. One measured job of the operation outweighs plans and
// attributes; a table counts as one job.
constexpr CorrectionCurve::Parent kPlain{0, 0.02}, kTable{0, 1};
constexpr std::size_t kMaxPoints = 4096;  // of a table that correct other jobs
constexpr double kColdOctaves = 1;        // above the expected time, a first job was a cold start
constexpr double kLongNs = 1e6;
constexpr double kMinRatio = 1.0 / 256, kMaxRatio = 256, kMaxStep = 4;

}  // namespace

std::string_view cost_source_word(CostSource source) {
    constexpr std::string_view kWords[] = {"default", "model", "probed", "kept", "table"};
    return kWords[static_cast<std::size_t>(source)];
}

CostModel::CostModel(const CostMachine& machine)
    : machine_(machine), resources_(kFirstGpu + machine.gpu_speeds.size()) {
    assert(machine.threads >= 1);
    for (CostResource resource = kPool; resource < resources_.size(); ++resource)
        for (PlanRatio& ratio : resources_[resource].ratios)
            ratio.factor = std::max(1.0 / machine.threads, kMinRatio);
}

double CostModel::plain_ns(const CostClass& job, CostResource resource) const {
    const auto plan = static_cast<double>(job.plan_ns);
    if (resource >= kFirstGpu)
        return gpu_time_ns(job.gpu_work, job.gpu_steps, machine_.gpu_speeds[resource - kFirstGpu]);
    if (resource == kOneThread || machine_.threads == 1 || plan < kAloneNs) return std::max(plan, 1.0);
    return std::min(plan, kWakeNs + plan / machine_.threads);
}

CostModel::Expected CostModel::expect(const CostClass& job, CostResource resource) const {
    const ResourceCosts& costs = resources_[resource];
    Expected expected;
    expected.plain_ns = plain_ns(job, resource);
    expected.ns = costs.table.time_ns(job);
    expected.in_table = expected.ns > 0;
    if (!expected.in_table) expected.ns = expected.plain_ns;
    const auto& curves = expected.in_table ? costs.tables : costs.operations;
    expected.parent.octaves =
        curves[index_of(job.operation())].at(expected.ns, expected.in_table ? kTable : kPlain);
    return expected;
}

std::uint64_t CostModel::predict_ns(const CostClass& job, CostResource resource) const {
    const Expected expected = expect(job, resource);
    const CorrectionCurve* curve = resources_[resource].classes.find(job.key);
    const double octaves =
        curve == nullptr ? expected.parent.octaves : curve->at(expected.ns, expected.parent);
    const double ns = expected.ns * std::exp2(octaves);
    return static_cast<std::uint64_t>(std::min(std::max(ns, 1.0), kLongestNs));
}

// The points of each row also correct jobs of the operation that no row covers.
std::size_t CostModel::set_table(CostResource resource, const std::vector<CostRow>& rows, bool of_device) {
    const bool is_gpu = resource >= kFirstGpu;
    const unsigned threads = resource == kPool ? machine_.threads : 1;
    ResourceCosts& costs = resources_[resource];
    if (are_alike(rows, costs.rows) && of_device == costs.of_device) return costs.table.size();
    // Allocations come first, so that an exception changes nothing.
    CostRows table(rows, is_gpu ? TuningBackend::Cuda : TuningBackend::Cpu, threads);
    costs.rows = rows;
    costs.of_device = of_device;
    costs.table = std::move(table);
    costs.classes.clear();
    costs.operations = {};
    costs.tables = {};
    costs.source = CostSource::Default;
    if (costs.table.empty()) return 0;
    costs.source =
        of_device && 2 * costs.table.measured() >= costs.table.size() ? CostSource::Table : CostSource::Model;
    std::size_t points = 0;
    for (const CostRow& row : rows)
        for (const CostPoint& point : row.points) {
            if (++points > kMaxPoints) return costs.table.size();
            const std::optional<CostClass> job = sample_of(row.jobs, point.elements);
            if (!job || !(costs.table.time_ns(*job) > 0)) continue;
            const double expected = plain_ns(*job, resource);
            costs.operations[index_of(job->operation())].seed(
                expected, std::log2(costs.table.time_ns(*job) / expected));
        }
    return costs.table.size();
}

void CostModel::seed(CostResource resource, const std::vector<CostSample>& samples, CostSource source) {
    ResourceCosts& costs = resources_[resource];
    for (const CostSample& sample : samples) {
        if (!(sample.ns > 0)) continue;
        const Expected expected = expect(sample.job, resource);
        const std::size_t operation = index_of(sample.job.operation());
        costs.operations[operation].seed(expected.plain_ns, std::log2(sample.ns / expected.plain_ns));
        const double octaves = std::log2(sample.ns / expected.ns);
        if (expected.in_table) costs.tables[operation].seed(expected.ns, octaves);
        if (CorrectionCurve* curve = costs.classes.find_or_add(sample.job.key))
            curve->seed(expected.ns, octaves);
    }
    if (!samples.empty() && source > costs.source) costs.source = source;
}

// False: it was ignored as a cold start.
bool CostModel::observe(const CostClass& job, CostResource resource, double ns) {
    ResourceCosts& costs = resources_[resource];
    const Expected expected = expect(job, resource);
    const double octaves = std::log2(std::max(ns, 1.0) / expected.ns);
    CorrectionCurve* curve = costs.classes.find_or_add(job.key);
    if (curve == nullptr) return true;
    if (octaves > expected.parent.octaves + kColdOctaves && curve->skip_first()) return false;
    if (curve->warms_up(expected.ns)) return false;
    curve->observe(expected.ns, octaves, expected.parent);
    const std::size_t operation = index_of(job.operation());
    if (expected.in_table) costs.tables[operation].observe(expected.ns, octaves, kTable, kOperationWeight);
    costs.operations[operation].observe(expected.plain_ns, std::log2(std::max(ns, 1.0) / expected.plain_ns),
                                        kPlain, kOperationWeight);
    return true;
}

void CostModel::learn(const MeasuredJob& measured) {
    const CostClass& job = measured.job;
    if (measured.cold || std::max(job.plan_ns, measured.predicted_ns) < kMinNs) return;
    const CostResource resource = resource_of(measured.target, measured.gpu_kind);
    const auto ns = static_cast<double>(measured.measured_ns);
    if (!observe(job, resource, ns)) return;
    records_[index_of(job.operation())].add(measured.predicted_ns, measured.measured_ns);
    const auto plan_ns = static_cast<double>(job.plan_ns);
    resources_[resource].ratios[index_of(job.operation())].add(ns / plan_ns, plan_ns);
    if (resource != kPool) return;
    if (measured.threads == 1) {
        (void)observe(job, kOneThread, ns);
        resources_[kOneThread].ratios[index_of(job.operation())].add(ns / plan_ns, plan_ns);
        return;
    }
    const Expected expected = expect(job, kOneThread);
    if (CorrectionCurve* curve = resources_[kOneThread].classes.find_or_add(job.key))
        curve->lower(expected.ns, std::log2(std::max(ns * measured.threads, 1.0) / expected.ns),
                     expected.parent);
}

// A lower bound of the time, regardless of other measurements.
void CostModel::learn_overrun(const CostClass& job, std::uint64_t spent_ns) {
    if (predict_ns(job, kOneThread) >= spent_ns) return;
    const Expected expected = expect(job, kOneThread);
    CorrectionCurve* curve = resources_[kOneThread].classes.find_or_add(job.key);
    if (curve != nullptr) curve->raise(expected.ns, std::log2(static_cast<double>(spent_ns) / expected.ns));
}

CostModel::Evidence CostModel::evidence(const CostClass& job, CostResource resource) const {
    const CorrectionCurve* curve = resources_[resource].classes.find(job.key);
    if (curve == nullptr) return {};
    const double ns = expect(job, resource).ns;
    return {curve->seen(ns), curve->elsewhere(ns)};
}

void CostModel::note_elsewhere(const CostClass& job, CostResource resource) noexcept {
    CorrectionCurve* curve = resources_[resource].classes.find_or_add(job.key);
    if (curve != nullptr) curve->note_elsewhere(expect(job, resource).ns);
}

void CostModel::note_trial(const CostClass& job, CostResource resource) noexcept {
    CorrectionCurve* curve = resources_[resource].classes.find_or_add(job.key);
    if (curve != nullptr) curve->note_trial(expect(job, resource).ns);
}

double CostModel::correction(Operation operation, CostResource resource) const {
    return resource < resources_.size() ? resources_[resource].ratios[index_of(operation)].factor : 1;
}

// The mean over the planned time at first, then a moving one.
void CostModel::PlanRatio::add(double ratio, double plan_ns) {
    ratio = std::clamp(ratio, factor / kMaxStep, factor * kMaxStep);
    seen_ns += plan_ns;
    const double moving = 0.125 * std::min(1.0, plan_ns / kLongNs);
    const double weight = std::max(moving, std::min(0.5, plan_ns / seen_ns));
    factor = std::clamp(factor + weight * (ratio - factor), kMinRatio, kMaxRatio);
}

}  // namespace tegu::daemon
