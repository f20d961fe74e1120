// SPDX-License-Identifier: Apache-2.0
// GpuRunner on the guarded device, in strict mode, for each memory class: right results, no copy without
// need, none left out that is needed.
#include "kernels/device/gpu_runner.h"

#include <atomic>
#include <cstring>

#include "tests/kernels/device/board.h"

namespace tegu::device {
namespace {

using test::Board;
using test::ClientFile;
using test::copies;
using test::options_of;

constexpr std::uint64_t kCount = 5000;
constexpr std::uint64_t kBytes = kCount * 4;
constexpr std::int64_t kSum = kCount * (kCount + 1) / 2;

class EveryClass : public testing::TestWithParam<MemoryClass> {
  protected:
    EveryClass() : board(options_of(GetParam())), file(1, kBytes) { test::fill(file, kCount); }
    // Bytes of the input that the last job copied: its result of 8 bytes is staged but in class C.
    std::uint64_t input_bytes_copied() const {
        return board.jobs.cost.moved.bytes_copied - (GetParam() == MemoryClass::C ? 0 : 8);
    }
    Board board;
    ClientFile file;
};

TEST_P(EveryClass, GivesTheResultAndSaysHow) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount)) << board.jobs.error.message;
    EXPECT_EQ(copies(GetParam()) ? kBytes : 0, input_bytes_copied());
    EXPECT_NE(std::string::npos,
              board.jobs.policy.find(" memory=" + std::string(memory_class_word(GetParam()))))
        << board.jobs.policy;
}

TEST_P(EveryClass, AChangeWithoutACommitIsSeenByTheNextJob) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    file.values()[7] += 100;
    EXPECT_EQ(kSum + 100, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(copies(GetParam()) ? kBytes : 0, input_bytes_copied());
}

TEST_P(EveryClass, AJobWithoutAGenerationSeesAChangeAfterOneWith) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 4, 0, kCount));
    file.values()[7] += 100;
    EXPECT_EQ(kSum + 100, board.jobs.sum(file, 0, 0, kCount));
}

TEST_P(EveryClass, AnUnchangedGenerationCopiesNothing) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    const std::uint64_t allocations = board.runner->arena().allocations();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
        EXPECT_EQ(0u, input_bytes_copied());
    }
    EXPECT_EQ(allocations, board.runner->arena().allocations());
}

TEST_P(EveryClass, ANewGenerationIsCopiedOnce) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    file.values()[0] += 10;
    EXPECT_EQ(kSum + 10, board.jobs.sum(file, 2, 0, kCount));
    EXPECT_EQ(copies(GetParam()) ? kBytes : 0, input_bytes_copied());
    EXPECT_EQ(kSum + 10, board.jobs.sum(file, 2, 0, kCount));
    EXPECT_EQ(0u, input_bytes_copied());
    EXPECT_EQ(kSum + 10, board.jobs.sum(file, 1, 0, kCount)) << "a job that waited sees what is newer";
    EXPECT_EQ(0u, input_bytes_copied());
}

TEST_P(EveryClass, ASealedBufferIsCopiedOnceWhateverJobsName) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 3, 0, kCount));
    file.values()[0] += 10;  // after the copy, before the seal
    board.runner->drop(1);   // the daemon does so before it seals
    ASSERT_TRUE(file.seal());
    EXPECT_EQ(kSum + 10, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(copies(GetParam()) ? kBytes : 0, input_bytes_copied());
    for (const std::uint64_t generation : {0u, 1u, 9u}) {
        EXPECT_EQ(kSum + 10, board.jobs.sum(file, generation, 0, kCount));
        EXPECT_EQ(0u, input_bytes_copied());
    }
}

TEST_P(EveryClass, ACopyFromBeforeTheSealIsNoPromise) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 3, 0, kCount));
    file.values()[0] += 10;
    if (GetParam() == MemoryClass::B) board.runner->drop(1);  // pinned pages would stand in the way
    ASSERT_TRUE(file.seal());
    EXPECT_EQ(kSum + 10, board.jobs.sum(file, 0, 0, kCount));
}

