// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/cpu_bench.h"

#include <algorithm>
#include <chrono>

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

// Copies of small inputs rotate through this much memory: more than the per-core caches. A shared cache may
// hold them, as it holds data that a client has just written.
constexpr std::uint64_t kRotatedBytes = 32 << 20;
constexpr std::uint64_t kMaxCopies = 64;

class CpuJob final : public MeasuredJob {
  public:
    CpuJob(std::shared_ptr<const Reference> reference, kernels::ThreadPool& pool)
        : reference_(std::move(reference)), pool_(pool) {
        const std::uint64_t bytes = std::max<std::uint64_t>(1, reference_->input_bytes());
        const std::uint64_t copies = std::clamp<std::uint64_t>(kRotatedBytes / bytes, 1, kMaxCopies);
        for (std::uint64_t copy = 0; copy < copies; ++copy) inputs_.push_back(copy_inputs(copy == 0));
        for (const ArraySpec& spec : reference_->plan.outputs) {
            outputs_.emplace_back(array_bytes(spec));
            views_.push_back({outputs_.back().data()});
        }
    }

    Result<RunTime> run(const tuning::PolicySet& policies, const kernels::StopToken& stop) override {
        const Result<kernels::JobPlan> plan = kernels::plan_job(reference_->job, policies.cpu);
        if (!plan) return plan.error();
        const Clock::time_point begin = Clock::now();
        const Result<kernels::RunReport> report = run_once(*plan, policies, stop);
        const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        if (!report) return report.error();
        return RunTime{us, us};
    }

    Result<std::string> check(const tuning::PolicySet& policies, const kernels::StopToken& stop) override {
        for (std::vector<std::byte>& output : outputs_)
            std::fill(output.begin(), output.end(), std::byte{0x5a});
        const Result<kernels::JobPlan> plan = kernels::plan_job(reference_->job, policies.cpu);
        if (!plan) return plan.error();
        const Result<kernels::RunReport> report = run_once(*plan, policies, stop);
        if (!report) return report.error();
        std::vector<const std::byte*> outputs;
        for (const std::vector<std::byte>& output : outputs_) outputs.push_back(output.data());
        return difference(*reference_, outputs, *report);
    }

  private:
    std::vector<kernels::InputView> copy_inputs(bool first) {
        std::vector<kernels::InputView> views;
        for (const HostArray& input : reference_->inputs) {
            const std::byte* data = input.get();
            if (!first) {
                copies_.emplace_back(data, data + reference_->input_bytes());
                data = copies_.back().data();
            }
            views.push_back({data, reference_->job.cols});
        }
        return views;
    }

    Result<kernels::RunReport> run_once(const kernels::JobPlan& plan, const tuning::PolicySet& policies,
                                        const kernels::StopToken& stop) {
        const std::vector<kernels::InputView>& inputs = inputs_[turn_++ % inputs_.size()];
        return kernels::run_job(reference_->job, plan, inputs, views_,
                                kernels::CpuContext{&pool_, policies.cpu}, stop);
    }

    std::shared_ptr<const Reference> reference_;
    kernels::ThreadPool& pool_;
    std::vector<std::vector<std::byte>> copies_;
    std::vector<std::vector<kernels::InputView>> inputs_;
    std::vector<std::vector<std::byte>> outputs_;
    std::vector<kernels::OutputView> views_;
    std::size_t turn_ = 0;
};

class CpuBench final : public Bench {
  public:
    explicit CpuBench(kernels::ThreadPool& pool) : pool_(pool) {}
    TuningBackend backend() const override { return TuningBackend::Cpu; }
    Result<std::unique_ptr<MeasuredJob>> prepare(std::shared_ptr<const Reference> reference) override {
        return std::unique_ptr<MeasuredJob>(std::make_unique<CpuJob>(std::move(reference), pool_));
    }

  private:
    kernels::ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<Bench> make_cpu_bench(kernels::ThreadPool& pool) {
    return std::make_unique<CpuBench>(pool);
}

}  // namespace tegu::tune
