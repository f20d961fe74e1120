// SPDX-License-Identifier: Apache-2.0
// What the tests of quantile share: jobs, running them on elements laid out with gaps, and what must come
// out: a sort, and numpy's formulas written out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/operation.h"
#include "tests/kernels/execution/every_type.h"
#include "tests/kernels/topk/reference.h"

namespace tegu::kernels {

inline const std::vector<QuantileMethod> kMethods = {QuantileMethod::Linear, QuantileMethod::Lower,
                                                     QuantileMethod::Higher, QuantileMethod::Nearest,
                                                     QuantileMethod::Midpoint};

using test::kSanitized;
using test::pool_of;

inline Job quantile_job(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols,
                        std::vector<double> q, QuantileMethod method = QuantileMethod::Linear,
                        bool skip_nans = false) {
    QuantileParams params;
    params.q = std::move(q);
    params.method = method;
    params.skip_nans = skip_nans;
    Job job;
    job.type = type;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = params;
    return job;
}

inline const QuantileParams& params_of(const Job& job) {
    return *std::get_if<QuantileParams>(&job.params);
}

inline bool interpolates(QuantileMethod method) {
    return method == QuantileMethod::Linear || method == QuantileMethod::Midpoint;
}

template <class T>
bool is_nan(T value) {
    if constexpr (test::kIsFloat<T>) return std::isnan(test::number_of(value));
    return false;
}

template <class T>
double to_f64(T value) {
    return static_cast<double>(test::number_of(value));
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// What numpy.quantile does with sorted elements, value by value.
template <class T>
double interpolated(const std::vector<T>& sorted, double q, QuantileMethod method) {
    const auto last = static_cast<double>(sorted.size() - 1);
    double at = last * q;
    if (method == QuantileMethod::Midpoint) at = 0.5 * (std::floor(at) + std::ceil(at));
    const std::size_t below = at >= last ? sorted.size() - 1 : static_cast<std::size_t>(std::floor(at));
    const std::size_t above = at >= last ? below : below + 1;
    double weight = at >= last ? at + 1 : at - std::floor(at);
    if (method == QuantileMethod::Midpoint) weight = std::fmod(at, 1) == 0 ? 0 : 0.5;
    const double a = to_f64(sorted[below]);
    const double b = to_f64(sorted[above]);
    const double difference = b - a;
    return test::canonical(weight >= 0.5 ? b - difference * (1 - weight) : a + difference * weight);
}

template <class T>
T taken(const std::vector<T>& sorted, double q, QuantileMethod method) {
    const double at = static_cast<double>(sorted.size() - 1) * q;
    const double place = method == QuantileMethod::Lower    ? std::floor(at)
                         : method == QuantileMethod::Higher ? std::ceil(at)
                                                            : std::nearbyint(at);
    return test::canonical(sorted[static_cast<std::size_t>(place)]);
}

template <class T>
T canonical_nan() {
    T value{};
    if constexpr (test::kIsFloat<T>) {
        const std::uint64_t bits = sizeof(T) == 2   ? 0x7e00u
                                   : sizeof(T) == 4 ? 0x7fc00000u
                                                    : 0x7ff8000000000000u;
        std::memcpy(&value, &bits, sizeof value);
    }
    return value;
}

// The bytes that the quantiles of one segment must have.
template <class T>
std::vector<std::byte> expected(std::vector<T> elements, const QuantileParams& params) {
    const auto nans =
        std::partition(elements.begin(), elements.end(), [](T value) { return !is_nan(value); });
    const bool none = nans == elements.begin() || (nans != elements.end() && !params.skip_nans);
    elements.erase(nans, elements.end());
    std::sort(elements.begin(), elements.end(),
              [](T a, T b) { return test::number_of(a) < test::number_of(b); });
    std::vector<std::byte> bytes;
    for (const double q : params.q) {
        const std::vector<std::byte> one =
            interpolates(params.method)
                ? bytes_of(none ? canonical_nan<double>() : interpolated(elements, q, params.method))
                : bytes_of(none ? canonical_nan<T>() : taken(elements, q, params.method));
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

struct Outcome {
    Result<RunReport> report = make_error(Status::Internal, "not run");
    JobPlan plan;
    std::vector<std::byte> quantiles;
};

inline Outcome run_bytes(const Job& job, const std::byte* data, std::uint64_t stride, ThreadPool* pool,
                         const StopToken& stop = {}) {
    Outcome outcome;
    Result<JobPlan> plan = plan_job(job);
    if (!plan) {
        outcome.report = plan.error();
        return outcome;
    }
    outcome.plan = *plan;
    outcome.quantiles.assign(array_bytes(plan->outputs[0]), std::byte{0xab});
    const OutputView output{outcome.quantiles.data()};
    const InputView input{data, stride};
    outcome.report =
        run_job(job, Span<const InputView>(&input, 1), Span<const OutputView>(&output, 1), pool, stop);
    return outcome;
}

// Lays rows out with gaps and at an odd address; the gaps hold what would change the result if it were read.
template <class T>
Outcome run_elements(const Job& job, const std::vector<T>& elements, ThreadPool* pool, std::uint64_t gap = 0,
                     std::size_t offset = 0) {
    const std::uint64_t stride = job.cols + gap;
    std::vector<std::byte> memory(offset + job.rows * stride * sizeof(T) + sizeof(T), std::byte{0x7f});
    for (std::uint64_t row = 0; row < job.rows; ++row)
        std::memcpy(memory.data() + offset + row * stride * sizeof(T), elements.data() + row * job.cols,
                    job.cols * sizeof(T));
    return run_bytes(job, memory.data() + offset, stride, pool);
}

inline std::vector<double> many(std::size_t count) {
    std::vector<double> q;
    for (std::size_t i = 0; i < count; ++i)
        q.push_back(static_cast<double>(i * 37 % count) / static_cast<double>(count - 1));
    return q;
}

// The same job on one, two and seven threads.
template <class T>
void check(const Job& job, const std::vector<T>& elements, const std::string& what) {
    SCOPED_TRACE(what + " method " + std::to_string(static_cast<int>(params_of(job).method)) +
                 (params_of(job).skip_nans ? " skip_nans" : ""));
    const std::vector<std::byte> want = expected(elements, params_of(job));
    for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &pool_of(7), &pool_of(2)}) {
        if (pool != nullptr && (job.cols * job.rows <= 8192 || (pool == &pool_of(2) && kSanitized))) break;
        const Outcome outcome = run_elements(job, elements, pool);
        ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
        ASSERT_EQ(outcome.quantiles, want)
            << (pool == nullptr ? 1 : pool->threads()) << " threads, " << outcome.report->policy.text();
    }
}

}  // namespace tegu::kernels
