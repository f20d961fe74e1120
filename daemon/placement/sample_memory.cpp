// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/sample_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "daemon/clock.h"
#include "daemon/placement/probe_plan.h"
#include "wire/messages.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kArrayBytes = ProbePlan::kMaxElements * sizeof(float);
constexpr std::size_t kOutputBytes = kArrayBytes + (64 << 10);  // results of rows lie beside scales
constexpr std::size_t kBlockFloats = 64 << 10;                  // different numbers, repeated
constexpr std::uint64_t kAligned = 64;

std::byte* map(std::size_t bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

void fill(std::byte* memory, std::size_t bytes) {
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < kBlockFloats; ++i) {
        state = state * 1664525u + 1013904223u;
        const float value = static_cast<float>(state >> 8) * 0x1p-24f;
        std::memcpy(memory + i * sizeof value, &value, sizeof value);
    }
    constexpr std::size_t kBlock = kBlockFloats * sizeof(float);
    for (std::size_t at = kBlock; at < bytes; at += kBlock)
        std::memcpy(memory + at, memory, std::min(kBlock, bytes - at));
}

std::uint64_t output_bytes(const kernels::JobPlan& plan) {
    const std::vector<std::uint64_t> offsets = SampleMemory::offsets(plan);
    return offsets.empty() ? 0 : offsets.back() + array_bytes(plan.outputs.back());
}

}  // namespace

void SampleMemory::release() {
    if (input_ != nullptr) (void)::munmap(input_, kArrayBytes);
    if (output_ != nullptr) (void)::munmap(output_, kOutputBytes);
    input_ = output_ = nullptr;
}

std::size_t SampleMemory::bytes() {
    return kArrayBytes;
}

bool SampleMemory::prepare() {
    if (input_ != nullptr) return output_ != nullptr;
    input_ = map(kArrayBytes);
    output_ = input_ == nullptr ? nullptr : map(kOutputBytes);
    if (output_ == nullptr) return false;
    fill(input_, kArrayBytes);
    return true;
}

std::vector<std::uint64_t> SampleMemory::offsets(const kernels::JobPlan& plan) {
    std::vector<std::uint64_t> offsets;
    // A plan's arrays fit 63 bits.
    (void)wire::layout_arrays(plan.outputs, kAligned, offsets);
    return offsets;
}

bool SampleMemory::holds(const Job& job, const kernels::JobPlan& plan) {
    return job.rows * job.cols <= kArrayBytes / element_bytes(job.type) && output_bytes(plan) <= kOutputBytes;
}

SampleTime SampleMemory::time_on_cpu(const Job& job, kernels::ThreadPool* pool) const {
    SampleTime time;
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan || !holds(job, *plan)) return time;
    const kernels::InputView inputs[2] = {{input_, job.cols}, {input_, job.cols}};
    const auto count = static_cast<std::size_t>(info_of(operation_of(job)).inputs);
    std::vector<kernels::OutputView> outputs;
    for (const std::uint64_t offset : offsets(*plan)) outputs.push_back({output_ + offset});
    kernels::CpuContext context;
    context.pool = pool;
    for (unsigned run = 0; run <= ProbePlan::kRuns; ++run) {
        const TimePoint start = Clock::now();
        if (!kernels::run_job(job, *plan, Span<const kernels::InputView>(inputs, count), outputs, context,
                              kernels::StopToken()))
            return SampleTime();
        const std::uint64_t ns = nanoseconds(Clock::now() - start);
        time.spent_ns += ns;
        if (run > 0 && (time.ns <= 0 || static_cast<double>(ns) < time.ns))
            time.ns = std::max(static_cast<double>(ns), 1.0);
    }
    return time;
}

}  // namespace tegu::daemon
