// SPDX-License-Identifier: Apache-2.0
// Memory that runs out, and jobs that end by an exception: what was kept is given up, the job is answered,
// and the next one runs.
#include <new>

#include "tests/kernels/device/board.h"

namespace tegu::device {
namespace {

using test::Board;
using test::ClientFile;
using test::options_of;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kCount = kMiB / 4;

class FullDevice : public testing::TestWithParam<MemoryClass> {
  protected:
    static GuardOptions options() {
        GuardOptions options = options_of(GetParam());
        options.memory_bytes = 32 * kMiB;
        options.workspace_bytes = 4 * kMiB;
        return options;
    }
    std::int64_t sum(ClientFile& file) { return board.jobs.sum(file, 1, 0, kCount); }
    Board board{options(), 16 * kMiB};
};

TEST_P(FullDevice, KernelsGetWhatCopiesHold) {
    ClientFile large(1, 12 * kMiB), small(2, kMiB);
    EXPECT_EQ(0, board.jobs.sum(large, 1, 0, 12 * kCount)) << board.jobs.error.message;
    board.gpu.take_elsewhere(18 * kMiB);
    EXPECT_EQ(0, sum(small)) << board.jobs.error.message;
    EXPECT_EQ(0, sum(small)) << board.jobs.error.message;
}

TEST_P(FullDevice, IsAnAnswerAndPasses) {
    ClientFile file(1, kMiB), y(2, kMiB);
    test::fill(file, kCount);
    board.gpu.take_elsewhere(32 * kMiB);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(-1, sum(file));
        EXPECT_EQ(Status::OutOfMemory, board.jobs.error.status) << board.jobs.error.message;
    }
    EXPECT_FALSE(board.jobs.add(file, y, file, kCount));
    EXPECT_EQ(Status::OutOfMemory, board.jobs.error.status);
    EXPECT_FALSE(board.jobs.cost.started) << "the job in place can run elsewhere";
    EXPECT_EQ(1, file.values()[0]);
    board.gpu.take_elsewhere(0);
    EXPECT_EQ(static_cast<std::int64_t>(kCount * (kCount + 1) / 2), sum(file)) << board.jobs.error.message;
    EXPECT_TRUE(board.jobs.add(file, y, file, kCount)) << board.jobs.error.message;
}

// Of a limit that is too small nothing is gained by giving up copies.
TEST_P(FullDevice, KeepsCopiesWhereALimitIsInTheWay) {
    ClientFile file(1, kMiB);
    EXPECT_EQ(0, sum(file));
    const std::size_t held = board.runner->arena().held_bytes();
    board.gpu.fail_next(make_error(Status::OutOfMemory, "more work space than a job may have"));
    EXPECT_EQ(-1, sum(file));
    EXPECT_EQ(held, board.runner->arena().held_bytes());
}

// However little the device has left.
TEST_P(FullDevice, AJobBeyondTheArenaCostsNobodyACopy) {
    ClientFile file(1, kMiB), huge(2, 20 * kMiB);
    EXPECT_EQ(0, sum(file));
    const std::size_t used = board.runner->arena().used_bytes();
    board.gpu.take_elsewhere(26 * kMiB);
    (void)board.jobs.sum(huge, 1, 0, 20 * kCount);
    EXPECT_EQ(used, board.runner->arena().used_bytes());
}

TEST_P(FullDevice, ALimitIsNoMoreThanHalfTheDevice) {
    GuardOptions small = options_of(GetParam());
    small.memory_bytes = 8 * kMiB;
    Board clamped(small, std::size_t{1} << 40);
    EXPECT_EQ(4 * kMiB, clamped.runner->arena().limit_bytes());
}

// Copies may be given up again, and nothing of the job stays.
TEST_P(FullDevice, AnExceptionLeavesNothingBehind) {
    ClientFile file(1, kMiB), other(2, 14 * kMiB), y(3, kMiB);
    test::fill(file, kCount);
    EXPECT_EQ(static_cast<std::int64_t>(kCount * (kCount + 1) / 2), sum(file));
    const std::size_t used = board.runner->arena().used_bytes();
    board.gpu.throw_next();
    EXPECT_THROW((void)sum(file), std::bad_alloc);
    EXPECT_EQ(used, board.runner->arena().used_bytes());
    EXPECT_EQ(0, board.jobs.sum(other, 1, 0, 14 * kCount))
        << "in place of the first: " << board.jobs.error.message;
    board.gpu.throw_next();
    EXPECT_THROW((void)board.jobs.add(y, y, y, kCount), std::bad_alloc);
    const bool direct = GetParam() == MemoryClass::B || GetParam() == MemoryClass::C;
    EXPECT_EQ(direct, board.jobs.cost.started);
}

INSTANTIATE_TEST_SUITE_P(Memory, FullDevice,
                         testing::Values(MemoryClass::A, MemoryClass::B, MemoryClass::C,
                                         MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

}  // namespace
}  // namespace tegu::device
