// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/gpu_probe.h"

#include <array>
#include <new>
#include <numeric>
#include <string>

namespace tegu::device {
namespace {

constexpr std::size_t kNumbers = 4096;
constexpr std::int64_t kSum = kNumbers * (kNumbers + 1) / 2;

Result<std::int64_t> sum_on(GpuRunner& runner, const Job& job) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) return plan.error();
    std::array<std::int32_t, kNumbers> numbers;
    std::iota(numbers.begin(), numbers.end(), 1);
    JobInput input;
    input.view = {reinterpret_cast<const std::byte*>(numbers.data()), kNumbers};
    std::int64_t sum = 0;
    JobOutput output;
    output.data = reinterpret_cast<std::byte*>(&sum);
    output.offsets = {0};
    GpuCost cost;
    const Result<kernels::RunReport> done =
        runner.run(job, *plan, {&input, 1}, output, kernels::StopToken(), cost);
    if (!done) return done.error();
    return sum;
}

}  // namespace

Result<void> probe_gpu(GpuRunner& runner) {
    Job job;
    job.type = ElementType::I32;
    job.rows = 1;
    job.cols = kNumbers;
    job.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    try {
        const Result<std::int64_t> sum = sum_on(runner, job);
        if (!sum)
            return sum.error().status == Status::DeviceLost ? Result<void>(sum.error()) : Result<void>();
        if (*sum == kSum) return {};
        return make_error(Status::Internal, "the GPU computes wrong sums: " + std::to_string(*sum) +
                                                " instead of " + std::to_string(kSum));
    } catch (const std::bad_alloc&) {
        return {};
    }
}

}  // namespace tegu::device
