// SPDX-License-Identifier: Apache-2.0
// Jobs of a GpuRunner within another one, whose kernel is held meanwhile.
#include <functional>

#include "tests/kernels/device/board.h"

namespace tegu::device {
namespace {

using test::Board;
using test::ClientFile;
using test::options_of;
using test::RunnerCase;

constexpr std::uint64_t kCount = 50000;  // of i32: 200 kB
constexpr std::int64_t kSum = kCount * (kCount + 1) / 2;

// Runs `work` once, while the kernel of the job around it is held.
class Beside {
  public:
    Beside(Board& board, std::function<void()> work) : board_(board), work_(std::move(work)) {
        board_.runner->set_meanwhile({[](void* with) { return static_cast<Beside*>(with)->run(); }, this});
        board_.gpu.hold_kernels(1);
    }
    ~Beside() {
        EXPECT_TRUE(ran_);
        board_.runner->set_meanwhile({});
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

  private:
    bool run() {
        if (ran_) return false;
        ran_ = true;
        board_.gpu.wait_for_kernel();
        work_();
        board_.gpu.release_kernels();
        return true;
    }

    Board& board_;
    const std::function<void()> work_;
    bool ran_ = false;
};

class JobsBeside : public testing::TestWithParam<MemoryClass> {
  protected:
    explicit JobsBeside(std::size_t arena_bytes = 1 << 20)
        : board(options_of(GetParam()), arena_bytes), inner(*board.runner), file(1, kCount * 4) {
        test::fill(file, kCount);
    }
    Board board;
    RunnerCase inner;
    ClientFile file;
};

TEST_P(JobsBeside, GiveTheirResults) {
    ClientFile other(2, 4000);
    test::fill(other, 1000);
    {
        const Beside beside(board, [&] {
            EXPECT_EQ(500500, inner.sum(other, 1, 0, 1000)) << inner.error.message;
            EXPECT_TRUE(inner.cost.beside);
        });
        EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount)) << board.jobs.error.message;
        EXPECT_TRUE(board.jobs.cost.beside);
    }
    EXPECT_EQ(500500, board.jobs.sum(other, 1, 0, 1000));
    EXPECT_FALSE(board.jobs.cost.beside);
}

// Each starts while the one around it is held; the last one lets all go.
TEST_P(JobsBeside, RunEachWithinTheLast) {
    struct Nest {
        Board& board;
        ClientFile& file;
        unsigned depth = 0;
        bool deeper() {
            if (depth == board.runner->jobs_beside()) {
                board.gpu.release_kernels();
                return false;
            }
            ++depth;
            RunnerCase within(*board.runner);
            EXPECT_EQ(500500, within.sum(file, 1, 0, 1000)) << within.error.message;
            EXPECT_TRUE(within.cost.beside);
            return true;
        }
    } nest{board, file};
    ASSERT_GE(board.runner->jobs_beside(), 2u);
    board.runner->set_meanwhile({[](void* with) { return static_cast<Nest*>(with)->deeper(); }, &nest});
    board.gpu.hold_kernels();
    EXPECT_EQ(500500, board.jobs.sum(file, 1, 0, 1000));
    EXPECT_EQ(board.runner->jobs_beside(), nest.depth);
    board.runner->set_meanwhile({});
}

// The newer content goes to memory of the inner job alone: the kernel around it still reads the older copy.
TEST_P(JobsBeside, ChangeNoCopyThatIsRead) {
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    const Beside beside(board, [&] {
        if (!test::copies(GetParam())) return;  // there is no copy
        file.values()[3] += 100;
        EXPECT_EQ(kSum + 100, inner.sum(file, 2, 0, kCount)) << inner.error.message;
        EXPECT_GE(inner.cost.moved.bytes_copied, kCount * 4);
    });
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
}

TEST_P(JobsBeside, FreeNoCopyThatIsRead) {
    ClientFile b(2, kCount * 4), c(3, kCount * 4), d(4, kCount * 4), e(5, kCount * 4);
    {
        const Beside beside(board, [&] {
            for (ClientFile* each : {&b, &c, &d, &e}) {
                test::fill(*each, kCount);
                EXPECT_EQ(kSum, inner.sum(file, 1, 0, kCount)) << inner.error.message;
                EXPECT_EQ(kSum, inner.sum(*each, 1, 0, kCount)) << inner.error.message;
            }
        });
        EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount)) << board.jobs.error.message;
    }
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount));
    EXPECT_LE(board.jobs.cost.moved.bytes_copied, 8u) << "its copy is still there";
    EXPECT_LE(board.runner->arena().held_bytes(), std::size_t{1} << 20);
}

TEST_P(JobsBeside, FailAlone) {
    const Beside beside(board, [&] {
        board.gpu.fail_next(make_error(Status::OutOfMemory, "no memory beside"));
        EXPECT_EQ(-1, inner.sum(file, 1, 0, kCount));
        EXPECT_EQ(Status::OutOfMemory, inner.error.status);
    });
    EXPECT_EQ(kSum, board.jobs.sum(file, 1, 0, kCount)) << board.jobs.error.message;
}

INSTANTIATE_TEST_SUITE_P(Memory, JobsBeside,
                         testing::Values(MemoryClass::B, MemoryClass::C, MemoryClass::Discrete),
                         [](const auto& each) { return std::string(memory_class_word(each.param)); });

TEST(JobsBesideOthers, AreNoneWhereCopiesBelongToOneStream) {
    EXPECT_EQ(0u, Board(options_of(MemoryClass::A)).runner->jobs_beside());
}

}  // namespace
}  // namespace tegu::device
