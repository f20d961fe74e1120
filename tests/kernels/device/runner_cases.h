// SPDX-License-Identifier: Apache-2.0
// Jobs on clients' buffers through a GpuRunner, as the tests of the guarded and of the real device need them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/device/gpu_runner.h"
#include "tests/kernels/device/client_file.h"

namespace tegu::device::test {

class RunnerCase {
  public:
    explicit RunnerCase(GpuRunner& runner) : runner_(runner) {}

    // The sum of i32 [first, first + count) of the buffer; the result comes in memory of this process.
    std::int64_t sum(ClientFile& file, std::uint64_t generation, std::uint64_t first, std::uint64_t count) {
        Job job;
        job.type = ElementType::I32;
        job.cols = count;
        ReduceParams params;
        params.statistics = statistic_bit(Statistic::Sum);
        job.params = params;
        JobInput input;
        input.view = {file.buffer().readable + first * 4, count};
        input.buffer = file.buffer();
        input.range = {first * 4, (first + count) * 4, generation};
        std::int64_t result = -1;
        JobOutput output;
        output.data = reinterpret_cast<std::byte*>(&result);
        return run(job, {&input, 1}, output) ? result : -1;
    }

    // output[0, count) = x[0, count) + y[0, count), of i32; `output` may be x.
    bool add(ClientFile& x, ClientFile& y, ClientFile& result, std::uint64_t count,
             std::uint64_t generation = 0) {
        Job job;
        job.type = ElementType::I32;
        job.cols = count;
        job.params = AddParams();
        ++result.buffer().writes;
        std::array<JobInput, 2> inputs;
        ClientFile* const files[] = {&x, &y};
        for (std::size_t i = 0; i < 2; ++i) {
            inputs[i].is_output = files[i] == &result;
            inputs[i].view = {inputs[i].is_output ? result.buffer().writable : files[i]->buffer().readable,
                              count};
            inputs[i].buffer = files[i]->buffer();
            inputs[i].range = {0, count * 4, generation};
        }
        JobOutput output;
        output.data = result.buffer().writable;
        output.buffer = result.buffer();
        return run(job, inputs, output);
    }

    bool run(const Job& job, Span<const JobInput> inputs, JobOutput output) {
        output.offsets = {0};
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) {
            ADD_FAILURE() << plan.error().message;
            return false;
        }
        Result<kernels::RunReport> report = runner_.run(job, *plan, inputs, output, stop, cost);
        error = report ? Error() : report.error();
        policy = report ? report->policy.text() : "";
        return report.ok();
    }

    kernels::StopToken stop;
    GpuCost cost;        // of the last job
    std::string policy;  // of the last job
    Error error;         // of the last job, if it failed

  private:
    GpuRunner& runner_;
};

inline bool copies(MemoryClass memory_class) {
    return memory_class == MemoryClass::A || memory_class == MemoryClass::Discrete;
}

// What holds on every class, whatever the device. 1000 values: 1, 2, 3, ...
inline void fill(ClientFile& file, std::size_t count) {
    std::iota(file.values(), file.values() + count, 1);
}

// Ranges of a buffer of 8 MiB at random, that overlap, lie within each other, or are too much to be held at
// once: each job sees the content.
inline void read_random_ranges(GpuRunner& runner) {
    constexpr unsigned kSeed = 11;
    constexpr std::uint64_t kValues = 2 << 20;
    RunnerCase jobs(runner);
    ClientFile file(1, kValues * 4);
    for (std::uint64_t i = 0; i < kValues; ++i) file.values()[i] = static_cast<std::int32_t>(i % 1000);
    std::uint64_t generation = 1;
    std::mt19937_64 random(kSeed);
    for (int job = 0; job < 120; ++job) {
        const std::uint64_t most[] = {100, 50000, 3 << 18};
        const std::uint64_t count = 1 + random() % most[random() % 3];
        const std::uint64_t first = random() % (kValues - count);
        if (random() % 4 == 0) {
            file.values()[first] += 17;
            ++generation;
        }
        const std::int32_t* const from = file.values() + first;
        const std::uint64_t promised = random() % 2 == 0 ? generation : 0;
        ASSERT_EQ(std::accumulate(from, from + count, std::int64_t{0}),
                  jobs.sum(file, promised, first, count))
            << "seed " << kSeed << ", job " << job << ": " << jobs.error.message << ", " << jobs.policy;
        if (job == 60) runner.allow_registering(1, true);  // lets go of all
    }
    runner.drop(1);
}

}  // namespace tegu::device::test
