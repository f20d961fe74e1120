// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/job_index.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

class JobIndexTest : public testing::Test {
  protected:
    JobIndexTest() {
        for (std::uint64_t id : {2, 3, 5, 8}) {
            tasks_.push_back(std::make_unique<JobTask>());
            tasks_.back()->waiting.ticket = id;
            index_.add(*tasks_.back());
        }
    }
    // Ids that are visited, and where to go on.
    std::vector<std::uint64_t> visit(std::uint64_t after, std::size_t most, std::size_t wanted = 100) {
        std::vector<std::uint64_t> ids;
        next_ = index_.visit(after, most, [&](const JobTask& task) {
            if (ids.size() == wanted) return false;
            ids.push_back(task.waiting.ticket);
            return true;
        });
        return ids;
    }
    using Ids = std::vector<std::uint64_t>;

    std::vector<std::unique_ptr<JobTask>> tasks_;
    JobIndex index_;
    std::uint64_t next_ = 0;
};

TEST_F(JobIndexTest, FindsWhatIsThere) {
    EXPECT_EQ(index_.find(5), tasks_[2].get());
    EXPECT_EQ(index_.find(4), nullptr);
    EXPECT_EQ(index_.oldest(), tasks_[0].get());
    index_.remove(*tasks_[0]);
    index_.remove(*tasks_[0]);
    EXPECT_EQ(index_.find(2), nullptr);
    EXPECT_EQ(index_.oldest(), tasks_[1].get());
    for (const auto& task : tasks_) index_.remove(*task);
    EXPECT_EQ(index_.oldest(), nullptr);
    EXPECT_EQ(visit(0, 10), Ids());
    EXPECT_EQ(next_, 0u);
}

TEST_F(JobIndexTest, VisitsInOrderFromAnId) {
    EXPECT_EQ(visit(0, 10), (Ids{2, 3, 5, 8}));
    EXPECT_EQ(next_, 0u);
    EXPECT_EQ(visit(3, 10), (Ids{5, 8}));
    EXPECT_EQ(visit(4, 10), (Ids{5, 8}));
    EXPECT_EQ(visit(8, 10), Ids());
    EXPECT_EQ(visit(UINT64_MAX, 10), Ids());
    EXPECT_EQ(next_, 0u);
}

TEST_F(JobIndexTest, SaysWhereItEndedEarly) {
    EXPECT_EQ(visit(0, 3), (Ids{2, 3, 5}));
    EXPECT_EQ(next_, 5u);
    EXPECT_EQ(visit(next_, 3), Ids{8});
    EXPECT_EQ(next_, 0u);
    EXPECT_EQ(visit(0, 10, 2), (Ids{2, 3}));
    EXPECT_EQ(next_, 3u);
    EXPECT_EQ(visit(0, 4), (Ids{2, 3, 5, 8}));
    EXPECT_EQ(next_, 0u) << "nothing is left";
}

TEST(JobStage, WaitsStartsOnceAndWaitsAgain) {
    JobTask whole, piece;
    piece.whole = std::shared_ptr<JobTask>(std::shared_ptr<JobTask>(), &whole);
    whole.stage.wait_at(Target::Gpu);
    EXPECT_EQ(whole.stage.started_ns.load(), 0);
    const TimePoint first{std::chrono::nanoseconds(100)}, later{std::chrono::nanoseconds(200)};
    piece.shown_stage().start(first);
    piece.shown_stage().start(later);
    EXPECT_EQ(whole.stage.started_ns.load(), 100);
    whole.stage.wait_at(Target::Pool);
    EXPECT_EQ(whole.stage.started_ns.load(), 0);
    EXPECT_EQ(whole.stage.target.load(), Target::Pool);
}

}  // namespace
}  // namespace tegu::daemon
