// SPDX-License-Identifier: Apache-2.0
// Which copies are kept where buffers are copied (class A): in proportion to what jobs read, within the
// arena, the oldest given up first.
#include "tests/kernels/device/board.h"

namespace tegu::device {
namespace {

using test::Board;
using test::ClientFile;
using test::options_of;

constexpr std::uint64_t kMiB = 1 << 20;

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
    EXPECT_EQ(kOne * (kOne + 1) / 2, static_cast<std::uint64_t>(board.jobs.sum(x, 0, 0, kOne)))
        << "now they may go";
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

// Buffers of 1 MiB that fill what may be kept.
TEST(ClassA, ASmallJobOfAHugeBufferTakesNoRoomFromOthers) {
    Board board(options_of(MemoryClass::A), 8 * kMiB);
    ClientFile huge(100, 64 * kMiB);
    huge.values()[9 * kMiB] = 4;
    std::vector<std::unique_ptr<ClientFile>> files;
    for (std::uint64_t id = 1; id <= 7; ++id) {
        files.push_back(std::make_unique<ClientFile>(id, kMiB));
        EXPECT_EQ(0, board.jobs.sum(*files.back(), 1, 0, kMiB / 4));
    }
    EXPECT_EQ(4, board.jobs.sum(huge, 1, 9 * kMiB, 1)) << board.jobs.error.message;
    EXPECT_EQ(4u + 8, board.jobs.cost.moved.bytes_copied);
    EXPECT_EQ(4, board.jobs.sum(huge, 1, 9 * kMiB, 1));
    for (const auto& file : files) {
        EXPECT_EQ(0, board.jobs.sum(*file, 1, 0, kMiB / 4));
        EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied) << "the copy of buffer " << file->buffer().id;
    }
}

TEST(ClassA, ACopyHasTheSizeOfWhatIsRead) {
    Board board(options_of(MemoryClass::A), 8 * kMiB);
    ClientFile huge(1, 64 * kMiB);
    huge.values()[9 * kMiB] = 4;
    EXPECT_EQ(4, board.jobs.sum(huge, 1, 9 * kMiB, 1));
    EXPECT_LE(board.runner->arena().used_bytes(), 64u << 10);
    EXPECT_EQ(4, board.jobs.sum(huge, 1, 9 * kMiB, 1));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied) << "kept";
    EXPECT_EQ(4, board.jobs.sum(huge, 1, 9 * kMiB - 1000, 1 << 18));
    EXPECT_LE(board.runner->arena().used_bytes(), kMiB + (320u << 10));
    EXPECT_EQ(4, board.jobs.sum(huge, 1, 9 * kMiB + 0, 2000));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied) << "within the larger one";
}

// No copy is given up for a job that does not fit even so.
TEST(ClassA, AJobBeyondTheArenaCostsNobodyACopy) {
    Board board(options_of(MemoryClass::A), 4 * kMiB);
    ClientFile small(1, kMiB), huge(2, 64 * kMiB);
    EXPECT_EQ(0, board.jobs.sum(small, 1, 0, kMiB / 4));
    EXPECT_EQ(-1, board.jobs.sum(huge, 1, 0, 16 * kMiB));
    EXPECT_EQ(Status::OutOfMemory, board.jobs.error.status);
    EXPECT_EQ(0, board.jobs.sum(small, 1, 0, kMiB / 4));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied);
}

}  // namespace
}  // namespace tegu::device
