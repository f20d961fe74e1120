// SPDX-License-Identifier: Apache-2.0
// What the tests of top-k share: jobs, running them on elements laid out with gaps, and checking a row
// against the reference order.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/operation.h"
#include "tests/kernels/execution/every_type.h"
#include "tests/kernels/topk/reference.h"

namespace tegu::kernels {

using test::kSanitized;
using test::pool_of;

struct Case {
    Job job;
    std::uint64_t row_stride = 0;  // 0: cols
    std::size_t offset = 0;        // bytes before the first element
};

struct Outcome {
    Result<RunReport> report = make_error(Status::Internal, "not run");
    JobPlan plan;
    std::vector<std::vector<std::byte>> arrays;

    template <class T>
    T at(std::size_t array, std::uint64_t index) const {
        T value;
        std::memcpy(&value, arrays[array].data() + index * sizeof(T), sizeof value);
        return value;
    }
};

inline bool same_arrays(const Outcome& a, const Outcome& b) {
    bool same = a.arrays.size() == b.arrays.size();
    for (std::size_t i = 0; same && i < a.arrays.size(); ++i)
        same = a.arrays[i].size() == b.arrays[i].size() &&
               std::memcmp(a.arrays[i].data(), b.arrays[i].data(), a.arrays[i].size()) == 0;
    return same;
}

inline Job topk_job(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols, std::uint64_t k,
                    bool largest, bool distinct) {
    TopkParams params;
    params.k = k;
    params.largest = largest;
    params.distinct = distinct;
    Job job;
    job.type = type;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = params;
    return job;
}

inline Outcome run_bytes(const Case& the_case, const std::byte* data, ThreadPool* pool,
                         const StopToken& stop = {}) {
    Outcome outcome;
    Result<JobPlan> plan = plan_job(the_case.job);
    if (!plan) {
        outcome.report = plan.error();
        return outcome;
    }
    outcome.plan = *plan;
    std::vector<OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        outcome.arrays.emplace_back(array_bytes(spec), std::byte{0xab});
        outputs.push_back(OutputView{outcome.arrays.back().data()});
    }
    const InputView input{data, the_case.row_stride == 0 ? the_case.job.cols : the_case.row_stride};
    outcome.report = run_job(the_case.job, Span<const InputView>(&input, 1), outputs, pool, stop);
    return outcome;
}

// Lays the elements out with the stride and offset of the case; the gaps hold what would win if it were read.
template <class T>
Outcome run_elements(const Case& the_case, const std::vector<T>& elements, ThreadPool* pool) {
    const std::uint64_t stride = the_case.row_stride == 0 ? the_case.job.cols : the_case.row_stride;
    std::vector<std::byte> memory(the_case.offset + the_case.job.rows * stride * sizeof(T) + sizeof(T),
                                  std::byte{0x7f});
    for (std::uint64_t row = 0; row < the_case.job.rows; ++row)
        std::memcpy(memory.data() + the_case.offset + row * stride * sizeof(T),
                    elements.data() + row * the_case.job.cols, the_case.job.cols * sizeof(T));
    return run_bytes(the_case, memory.data() + the_case.offset, pool);
}

// Checks one row of an outcome against the reference order.
template <class T>
void expect_row(const Outcome& outcome, std::uint64_t row, const std::vector<T>& elements,
                const std::vector<std::int64_t>& order, std::uint64_t k, bool distinct) {
    const std::uint64_t filled = std::min<std::uint64_t>(k, order.size());
    for (std::uint64_t i = 0; i < k; ++i) {
        const std::int64_t index = i < filled ? order[i] : -1;
        T value{};
        if (i < filled) value = test::canonical(elements[static_cast<std::size_t>(index)]);
        const T got = outcome.at<T>(0, row * k + i);
        const std::int64_t got_index = outcome.at<std::int64_t>(1, row * k + i);
        if (got_index != index || std::memcmp(&got, &value, sizeof(T)) != 0)  // an assertion for each is slow
            FAIL() << "row " << row << " place " << i << ": index " << got_index << ", should be " << index;
    }
    if (distinct) {
        ASSERT_EQ(outcome.at<std::uint64_t>(2, row), filled) << "row " << row;
    }
}

}  // namespace tegu::kernels
