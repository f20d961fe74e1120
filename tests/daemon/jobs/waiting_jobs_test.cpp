// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/waiting_jobs.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

using Turn = WaitingJobs::Turn;

constexpr std::uint64_t kMillisecond = 1'000'000;

std::shared_ptr<JobTask> task_of(std::uint64_t ticket, uid_t uid = 1000,
                                 wire::Priority priority = wire::Priority::Normal) {
    auto task = std::make_shared<JobTask>();
    task->waiting = {ticket, uid, priority, 0};
    return task;
}

std::uint64_t ticket_of(const std::optional<WaitingJobs::Next>& next) {
    return next ? next->task.front()->waiting.ticket : 0;
}

TEST(WaitingJobs, ShortAndLongOnesTakeTurns) {
    WaitingJobs jobs(kMillisecond);
    for (const std::uint64_t ticket : {1u, 2u}) jobs.push(task_of(ticket), 100, Turn::Own);
    for (const std::uint64_t ticket : {11u, 12u, 13u}) jobs.push(task_of(ticket), 10, Turn::MayShare);
    EXPECT_EQ(5u, jobs.size());
    EXPECT_EQ(230u, jobs.cost_ns());
    for (const std::uint64_t ticket : {1u, 11u, 2u, 12u, 13u, 0u}) EXPECT_EQ(ticket, ticket_of(jobs.pop()));
    EXPECT_EQ(0u, jobs.size());
    EXPECT_EQ(0u, jobs.cost_ns());
}

TEST(WaitingJobs, AShortOneLeavesBeforeItsTurn) {
    WaitingJobs jobs(kMillisecond);
    EXPECT_FALSE(jobs.may_have_short());
    jobs.push(task_of(1), 100, Turn::Own);
    jobs.push(task_of(2), 10, Turn::MayShare);
    EXPECT_TRUE(jobs.may_have_short());
    EXPECT_EQ(2u, ticket_of(jobs.pop_short()));
    EXPECT_FALSE(jobs.may_have_short());
    EXPECT_FALSE(jobs.pop_short().has_value()) << "the other has a turn of its own";
    EXPECT_EQ(1u, ticket_of(jobs.pop()));
}

TEST(WaitingJobs, AUserHasFewShortOnes) {
    WaitingJobs jobs(kMillisecond);
    EXPECT_TRUE(jobs.may_share(1000, kMillisecond));
    EXPECT_FALSE(jobs.may_share(1000, kMillisecond + 1)) << "not short";
    for (std::uint64_t ticket = 1; ticket <= 5; ++ticket)
        jobs.push(task_of(ticket), kMillisecond, Turn::MayShare);
    EXPECT_FALSE(jobs.may_share(1000, 1));
    EXPECT_TRUE(jobs.may_share(1001, 1)) << "another user";
    EXPECT_EQ(1u, ticket_of(jobs.pop_short()));
    EXPECT_TRUE(jobs.may_share(1000, 1));
}

TEST(WaitingJobs, UsersTakeTurnsInBoth) {
    WaitingJobs jobs(1);
    for (const Turn turn : {Turn::Own, Turn::MayShare})
        for (std::uint64_t ticket = 1; ticket <= 3; ++ticket) {
            jobs.push(task_of(ticket + (turn == Turn::Own ? 0 : 20), 1000), 10, turn);
            jobs.push(task_of(ticket + (turn == Turn::Own ? 10 : 30), 1001), 10, turn);
        }
    for (const std::uint64_t ticket : {21u, 31u, 22u, 32u, 23u, 33u})
        EXPECT_EQ(ticket, ticket_of(jobs.pop_short()));
    for (const std::uint64_t ticket : {1u, 11u, 2u, 12u, 3u, 13u}) EXPECT_EQ(ticket, ticket_of(jobs.pop()));
}

TEST(WaitingJobs, EitherIsRemoved) {
    WaitingJobs jobs(kMillisecond);
    const auto own = task_of(1), shares = task_of(2, 1000, wire::Priority::High), unknown = task_of(3);
    jobs.push(own, 100, Turn::Own);
    jobs.push(shares, 10, Turn::MayShare);
    EXPECT_EQ(1u, jobs.sizes()[static_cast<unsigned>(wire::Priority::High)]);
    EXPECT_EQ(1u, jobs.sizes()[static_cast<unsigned>(wire::Priority::Normal)]);
    EXPECT_TRUE(jobs.remove(*unknown).empty());
    EXPECT_EQ(shares, jobs.remove(*shares).front());
    EXPECT_FALSE(jobs.may_have_short());
    EXPECT_EQ(own, jobs.remove(*own).front());
    EXPECT_TRUE(jobs.remove(*own).empty());
    EXPECT_EQ(0u, jobs.size());
}

}  // namespace
}  // namespace tegu::daemon
