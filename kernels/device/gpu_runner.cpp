// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/gpu_runner.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <string>

namespace tegu::device {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t nanoseconds_since(Clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// From the first to the last element.
std::uint64_t extent_bytes(const Job& job, const kernels::InputView& view) {
    if (job.rows == 0 || job.cols == 0) return 0;
    return ((job.rows - 1) * view.row_stride + job.cols) * element_bytes(job.type);
}

Arena::Kind arena_kind(MemoryClass memory_class) {
    return memory_class == MemoryClass::Discrete ? Arena::Kind::Device : Arena::Kind::Managed;
}

}  // namespace

struct GpuRunner::Temporaries {
    std::array<Staging, 2> inputs;
    Staging output;
};

GpuRunner::GpuRunner(Gpu& gpu, Stream stream, const GpuRunnerLimits& limits)
    : gpu_(gpu),
      stream_(stream),
      arena_(gpu, arena_kind(gpu.info().memory_class), limits.arena_bytes),
      clients_(gpu, gpu.info().memory_class, arena_, stream),
      temporaries_(new Temporaries()) {}

Result<std::unique_ptr<GpuRunner>> GpuRunner::create(Gpu& gpu, const GpuRunnerLimits& limits) {
    Result<Stream> stream = gpu.create_stream();
    if (!stream) return std::move(stream).error();
    return std::unique_ptr<GpuRunner>(new GpuRunner(gpu, *stream, limits));
}

// The stream ends after all that is attached to it.
GpuRunner::~GpuRunner() {
    temporaries_.reset();
    clients_.drop_all();
    gpu_.destroy_stream(stream_);
}

Result<kernels::RunReport> GpuRunner::run(const Job& job, const kernels::JobPlan& plan, Span<const GpuInput> inputs,
                                          const GpuOutput& output, const kernels::StopToken& stop, GpuCost& cost) {
    cost = GpuCost();
    Result<kernels::RunReport> report = run_placed(job, plan, inputs, output, stop, cost);
    if (!report) {
        // A copy that was begun may still read memory that its owner gives back next.
        Result<void> ended = gpu_.synchronize(stream_);
        if (!ended) report = std::move(ended).error();
    }
    *temporaries_ = Temporaries();
    clients_.end_job();
    return report;
}

Result<kernels::RunReport> GpuRunner::run_placed(const Job& job, const kernels::JobPlan& plan,
                                                 Span<const GpuInput> inputs, const GpuOutput& output,
                                                 const kernels::StopToken& stop, GpuCost& cost) {
    assert(inputs.size() <= temporaries_->inputs.size() && output.offsets.size() == plan.outputs.size());
    Result<std::byte*> placed = place_output(output, cost.moved);
    if (!placed) return std::move(placed).error();
    std::array<kernels::InputView, 2> sources;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Result<std::byte*> data = place_input(job, inputs[i], *placed, temporaries_->inputs[i], stop, cost.moved);
        if (!data) return std::move(data).error();
        sources[i] = {*data, inputs[i].view.row_stride};
    }
    const bool staged = *placed == nullptr;
    if (staged) {
        const std::uint64_t bytes =
            output.offsets.empty() ? 0 : output.offsets[output.offsets.size() - 1] + array_bytes(plan.outputs.back());
        Result<Staging> made = clients_.stage(bytes);
        if (!made) return std::move(made).error();
        temporaries_->output = std::move(made).value();
        placed = temporaries_->output.give(stream_);
        if (!placed) return std::move(placed).error();
    }
    std::vector<kernels::OutputView> targets;
    for (const std::uint64_t offset : output.offsets) targets.push_back({*placed + offset});
    const Clock::time_point start = Clock::now();
    cost.started = !staged;
    Result<kernels::RunReport> report =
        gpu_.run(job, Span<const kernels::InputView>(sources.data(), inputs.size()), targets, stream_, stop);
    cost.compute_ns = nanoseconds_since(start);
    if (!report) return report;
    if (staged) {
        cost.started = true;
        Result<void> back = bring_back(plan, *report, output, temporaries_->output, cost);
        if (!back) return std::move(back).error();
    }
    report->policy += " memory=" + std::string(memory_class_word(memory_class()));
    if (!cost.moved.note.empty()) report->policy += " copied: " + cost.moved.note;
    return report;
}

Result<std::byte*> GpuRunner::place_output(const GpuOutput& output, MoveCost& cost) {
    if (memory_class() == MemoryClass::C) return output.data;
    if (output.buffer == nullptr) return static_cast<std::byte*>(nullptr);
    return clients_.write(*output.buffer, output.begin, cost);
}

Result<std::byte*> GpuRunner::place_input(const Job& job, const GpuInput& input, std::byte* output, Staging& temporary,
                                          const kernels::StopToken& stop, MoveCost& cost) {
    if (input.is_output && output != nullptr) return output;
    if (memory_class() == MemoryClass::C) return const_cast<std::byte*>(input.view.data);
    if (input.buffer != nullptr && !input.is_output)
        return clients_.read(*input.buffer, input.range, temporary, stop, cost);
    const std::uint64_t bytes = extent_bytes(job, input.view);
    const Clock::time_point start = Clock::now();
    Result<Staging> made = clients_.stage(bytes);
    if (!made) return std::move(made).error();
    temporary = std::move(made).value();
    Result<void> written = temporary.write(0, input.view.data, bytes, stream_, stop);
    if (!written) return std::move(written).error();
    cost.bytes_copied += bytes;
    cost.copy_ns += nanoseconds_since(start);
    return temporary.give(stream_);
}

// Only what kernels filled: the rest of the memory holds what an earlier job of somebody else left there.
Result<void> GpuRunner::bring_back(const kernels::JobPlan& plan, const kernels::RunReport& report,
                                   const GpuOutput& output, Staging& from, GpuCost& cost) {
    const Clock::time_point start = Clock::now();
    std::vector<Staging::Piece> pieces;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const ArraySpec& spec = plan.outputs[i];
        const std::uint64_t filled = std::min(report.filled_columns[i], spec.cols);
        const std::uint64_t row = spec.cols * element_bytes(spec.type);
        const bool whole = filled == spec.cols;
        const std::uint64_t bytes = whole ? array_bytes(spec) : filled * element_bytes(spec.type);
        for (std::uint64_t r = 0; r < (whole ? 1 : spec.rows); ++r) {
            pieces.push_back({output.offsets[i] + r * row, output.data + output.offsets[i] + r * row, bytes});
            cost.moved.bytes_copied += bytes;
        }
    }
    Result<void> read = from.read(pieces, stream_);
    cost.moved.copy_ns += nanoseconds_since(start);
    return read;
}

}  // namespace tegu::device
