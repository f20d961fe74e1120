// SPDX-License-Identifier: Apache-2.0
// Runs one reduce job and gives its results by statistic, for the tests of reduce.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"

namespace tegu::test {

const std::uint64_t kReduceSizes[] = {1,    2,    31,   32,   33,    127,   128,   129,
                                      1023, 1024, 1025, 5000, 16383, 16384, 16385, 100001};

inline StatisticSet set_of(std::initializer_list<Statistic> statistics) {
    StatisticSet set = 0;
    for (Statistic s : statistics) set |= statistic_bit(s);
    return set;
}

inline Job reduce_job(ElementType type, std::uint64_t cols, StatisticSet set, bool skip_nans = false,
                      std::uint32_t ddof = 0) {
    Job job;
    job.type = type;
    job.cols = cols;
    ReduceParams params;
    params.statistics = set;
    params.skip_nans = skip_nans;
    params.ddof = ddof;
    job.params = params;
    return job;
}

inline Job reduce_rows_job(ElementType type, std::uint64_t rows, std::uint64_t cols, StatisticSet set) {
    Job job = reduce_job(type, cols, set);
    job.axis = Axis::Rows;
    job.rows = rows;
    return job;
}

struct ReduceResult {
    Result<kernels::RunReport> report = make_error(Status::Internal, "not run");
    kernels::JobPlan plan;
    std::vector<std::vector<std::uint64_t>> arrays;  // 64-bit storage, so that every array is aligned

    const void* array(Statistic statistic) const {
        for (std::size_t i = 0; i < plan.outputs.size(); ++i)
            if (plan.outputs[i].role == role_of(statistic)) return arrays[i].data();
        ADD_FAILURE() << "no array for statistic " << static_cast<int>(statistic);
        return nullptr;
    }
    template <class V>
    V at(Statistic statistic, std::uint64_t index = 0) const {
        V value;
        std::memcpy(&value, static_cast<const char*>(array(statistic)) + index * sizeof(V), sizeof value);
        return value;
    }
};

inline ReduceResult run_reduce_job(const Job& job, const void* data, std::uint64_t row_stride = 0,
                                   kernels::ThreadPool* pool = nullptr, const kernels::StopToken& stop = {}) {
    ReduceResult result;
    Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        result.report = plan.error();
        return result;
    }
    result.plan = *plan;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        result.arrays.emplace_back(array_bytes(spec) / 8 + 1, 0xa5a5a5a5a5a5a5a5u);
        outputs.push_back(kernels::OutputView{reinterpret_cast<std::byte*>(result.arrays.back().data())});
    }
    const kernels::InputView input{static_cast<const std::byte*>(data),
                                   row_stride == 0 ? job.cols : row_stride};
    result.report = kernels::run_job(job, Span<const kernels::InputView>(&input, 1), outputs, pool, stop);
    return result;
}

}  // namespace tegu::test