TEST_P(EveryClass, OnlyTheRangesThatAreMissingAreCopied) {
    EXPECT_EQ(1 + 2, board.jobs.sum(file, 1, 0, 2));
    EXPECT_EQ(copies(GetParam()) ? 8 : 0, static_cast<std::int64_t>(input_bytes_copied()));
    EXPECT_EQ(5 + 6, board.jobs.sum(file, 1, 4, 2));
    EXPECT_EQ(copies(GetParam()) ? 8 : 0, static_cast<std::int64_t>(input_bytes_copied()));
    EXPECT_EQ(21, board.jobs.sum(file, 1, 0, 6)) << "the gap between both";
    EXPECT_EQ(copies(GetParam()) ? 8 : 0, static_cast<std::int64_t>(input_bytes_copied()));
    EXPECT_EQ(5, board.jobs.sum(file, 1, 4, 1));
    EXPECT_EQ(0u, input_bytes_copied());
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    EXPECT_EQ(copies(GetParam()) ? kBytes - 24 : 0, input_bytes_copied());
}

TEST_P(EveryClass, ManyRangesStayRight) {
    for (std::uint64_t i = 0; i < 300; ++i) {
        const std::uint64_t at = (i * 37) % 2000;
        EXPECT_EQ(static_cast<std::int64_t>(2 * at + 3), board.jobs.sum(file, 1, at, 2)) << at;
    }
}

// As a piece of a larger job: others write around what is asked for.
TEST_P(EveryClass, BringsBackTheRowsThatAreWanted) {
    Job job;
    job.type = ElementType::I32;
    job.axis = Axis::Rows;
    job.rows = 10;
    job.cols = 100;
    job.params = ReduceParams{statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Max), false, 0};
    const kernels::JobPlan plan = kernels::plan_job(job).value();
    ClientFile result(2, 4096);
    for (const bool in_buffer : {false, true}) {
        std::vector<std::byte> memory(4096);
        std::byte* const data = in_buffer ? result.buffer().writable : memory.data();
        for (std::size_t i = 0; i < 4096; ++i) data[i] = std::byte{0x5a};
        JobInput input;
        input.view = {file.buffer().readable, 100};
        input.buffer = file.buffer();
        input.range = {0, 4000, 0};
        JobOutput output;
        output.data = data;
        output.offsets = {8, 2000};
        if (in_buffer) output.buffer = result.buffer();
        output.skip_rows = 3;
        output.rows = 4;
        GpuCost cost;
        ASSERT_TRUE(board.runner->run(job, plan, {&input, 1}, output, kernels::StopToken(), cost).ok());
        std::int64_t sums[4];
        std::int32_t most[4];
        std::memcpy(sums, data + 8, sizeof sums);
        std::memcpy(most, data + 2000, sizeof most);
        for (int r = 0; r < 4; ++r) {
            EXPECT_EQ(100 * (r + 3) * 100 + 5050, sums[r]);
            EXPECT_EQ((r + 4) * 100, most[r]);
        }
        for (const std::size_t around : {7, 8 + 32, 1999, 2000 + 16})
            EXPECT_EQ(std::byte{0x5a}, data[around]) << around;
    }
}

TEST_P(EveryClass, RandomRangesOfALargeBufferAreSeen) {
    for (const std::size_t register_from : {std::size_t{1}, std::size_t{64} << 10}) {
        Board little(options_of(GetParam()), GpuRunnerLimits{6 << 20, 4 << 20, register_from});
        test::read_random_ranges(*little.runner);
        EXPECT_EQ(0u, little.gpu.registrations());
        EXPECT_EQ(0u, little.runner->arena().used_bytes());
    }
}

