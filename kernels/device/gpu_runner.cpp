// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/gpu_runner.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cstring>
#include <new>
#include <string>

namespace tegu::device {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kLanes = 4;
// Kernels write results up to this size to memory of the host.
constexpr std::uint64_t kResultBytes = 4096;

std::uint64_t nanoseconds_since(Clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// Bytes from the first to the last element.
std::uint64_t extent_bytes(const Job& job, const kernels::InputView& view) {
    if (job.rows == 0 || job.cols == 0) return 0;
    return ((job.rows - 1) * view.row_stride + job.cols) * element_bytes(job.type);
}

bool in_place(Span<const JobInput> inputs) {
    return std::any_of(inputs.begin(), inputs.end(), [](const JobInput& input) { return input.is_output; });
}

Arena::Kind arena_kind(MemoryClass memory_class) {
    return memory_class == MemoryClass::Discrete ? Arena::Kind::Device : Arena::Kind::Managed;
}

// Offsets of the arrays in staging memory: as in the output, or packed without the gaps between them.
std::vector<std::uint64_t> staged_offsets(const kernels::JobPlan& plan, const JobOutput& output) {
    if (output.rows == 0) return output.offsets;
    constexpr std::uint64_t kAligned = 256;
    std::vector<std::uint64_t> offsets;
    std::uint64_t end = 0;
    for (const ArraySpec& spec : plan.outputs) {
        offsets.push_back(end);
        end = (end + array_bytes(spec) + kAligned - 1) / kAligned * kAligned;
    }
    return offsets;
}

}  // namespace

// A stream, and what its current job has.
struct GpuRunner::Lane {
    Stream stream = nullptr;
    void* results = nullptr;  // pinned, kResultBytes; null: none
    std::array<Staging, 2> inputs;
    Staging output;
    cuda::JobPolicies policies;
    bool ran = false;           // its kernels were started
    std::uint64_t lent_ns = 0;  // to jobs within, so far
};

// Cleans up after a job, however it ends.
class GpuRunner::JobEnd {
  public:
    explicit JobEnd(GpuRunner& runner) : runner_(runner) {
        if (runner_.depth_ > 1) runner_.clients_.begin_beside(runner_.lane().stream);
    }
    ~JobEnd() { runner_.end_job(complete_); }
    JobEnd(const JobEnd&) = delete;
    JobEnd& operator=(const JobEnd&) = delete;
    void complete() { complete_ = true; }

