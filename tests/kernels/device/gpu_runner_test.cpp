// SPDX-License-Identifier: Apache-2.0
// GpuRunner on the guarded device, in strict mode, for each memory class: right results, no copy without need, none left out that is needed.
#include "kernels/device/gpu_runner.h"

#include <atomic>

#include "kernels/device/guard_gpu.h"
#include "tests/kernels/device/runner_cases.h"

namespace tegu::device {
namespace {

using test::ClientFile;
using test::copies;
using test::RunnerCase;

constexpr std::uint64_t kCount = 5000;
constexpr std::uint64_t kBytes = kCount * 4;
constexpr std::int64_t kSum = kCount * (kCount + 1) / 2;

struct Board {
    explicit Board(const GuardOptions& options, std::size_t arena_bytes = 1 << 20)
        : gpu(options), runner(GpuRunner::create(gpu, GpuRunnerLimits{arena_bytes}).value()), jobs(*runner) {}
    GuardGpu gpu;
    std::unique_ptr<GpuRunner> runner;
    RunnerCase jobs;
};

GuardOptions options_of(MemoryClass memory_class) {
    GuardOptions options;
    options.memory_class = memory_class;
    return options;
}

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
    EXPECT_NE(std::string::npos, board.jobs.policy.find(" memory=" + std::string(memory_class_word(GetParam()))))
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
    for (std::uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(2 * static_cast<std::int32_t>(i + 1), file.values()[i]);
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
    GpuInput input;
    input.view = {reinterpret_cast<const std::byte*>(values), 3};
    std::int64_t result = 0;
    GpuOutput output;
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
        GpuInput input;
        input.view = {reinterpret_cast<const std::byte*>(values), 64};
        const kernels::JobPlan plan = kernels::plan_job(job).value();
        std::vector<std::uint64_t> offsets;
        std::uint64_t end = 0;
        for (const ArraySpec& spec : plan.outputs) {
            offsets.push_back(end);
            end += (array_bytes(spec) + 63) / 64 * 64;
        }
        std::memset(area, 0x77, sizeof area);
        GpuOutput output;
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
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C, MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

TEST(ClassB, RegistersAMappingOnce) {
    Board board(options_of(MemoryClass::B));
    ClientFile file(1, kBytes), other(2, kBytes);
    test::fill(file, kCount);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(1u, board.gpu.registrations());
    EXPECT_TRUE(board.jobs.add(file, other, other, kCount));
    EXPECT_EQ(2u, board.gpu.registrations()) << "what is written through is read through";
    board.runner->drop(1);
    EXPECT_EQ(1u, board.gpu.registrations());
    board.runner.reset();
    EXPECT_EQ(0u, board.gpu.registrations());
}

TEST(ClassB, CopiesWhileNothingMayBePinned) {
    Board board(options_of(MemoryClass::B));
    ClientFile file(1, kBytes), other(2, kBytes);
    test::fill(file, kCount);
    EXPECT_TRUE(board.jobs.add(file, other, file, kCount));
    EXPECT_EQ(2u, board.gpu.registrations());
    board.runner->allow_registering(1, false);
    EXPECT_EQ(1u, board.gpu.registrations());
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_TRUE(board.jobs.add(file, other, file, kCount));
    EXPECT_EQ(1u, board.gpu.registrations());
    board.runner->allow_registering(1, true);
    file.buffer().may_register = false;
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(1u, board.gpu.registrations());
    file.buffer().may_register = true;
    ASSERT_TRUE(file.seal()) << "no mapping of the device is in the way";
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied);
    EXPECT_EQ(2u, board.gpu.registrations());
}

TEST(ClassB, CopiesWhatCannotBeRegisteredAndSaysWhy) {
    GuardOptions options = options_of(MemoryClass::B);
    options.can_register = false;
    Board board(options);
    ClientFile file(1, kBytes), result(2, kBytes);
    test::fill(file, kCount);
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(kBytes + 8, board.jobs.cost.moved.bytes_copied);
    EXPECT_NE(std::string::npos, board.jobs.policy.find("copied: the guarded device registers no mapping"))
        << board.jobs.policy;
    file.values()[0] += 1;
    EXPECT_EQ(kSum + 1, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(kSum + 1, board.jobs.sum(file, 1, 0, kCount));
    EXPECT_EQ(kSum + 1, board.jobs.sum(file, 1, 0, kCount));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied);
    EXPECT_TRUE(board.jobs.add(file, file, result, kCount));
    EXPECT_EQ(4, result.values()[0]);
}

TEST(ClassA, GivesUpTheOldestCopyWhenTheArenaIsFull) {
    Board board(options_of(MemoryClass::A), 2 << 20);
    constexpr std::uint64_t kLarge = 200000;  // 800 kB: two fit
    ClientFile a(1, kLarge * 4), b(2, kLarge * 4), c(3, kLarge * 4);
    for (ClientFile* file : {&a, &b, &c}) file->values()[0] = static_cast<std::int32_t>(file->buffer().id);
    EXPECT_EQ(1, board.jobs.sum(a, 1, 0, kLarge));
    EXPECT_EQ(2, board.jobs.sum(b, 1, 0, kLarge));
    EXPECT_EQ(1, board.jobs.sum(a, 1, 0, kLarge));
    EXPECT_EQ(3, board.jobs.sum(c, 1, 0, kLarge));  // in place of b's
    EXPECT_EQ(1, board.jobs.sum(a, 1, 0, kLarge));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied) << "a's was used last";
    EXPECT_EQ(2, board.jobs.sum(b, 1, 0, kLarge));
    EXPECT_EQ(kLarge * 4 + 8, board.jobs.cost.moved.bytes_copied);
    EXPECT_LE(board.runner->arena().held_bytes(), 2u << 20);
}

TEST(ClassA, GivesUpNoCopyThatTheJobItselfReads) {
    Board board(options_of(MemoryClass::A), 2 << 20);
    constexpr std::uint64_t kOne = 1 << 18;  // of i32: 1 MiB
    ClientFile x(1, kOne * 4), y(2, kOne * 4), z(3, kOne * 4);
    test::fill(x, kOne);
    EXPECT_FALSE(board.jobs.add(x, y, z, kOne, 1)) << "there is room for both copies, and no more";
    EXPECT_EQ(Status::OutOfMemory, board.jobs.error.status);
    EXPECT_EQ(kOne * (kOne + 1) / 2, static_cast<std::uint64_t>(board.jobs.sum(x, 0, 0, kOne))) << "now they may go";
}

TEST(ClassA, CopiesWhatAJobNeedsWhereTheBufferIsTooLarge) {
    Board board(options_of(MemoryClass::A), 1 << 20);
    constexpr std::uint64_t kLarge = 1 << 20;  // of i32: 4 MiB
    ClientFile file(1, kLarge * 4);
    file.values()[10] = 5;
    EXPECT_EQ(5, board.jobs.sum(file, 1, 0, 1000)) << board.jobs.error.message;
    EXPECT_EQ(-1, board.jobs.sum(file, 1, 0, kLarge));
    EXPECT_EQ(Status::OutOfMemory, board.jobs.error.status);
    EXPECT_EQ(5, board.jobs.sum(file, 1, 5, 1000));
}

}  // namespace
}  // namespace tegu::device
