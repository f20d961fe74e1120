// SPDX-License-Identifier: Apache-2.0
// For the tests of histogram, entropy and fused: runs one job, and makes elements of every type and shape
// that is nasty to count.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/operation.h"
#include "tests/kernels/execution/every_type.h"

namespace tegu::test {

struct Ran {
    Result<kernels::RunReport> report = make_error(Status::Internal, "not run");
    kernels::JobPlan plan;
    std::vector<std::vector<std::uint64_t>> arrays;  // 64-bit storage, so that every array is aligned

    template <class V>
    V at(std::size_t array, std::uint64_t index) const {
        V value;
        std::memcpy(&value, reinterpret_cast<const char*>(arrays[array].data()) + index * sizeof(V),
                    sizeof value);
        return value;
    }
};

// Plans and runs; an error of the plan stands in the report.
inline Ran run_counting(const Job& job, const void* data, std::uint64_t row_stride = 0,
                        kernels::ThreadPool* pool = nullptr, const kernels::StopToken& stop = {}) {
    Ran ran;
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        ran.report = plan.error();
        return ran;
    }
    ran.plan = *plan;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        ran.arrays.emplace_back(array_bytes(spec) / 8 + 1, 0xa5a5a5a5a5a5a5a5u);
        outputs.push_back(kernels::OutputView{reinterpret_cast<std::byte*>(ran.arrays.back().data())});
    }
    const kernels::InputView input{static_cast<const std::byte*>(data),
                                   row_stride == 0 ? job.cols : row_stride};
    ran.report = kernels::run_job(job, Span<const kernels::InputView>(&input, 1), outputs, pool, stop);
    return ran;
}

inline Job counting_job(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols,
                        const JobParams& params) {
    Job job;
    job.type = type;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = params;
    return job;
}

// The error of the job's plan.
inline Error plan_error(const Job& job) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    EXPECT_FALSE(plan.ok());
    return plan ? Error{} : plan.error();
}

// The parameters of histogram or entropy with a range.
template <class Params>
Params with_range(Params params, double lo, double hi) {
    params.has_range = true;
    params.lo = lo;
    params.hi = hi;
    return params;
}

// A job that is cancelled or late when it starts ends with that status, on one thread and on several.
inline void expect_stops(const Job& job, const void* data) {
    const std::atomic<bool> cancelled{true};
    const kernels::StopToken cancel(&cancelled, kernels::StopToken::Clock::time_point::max());
    const kernels::StopToken late(nullptr, kernels::StopToken::Clock::now() - std::chrono::seconds(1));
    for (kernels::ThreadPool* pool : {static_cast<kernels::ThreadPool*>(nullptr), &pool_of(2)}) {
        EXPECT_EQ(run_counting(job, data, 0, pool, cancel).report.error().status, Status::Cancelled);
        EXPECT_EQ(run_counting(job, data, 0, pool, late).report.error().status, Status::DeadlineExceeded);
    }
}

// For typed tests: random numbers, and one thread or pools.
template <std::uint64_t seed>
class RandomWithPools : public testing::Test {
  protected:
    std::uint64_t seed_ = seed;
    std::mt19937_64 random_{seed};
    kernels::ThreadPool* pools_[3] = {nullptr, &pool_of(2), &pool_of(7)};
};

// How the elements of a test are made.
// any bits; near zero with many ties; one value; runs of few values
enum class Fill { Bits, Small, Equal, Runs };

template <class T>
T element_from(std::mt19937_64& random, Fill fill) {
    std::uint64_t bits = random();
    if (fill == Fill::Small) {
        const int small = static_cast<int>(bits % 201) - 100;
        if constexpr (std::is_same<T, Half>::value)
            return float_to_half(static_cast<float>(small) / 8);
        else if constexpr (std::is_floating_point<T>::value)
            return static_cast<T>(small) / 8;
        else
            return static_cast<T>(std::is_signed<T>::value ? small : small + 100);
    }
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T>
std::vector<T> elements_of(std::mt19937_64& random, std::size_t n, Fill fill) {
    std::vector<T> x(n);
    T current = element_from<T>(random, Fill::Small);
    for (T& value : x) {
        if (fill == Fill::Bits || fill == Fill::Small || (fill == Fill::Runs && random() % 20 == 0))
            current = element_from<T>(random, fill == Fill::Bits ? Fill::Bits : Fill::Small);
        value = current;
    }
    return x;
}

// The element as f64; exact but for 64-bit integers.
inline double as_f64(Half value) {
    return static_cast<double>(half_to_float(value));
}
template <class T>
double as_f64(T value) {
    return static_cast<double>(value);
}

}  // namespace tegu::test
