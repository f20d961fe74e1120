// SPDX-License-Identifier: Apache-2.0
// What a board with registered mappings (class B) registers, and what it does not: what is being sealed, what
// a freeze took away, what is not worth it, and more than its limit.
#include <sys/mman.h>

#include <numeric>

#include "tests/kernels/device/board.h"

namespace tegu::device {
namespace {

using test::Board;
using test::ClientFile;
using test::options_of;

constexpr std::uint64_t kCount = 5000;
constexpr std::uint64_t kBytes = kCount * 4;
constexpr std::int64_t kSum = kCount * (kCount + 1) / 2;
constexpr std::uint64_t kMiB = 1 << 20;

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

// A reader that waited while a freeze ended the writable mapping: its address is another client's now.
TEST(ClassB, AReaderThatWaitedThroughAFreezeReadsItsOwnBufferAlone) {
    for (const bool read_only : {true, false}) {
        GuardOptions options = options_of(MemoryClass::B);
        options.can_register_read_only = read_only;
        Board board(options);
        ClientFile file(1, kBytes), other(2, kBytes);
        test::fill(file, kCount);
        std::fill_n(other.values(), kCount, -7);
        EXPECT_TRUE(board.jobs.add(file, file, file, kCount)) << "from here on there is a writable mapping";
        const ClientBuffer waiting = file.buffer();
        board.runner->allow_registering(1, false);
        ASSERT_NE(MAP_FAILED, ::mremap(other.buffer().readable, kBytes, kBytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                                       waiting.writable));
        other.buffer().readable = nullptr;
        file.buffer().writable = nullptr;
        board.runner->allow_registering(1, true);
        file.buffer() = waiting;
        EXPECT_EQ(2 * kSum, board.jobs.sum(file, 0, 0, kCount)) << board.jobs.error.message;
        EXPECT_EQ(read_only ? 1u : 0u, board.gpu.registrations());
        file.buffer().writable = nullptr;
        (void)::munmap(waiting.writable, kBytes);
        board.runner.reset();
        EXPECT_TRUE(board.gpu.allocate_device(1).ok()) << "and no registered mapping ended";
    }
}

TEST(ClassB, WhatWasWrittenIsReadThroughTheSameMappingWhereReadingAloneIsRefused) {
    GuardOptions options = options_of(MemoryClass::B);
    options.can_register_read_only = false;
    Board board(options);
    ClientFile file(1, kBytes);
    test::fill(file, kCount);
    EXPECT_EQ(kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(kBytes + 8, board.jobs.cost.moved.bytes_copied);
    EXPECT_NE(std::string::npos, board.jobs.policy.find("for reading alone")) << board.jobs.policy;
    EXPECT_TRUE(board.jobs.add(file, file, file, kCount));
    EXPECT_EQ(2 * kSum, board.jobs.sum(file, 0, 0, kCount));
    EXPECT_EQ(8u, board.jobs.cost.moved.bytes_copied);
    EXPECT_EQ(1u, board.gpu.registrations());
}

// A large buffer of a client, of which a job reads i32 [first, first + count).
class LargeBuffer : public testing::Test {
  protected:
    static constexpr std::uint64_t kLarge = 64 * kMiB;
    static GpuRunnerLimits limits() {
        GpuRunnerLimits limits;
        limits.registered_bytes = 16 * kMiB;
        return limits;
    }
    void read(std::uint64_t first_byte, std::uint64_t bytes) {
        file.values()[first_byte / 4] = 3;
        EXPECT_EQ(3, board.jobs.sum(file, 0, first_byte / 4, bytes / 4)) << board.jobs.error.message;
        file.values()[first_byte / 4] = 0;
    }
    std::uint64_t copied() const { return board.jobs.cost.moved.bytes_copied - 8; }  // but for the result
    Board board{options_of(MemoryClass::B), limits()};
    ClientFile file{1, kLarge};
};

TEST_F(LargeBuffer, ASmallJobRegistersNothing) {
    read(5 * kMiB, 4);
    EXPECT_EQ(4u, copied());
    EXPECT_EQ(0u, board.runner->registered_bytes());
}

TEST_F(LargeBuffer, OnlyTheRangeThatAJobReadsIsRegistered) {
    read(5 * kMiB, kMiB);
    EXPECT_EQ(0u, copied());
    EXPECT_LE(board.runner->registered_bytes(), 4 * kMiB);
    read(5 * kMiB + 512, 4);
    EXPECT_EQ(0u, copied()) << "what is registered serves small jobs, too";
    EXPECT_EQ(1u, board.gpu.registrations());
}

TEST_F(LargeBuffer, RangesThatOverlapBecomeOne) {
    read(4 * kMiB, 2 * kMiB);
    read(6 * kMiB, 2 * kMiB);
    EXPECT_EQ(2u, board.gpu.registrations());
    read(5 * kMiB, 3 * kMiB);
    EXPECT_EQ(1u, board.gpu.registrations());
    EXPECT_EQ(0u, copied());
    read(4 * kMiB, 5 * kMiB);
    EXPECT_EQ(1u, board.gpu.registrations());
}

TEST_F(LargeBuffer, ALittleBesideMuchIsCopied) {
    read(0, 14 * kMiB);
    read(13 * kMiB + 512 * 1024, kMiB);
    EXPECT_EQ(kMiB, copied());
    EXPECT_EQ(14 * kMiB, board.runner->registered_bytes());
}

TEST_F(LargeBuffer, NoMoreThanTheLimitIsRegistered) {
    for (std::uint64_t at = 0; at < kLarge; at += 8 * kMiB) {
        read(at, 8 * kMiB);
        EXPECT_EQ(0u, copied());
        EXPECT_LE(board.runner->registered_bytes(), 16 * kMiB);
    }
    read(0, 24 * kMiB);
    EXPECT_EQ(24 * kMiB, copied());
    EXPECT_NE(std::string::npos, board.jobs.policy.find("that may be registered")) << board.jobs.policy;
    EXPECT_EQ(16 * kMiB, board.runner->registered_bytes()) << "and nothing was let go for that";
}

}  // namespace
}  // namespace tegu::device