  private:
    GpuRunner& runner_;
    bool complete_ = false;
};

// Takes a lane for a job.
class GpuRunner::Taken {
  public:
    explicit Taken(GpuRunner& runner) : runner_(runner) { ++runner_.depth_; }
    ~Taken() {
        if (--runner_.depth_ > 0) runner_.lane().lent_ns += nanoseconds_since(start_);
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

  private:
    GpuRunner& runner_;
    const Clock::time_point start_ = Clock::now();
};

GpuRunner::GpuRunner(Gpu& gpu, std::vector<Stream> streams, const GpuRunnerLimits& limits)
    : gpu_(gpu),
      arena_(gpu, arena_kind(gpu.info().memory_class), within_memory(limits.arena_bytes, gpu.info(), 2)),
      clients_(gpu, gpu.info().memory_class, arena_, streams.front(),
               {within_memory(limits.registered_bytes, gpu.info(), 2), limits.register_from_bytes}) {
    for (const Stream stream : streams) {
        lanes_.push_back(std::make_unique<Lane>());
        lanes_.back()->stream = stream;
        // Without pinned memory, results are staged as larger ones are.
        if (Result<void*> results = gpu.allocate_pinned(kResultBytes)) lanes_.back()->results = *results;
    }
}

Result<std::unique_ptr<GpuRunner>> GpuRunner::create(Gpu& gpu, const GpuRunnerLimits& limits) {
    // On class A kept copies belong to one stream. Copying again takes longer than waiting.
    const unsigned lanes = gpu.info().memory_class == MemoryClass::A ? 1 : kLanes;
    std::vector<Stream> streams;
    for (unsigned i = 0; i < lanes; ++i) {
        Result<Stream> stream = gpu.create_stream(i == 0 ? StreamUse::Jobs : StreamUse::JobsBeside);
        if (!stream) {
            for (const Stream made : streams) gpu.destroy_stream(made);
            return std::move(stream).error();
        }
        streams.push_back(*stream);
    }
    return std::unique_ptr<GpuRunner>(new GpuRunner(gpu, std::move(streams), limits));
}

// The streams end after everything that is attached to them.
GpuRunner::~GpuRunner() {
    clients_.drop_all();
    for (const std::unique_ptr<Lane>& lane : lanes_) {
        if (lane->results != nullptr) gpu_.free_pinned(lane->results);
        gpu_.destroy_stream(lane->stream);
    }
}

Result<kernels::RunReport> GpuRunner::run(const Job& job, const kernels::JobPlan& plan,
                                          Span<const JobInput> inputs, const JobOutput& output,
                                          const kernels::StopToken& stop, GpuCost& cost,
                                          const cuda::JobPolicies& policies) {
    assert(depth_ < lanes_.size());
    const Taken taken(*this);
    lane().policies = policies;
    const std::uint64_t refusals = arena_.refusals();
    Result<kernels::RunReport> report = try_once(job, plan, inputs, output, stop, cost);
    if (report || report.error().status != Status::OutOfMemory || !device_is_full(refusals)) return report;
    if (depth_ > 1) return report;  // it begins again alone
    clients_.give_up_unused();
    arena_.trim();
    gpu_.trim(lane().stream);
    return try_once(job, plan, inputs, output, stop, cost);
}

Result<kernels::RunReport> GpuRunner::try_once(const Job& job, const kernels::JobPlan& plan,
                                               Span<const JobInput> inputs, const JobOutput& output,
                                               const kernels::StopToken& stop, GpuCost& cost) {
    cost = GpuCost();
    lane().ran = false;
    JobEnd end(*this);
    const std::uint64_t lent_before = lane().lent_ns;
    Result<kernels::RunReport> report = run_placed(job, plan, inputs, output, stop, cost);
    cost.beside = depth_ > 1 || lane().lent_ns != lent_before;
    if (report) {
        end.complete();
    } else {
        // A copy in progress may still read memory that its owner frees next.
        Result<void> ended = gpu_.synchronize(lane().stream);
        if (!ended) return std::move(ended).error();
        end.complete();
    }
    return report;
}

void GpuRunner::end_job(bool complete) noexcept {
    try {
        if (!complete) (void)gpu_.synchronize(lane().stream);
    } catch (const std::bad_alloc&) {  // waiting needs no memory; the error text does
    }
    for (Staging& input : lane().inputs) input = Staging();
    lane().output = Staging();
    clients_.end_job();
}

// Otherwise a limit caused the error, and freeing memory does not help. For kernels without workspace, free
// memory is the only evidence.
bool GpuRunner::device_is_full(std::uint64_t refusals_before) {
    if (!lane().ran) return arena_.refusals() != refusals_before;
    const Result<std::size_t> free = gpu_.free_bytes();
    return free && *free < gpu_.workspace_limit();
}

Result<kernels::RunReport> GpuRunner::run_placed(const Job& job, const kernels::JobPlan& plan,
                                                 Span<const JobInput> inputs, const JobOutput& output,
                                                 const kernels::StopToken& stop, GpuCost& cost) {
    assert(inputs.size() <= lane().inputs.size() && output.offsets.size() == plan.outputs.size());
    const std::vector<std::uint64_t> offsets = staged_offsets(plan, output);
    const std::uint64_t output_bytes =
        offsets.empty() ? 0 : offsets.back() + array_bytes(plan.outputs.back());
    std::byte* placed = place_output(output, output_bytes, cost.moved);
    std::array<kernels::InputView, 2> sources;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Result<std::byte*> data = place_input(job, inputs[i], placed, lane().inputs[i], stop, cost.moved);
        if (!data) return std::move(data).error();
        sources[i] = {*data, inputs[i].view.row_stride};
    }
    const bool staged = placed == nullptr;
    const bool pinned = staged && lane().results != nullptr && output_bytes <= kResultBytes;
    if (pinned) {
        placed = static_cast<std::byte*>(lane().results);
    } else if (staged) {
        Result<Staging> made = clients_.stage(output_bytes);
        if (!made) return std::move(made).error();
        lane().output = std::move(made).value();
        Result<std::byte*> given = lane().output.give(lane().stream);
        if (!given) return std::move(given).error();
        placed = *given;
    }
    std::vector<kernels::OutputView> targets;
    for (const std::uint64_t offset : offsets) targets.push_back({placed + offset});
    if (stop.stop_requested()) return stop.error();
    const Clock::time_point start = Clock::now();
    cost.started = !staged;
    lane().ran = true;
    const std::uint64_t lent_before = lane().lent_ns;
    Result<kernels::RunReport> report = gpu_.run(
        {job, plan.parts, {sources.data(), inputs.size()}, targets, stop}, lane().stream, lane().policies);
    const std::uint64_t lent = lane().lent_ns - lent_before;
    cost.compute_ns = nanoseconds_since(start) - lent;
    // Gpu::run() guarantees this for jobs in place.
    if (!report && report.error().status == Status::OutOfMemory && in_place(inputs)) cost.started = false;
    if (!report) return report;
    if (staged) {
        cost.started = true;
        Result<void> back = bring_back(plan, *report, output, offsets, cost);
        if (!back) return std::move(back).error();
    }
    report->policy.add("memory", std::string(memory_class_word(memory_class())));
    if (!cost.moved.note.empty()) report->policy.add_word("copied", "copied: " + cost.moved.note);
    return report;
}

std::byte* GpuRunner::place_output(const JobOutput& output, std::uint64_t bytes, MoveCost& cost) {
    if (output.rows != 0) return nullptr;
    if (memory_class() == MemoryClass::C) return output.data;
    if (!output.in_buffer()) return nullptr;
    return clients_.write(output.buffer, output.begin, output.begin + bytes, cost);
}

Result<std::byte*> GpuRunner::place_input(const Job& job, const JobInput& input, std::byte* output,
                                          Staging& temporary, const kernels::StopToken& stop,
                                          MoveCost& cost) {
    if (input.is_output && output != nullptr) return output;
    if (memory_class() == MemoryClass::C) return const_cast<std::byte*>(input.view.data);
    if (input.in_buffer() && !input.is_output)
        return clients_.read(input.buffer, input.range, temporary, stop, cost);
    const std::uint64_t bytes = extent_bytes(job, input.view);
    const Clock::time_point start = Clock::now();
    Result<Staging> made = clients_.stage(bytes);
    if (!made) return std::move(made).error();
    temporary = std::move(made).value();
    Result<void> written = temporary.write(0, input.view.data, bytes, lane().stream, stop);
    if (!written) return std::move(written).error();
    cost.bytes_copied += bytes;
    cost.copy_ns += nanoseconds_since(start);
    return temporary.give(lane().stream);
}

// Copies only what kernels filled: the rest of the memory holds data of earlier jobs of other users.
Result<void> GpuRunner::bring_back(const kernels::JobPlan& plan, const kernels::RunReport& report,
                                   const JobOutput& output, Span<const std::uint64_t> offsets,
                                   GpuCost& cost) {
    const Clock::time_point start = Clock::now();
    std::vector<Staging::Piece> pieces;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const ArraySpec& spec = plan.outputs[i];
        const std::uint64_t filled = std::min(report.filled_columns[i], spec.cols);
        const std::uint64_t row = spec.cols * element_bytes(spec.type);
        const bool whole = filled == spec.cols;
        const std::uint64_t rows = output.rows == 0 ? spec.rows : output.rows;
        const std::uint64_t bytes = whole ? rows * row : filled * element_bytes(spec.type);
        for (std::uint64_t r = 0; r < (whole ? 1 : rows); ++r) {
            pieces.push_back({offsets[i] + (output.skip_rows + r) * row,
                              output.data + output.offsets[i] + r * row, bytes});
            cost.moved.bytes_copied += bytes;
        }
    }
    Result<void> read;
    if (lane().output) {
        read = lane().output.read(pieces, lane().stream);
    } else {
        const auto* const results = static_cast<const std::byte*>(lane().results);
        for (const Staging::Piece& piece : pieces)
            if (piece.bytes > 0)
                std::memcpy(piece.to, results + piece.offset, static_cast<std::size_t>(piece.bytes));
    }
    cost.moved.copy_ns += nanoseconds_since(start);
    return read;
}

}  // namespace tegu::device
