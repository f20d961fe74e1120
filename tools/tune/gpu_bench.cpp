// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/gpu_bench.h"

#include <algorithm>
#include <chrono>

#include "tools/tune/device_arrays.h"
#include "tools/tune/stopwatch.h"

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kCaches = 4;  // copies take turns through so many times the L2 cache
constexpr std::uint64_t kMostCopies = 256;

class GpuJob final : public MeasuredJob {
  public:
    GpuJob(std::shared_ptr<const Reference> reference, device::Gpu& gpu, device::Stream stream,
           Stopwatch& stopwatch)
        : reference_(std::move(reference)),
          gpu_(gpu),
          stream_(stream),
          stopwatch_(stopwatch),
          arrays_(gpu, stream) {}

    Result<void> place(std::uint64_t memory_bytes) {
        const std::uint64_t bytes = std::max<std::uint64_t>(256, copy_bytes());
        const std::uint64_t wanted = std::min(kMostCopies, kCaches * gpu_.info().limits.l2_bytes / bytes + 2);
        const std::uint64_t copies = std::max<std::uint64_t>(1, std::min(wanted, memory_bytes / bytes));
        for (std::uint64_t copy = 0; copy < copies; ++copy) {
            Result<void> placed = place_copy();
            if (!placed) return placed;
        }
        for (const ArraySpec& spec : reference_->plan.outputs) results_.emplace_back(array_bytes(spec));
        return {};
    }

    Result<RunTime> run(const tuning::PolicySet& policies, const kernels::StopToken& stop) override {
        const Clock::time_point begin = Clock::now();
        Result<void> started = stopwatch_.start(stream_);
        if (!started) return std::move(started).error();
        const Result<kernels::RunReport> report = run_copy(turn_++ % copies_.size(), policies, stop);
        if (!report) return report.error();
        const double wall_us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        const Result<double> us = stopwatch_.stop(stream_);
        if (!us) return us.error();
        return RunTime{*us, wall_us};
    }

    Result<std::string> check(const tuning::PolicySet& policies, const kernels::StopToken& stop) override {
        const std::size_t copy = turn_++ % copies_.size();
        Result<void> done;
        for (std::size_t o = 0; o < results_.size() && done; ++o)
            done = arrays_.poison(copies_[copy].outputs[o].data, results_[o].size());
        if (!done) return std::move(done).error();
        const Result<kernels::RunReport> report = run_copy(copy, policies, stop);
        if (!report) return report.error();
        std::vector<const std::byte*> outputs;
        for (std::size_t o = 0; o < results_.size() && done; ++o) {
            done = arrays_.copy(results_[o].data(), copies_[copy].outputs[o].data, results_[o].size());
            outputs.push_back(results_[o].data());
        }
        if (!done) return std::move(done).error();
        return difference(*reference_, outputs, *report);
    }

  private:
    struct Copy {
        std::vector<kernels::InputView> inputs;
        std::vector<kernels::OutputView> outputs;
    };

    std::uint64_t copy_bytes() const {
        std::uint64_t bytes = reference_->inputs.size() * reference_->input_bytes();
        for (const ArraySpec& spec : reference_->plan.outputs) bytes += array_bytes(spec);
        return bytes;
    }

    // The first copy comes from the host, the others from the first.
    Result<void> place_copy() {
        Copy made;
        for (std::size_t i = 0; i < reference_->inputs.size(); ++i) {
            const std::byte* from = copies_.empty() ? reference_->inputs[i].get() : copies_[0].inputs[i].data;
            const Result<std::byte*> memory = arrays_.allocate(reference_->input_bytes());
            if (!memory) return memory.error();
            Result<void> copied = arrays_.copy(*memory, from, reference_->input_bytes());
            if (!copied) return copied;
            made.inputs.push_back({*memory, reference_->job.cols});
        }
        for (const ArraySpec& spec : reference_->plan.outputs) {
            const Result<std::byte*> memory = arrays_.allocate(array_bytes(spec));
            if (!memory) return memory.error();
            made.outputs.push_back({*memory});
        }
        copies_.push_back(std::move(made));
        return {};
    }

    Result<kernels::RunReport> run_copy(std::size_t copy, const tuning::PolicySet& policies,
                                        const kernels::StopToken& stop) {
        return gpu_.run(reference_->job, copies_[copy].inputs, copies_[copy].outputs, stream_, stop,
                        cuda::JobPolicies{&policies.cuda});
    }

    std::shared_ptr<const Reference> reference_;
    device::Gpu& gpu_;
    const device::Stream stream_;
    Stopwatch& stopwatch_;
    DeviceArrays arrays_;
    std::vector<Copy> copies_;
    std::vector<std::vector<std::byte>> results_;  // on the host
    std::size_t turn_ = 0;
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
