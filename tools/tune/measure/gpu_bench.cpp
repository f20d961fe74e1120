// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/gpu_bench.h"

#include <algorithm>
#include <chrono>

#include "tools/tune/measure/device_arrays.h"
#include "tools/tune/measure/stopwatch.h"

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kCaches = 4;  // copies take turns through so many times the L2 cache
constexpr std::uint64_t kAlignment = 256;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// All copies are consecutive in one allocation: inputs, then outputs, then the next copy.
class GpuJob final : public MeasuredJob {
  public:
    GpuJob(std::shared_ptr<const Reference> reference, device::Gpu& gpu, device::Stream stream,
           Stopwatch& stopwatch)
        : reference_(std::move(reference)),
          gpu_(gpu),
          stream_(stream),
          stopwatch_(stopwatch),
          arrays_(gpu, stream) {
        input_stride_ = aligned(reference_->input_bytes());
        stride_ = reference_->inputs.size() * input_stride_;
        for (const ArraySpec& spec : reference_->plan.outputs) {
            output_offsets_.push_back(stride_);
            stride_ += aligned(array_bytes(spec));
            results_.emplace_back(reference_->outputs.empty() ? 0 : array_bytes(spec));
        }
        inputs_.resize(reference_->inputs.size());
        outputs_.resize(reference_->plan.outputs.size());
    }

    Result<void> place(std::uint64_t memory_bytes) {
        const std::uint64_t wanted = kCaches * gpu_.info().limits.l2_bytes / stride_ + 2;
        copies_ = std::max<std::uint64_t>(1, std::min(wanted, memory_bytes / stride_));
        const Result<std::byte*> memory = arrays_.allocate(copies_ * stride_);
        if (!memory) return memory.error();
        memory_ = *memory;
        Result<void> done;
        for (std::size_t i = 0; i < inputs_.size() && done; ++i)
            done = arrays_.copy(memory_ + i * input_stride_, reference_->inputs[i].get(),
                                reference_->input_bytes());
        // Each step doubles the number of copies.
        for (std::uint64_t there = 1; there < copies_ && done; there *= 2)
            done =
                arrays_.copy(memory_ + there * stride_, memory_, std::min(there, copies_ - there) * stride_);
        return done;
    }

    Result<RunTime> run(const tuning::PolicySet& policies, const kernels::StopToken& stop) override {
        point_to(turn_++ % copies_);
        const Clock::time_point begin = Clock::now();
        Result<void> started = stopwatch_.start(stream_);
        if (!started) return std::move(started).error();
        const Result<kernels::RunReport> report = run_there(policies, stop);
        if (!report) return report.error();
        const double wall_us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        const Result<double> us = stopwatch_.stop(stream_);
        if (!us) return us.error();
        return RunTime{*us, wall_us};
    }

    Result<std::string> check(const tuning::PolicySet& policies, const kernels::StopToken& stop) override {
        point_to(turn_++ % copies_);
        Result<void> done;
        for (std::size_t o = 0; o < results_.size() && done; ++o)
            done = arrays_.poison(outputs_[o].data, results_[o].size());
        if (!done) return std::move(done).error();
        const Result<kernels::RunReport> report = run_there(policies, stop);
        if (!report) return report.error();
        std::vector<const std::byte*> outputs;
        for (std::size_t o = 0; o < results_.size() && done; ++o) {
            done = arrays_.copy(results_[o].data(), outputs_[o].data, results_[o].size());
            outputs.push_back(results_[o].data());
        }
        if (!done) return std::move(done).error();
        return difference(*reference_, outputs, *report);
    }

  private:
    void point_to(std::uint64_t copy) {
        std::byte* const begin = memory_ + copy * stride_;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            inputs_[i] = {begin + i * input_stride_, reference_->job.cols};
        for (std::size_t o = 0; o < outputs_.size(); ++o) outputs_[o] = {begin + output_offsets_[o]};
    }

    Result<kernels::RunReport> run_there(const tuning::PolicySet& policies, const kernels::StopToken& stop) {
        return gpu_.run({reference_->job, reference_->plan.parts, inputs_, outputs_, stop}, stream_,
                        cuda::JobPolicies{&policies.cuda});
    }

    std::shared_ptr<const Reference> reference_;
    device::Gpu& gpu_;
    const device::Stream stream_;
    Stopwatch& stopwatch_;
    DeviceArrays arrays_;
    std::uint64_t input_stride_ = 0, stride_ = 0;  // bytes from one input, one copy, to the next
    std::vector<std::uint64_t> output_offsets_;    // in a copy
    std::byte* memory_ = nullptr;                  // of all copies
    std::uint64_t copies_ = 0;
    std::uint64_t turn_ = 0;
    std::vector<kernels::InputView> inputs_;  // of the copy at hand
    std::vector<kernels::OutputView> outputs_;
    std::vector<std::vector<std::byte>> results_;  // on the host
};

class GpuBench final : public Bench {
  public:
    GpuBench(device::Gpu& gpu, std::uint64_t memory_bytes) : gpu_(gpu), memory_bytes_(memory_bytes) {}
    ~GpuBench() override {
        stopwatch_.reset();
        if (stream_ != nullptr) gpu_.destroy_stream(stream_);
    }

    Result<void> open() {
        const Result<device::Stream> stream = gpu_.create_stream();
        if (!stream) return stream.error();
        stream_ = *stream;
        Result<std::unique_ptr<Stopwatch>> stopwatch = make_stopwatch(gpu_);
        if (!stopwatch) return std::move(stopwatch).error();
        stopwatch_ = std::move(*stopwatch);
        return {};
    }

    TuningBackend backend() const override { return TuningBackend::Cuda; }
    Result<std::unique_ptr<MeasuredJob>> prepare(std::shared_ptr<const Reference> reference) override {
        auto job = std::make_unique<GpuJob>(std::move(reference), gpu_, stream_, *stopwatch_);
        Result<void> placed = job->place(memory_bytes_);
        if (!placed) return std::move(placed).error();
        return std::unique_ptr<MeasuredJob>(std::move(job));
    }

  private:
    device::Gpu& gpu_;
    const std::uint64_t memory_bytes_;
    device::Stream stream_ = nullptr;
    std::unique_ptr<Stopwatch> stopwatch_;
};

}  // namespace

Result<std::unique_ptr<Bench>> make_gpu_bench(device::Gpu& gpu, std::uint64_t memory_bytes) {
    auto bench = std::make_unique<GpuBench>(gpu, memory_bytes);
    Result<void> opened = bench->open();
    if (!opened) return std::move(opened).error();
    return std::unique_ptr<Bench>(std::move(bench));
}

}  // namespace tegu::tune