TEST_P(EveryClass, WritesIntoAClientsBuffer) {
    ClientFile y(2, kBytes), z(3, kBytes);
    test::fill(y, kCount);
    ASSERT_TRUE(board.jobs.add(file, y, z, kCount)) << board.jobs.error.message;
    for (std::uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(2 * static_cast<std::int32_t>(i + 1), z.values()[i]);
    EXPECT_EQ(copies(GetParam()) ? 3 * kBytes : 0, board.jobs.cost.moved.bytes_copied);
}

TEST_P(EveryClass, WorksInPlace) {
    ClientFile y(2, kBytes);
    test::fill(y, kCount);
    ASSERT_TRUE(board.jobs.add(file, y, file, kCount)) << board.jobs.error.message;
    for (std::uint64_t i = 0; i < kCount; ++i)
        ASSERT_EQ(2 * static_cast<std::int32_t>(i + 1), file.values()[i]);
}

TEST_P(EveryClass, WhatAJobWroteIsSeenEvenByThoseThatNameTheOldGeneration) {
    ClientFile y(2, kBytes);
    test::fill(y, kCount);
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    ASSERT_TRUE(board.jobs.add(file, y, file, kCount));
    EXPECT_EQ(2 * kSum, board.jobs.sum(file, 1, 0, kCount));
}

TEST_P(EveryClass, TakesInputsOfThisProcess) {
    const std::int32_t values[] = {3, 4, 5};
    Job job;
    job.type = ElementType::I32;
    job.cols = 3;
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    job.params = params;
    JobInput input;
    input.view = {reinterpret_cast<const std::byte*>(values), 3};
    std::int64_t result = 0;
    JobOutput output;
    output.data = reinterpret_cast<std::byte*>(&result);
    ASSERT_TRUE(board.jobs.run(job, {&input, 1}, output)) << board.jobs.error.message;
    EXPECT_EQ(12, result);
}

TEST_P(EveryClass, TakesEmptyInputs) {
    EXPECT_EQ(0, board.jobs.sum(file, 0, 0, 0)) << board.jobs.error.message;
    EXPECT_EQ(0, board.jobs.sum(file, 1, kCount, 0)) << board.jobs.error.message;
}

TEST_P(EveryClass, AStoppedJobLeavesItsOutputAlone) {
    ClientFile y(2, kBytes), z(3, kBytes);
    const std::atomic<bool> cancelled{true};
    board.jobs.stop = kernels::StopToken(&cancelled, kernels::StopToken::Clock::time_point::max());
    EXPECT_FALSE(board.jobs.add(file, y, z, kCount));
    EXPECT_EQ(Status::Cancelled, board.jobs.error.status);
    EXPECT_EQ(0, z.values()[0]);
    board.jobs.stop = {};
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
}

TEST_P(EveryClass, FullMemoryOfTheDeviceIsAnAnswer) {
    board.gpu.fail_next(make_error(Status::OutOfMemory, "no work space"));
    EXPECT_EQ(-1, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(Status::OutOfMemory, board.jobs.error.status);
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount)) << "the next job runs";
}

TEST_P(EveryClass, ALostDeviceEndsInOrder) {
    board.gpu.fail_next(make_error(Status::DeviceLost, "an illegal memory access was encountered"));
    EXPECT_EQ(-1, board.jobs.sum(file, 1, 0, kCount));
    EXPECT_EQ(Status::DeviceLost, board.jobs.error.status);
    EXPECT_EQ(-1, board.jobs.sum(file, 2, 0, kCount));
    EXPECT_EQ(Status::DeviceLost, board.jobs.error.status);
}

TEST_P(EveryClass, DroppedBuffersAreForgotten) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    board.runner->drop(1);
    board.runner->drop(1);
    board.runner->drop(77);
    EXPECT_EQ(0u, board.gpu.registrations());
    EXPECT_EQ(0u, board.runner->arena().used_bytes());
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
}

// Columns that a job leaves open stay as they were: what the memory held before is somebody else's.
TEST_P(EveryClass, LeavesAloneWhatItDoesNotFill) {
    std::int32_t secret[64];
    std::fill(std::begin(secret), std::end(secret), 0x5ec2e7);
    Job job;
    job.type = ElementType::I32;
    job.cols = 64;
    TopkParams params;
    params.k = 8;
    job.params = params;
    std::byte area[4096];
    const auto run = [&](const std::int32_t* values) {
        JobInput input;
        input.view = {reinterpret_cast<const std::byte*>(values), 64};
        const kernels::JobPlan plan = kernels::plan_job(job).value();
        std::vector<std::uint64_t> offsets;
        std::uint64_t end = 0;
        for (const ArraySpec& spec : plan.outputs) {
            offsets.push_back(end);
            end += (array_bytes(spec) + 63) / 64 * 64;
        }
        std::memset(area, 0x77, sizeof area);
        JobOutput output;
        output.data = area;
        output.offsets = offsets;
        GpuCost cost;
        ASSERT_TRUE(board.runner->run(job, plan, {&input, 1}, output, {}, cost).ok());
    };
    run(secret);
    EXPECT_EQ(0, std::memcmp(area, secret, 8 * 4));
    std::int32_t few[64] = {};
    std::get_if<TopkParams>(&job.params)->distinct = true;
    run(few);  // one value alone
    // On class C the job has the memory itself.
    if (GetParam() == MemoryClass::C) return;
    for (std::size_t i = 4; i < 32; ++i) EXPECT_EQ(std::byte{0x77}, area[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryClass,
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C,
                                         MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

}  // namespace
}  // namespace tegu::device
