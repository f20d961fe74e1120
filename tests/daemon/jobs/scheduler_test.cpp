// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace tegu::daemon {
namespace {

constexpr auto kHigh = wire::Priority::High;
constexpr auto kNormal = wire::Priority::Normal;
constexpr auto kLow = wire::Priority::Low;

std::vector<std::uint64_t> drain(Scheduler& scheduler) {
    std::vector<std::uint64_t> order;
    while (const std::optional<Waiting> job = scheduler.pop()) order.push_back(job->ticket);
    return order;
}

TEST(Scheduler, EmptyGivesNothing) {
    Scheduler scheduler(1000);
    EXPECT_FALSE(scheduler.pop().has_value());
    EXPECT_EQ(0u, scheduler.size());
    EXPECT_EQ(0u, scheduler.cost_ns());
}

TEST(Scheduler, OneUserInOrderOfArrivalWithinAPriority) {
    Scheduler scheduler(1000);
    for (std::uint64_t ticket : {1, 2, 3}) scheduler.push({ticket, 7, kNormal, 10});
    EXPECT_EQ((std::vector<std::uint64_t>{1, 2, 3}), drain(scheduler));
}

TEST(Scheduler, HigherPriorityFirstWithinAUser) {
    Scheduler scheduler(1000);
    scheduler.push({1, 7, kLow, 10});
    scheduler.push({2, 7, kNormal, 10});
    scheduler.push({3, 7, kHigh, 10});
    EXPECT_EQ((std::vector<std::uint64_t>{3, 2, 1}), drain(scheduler));
}

TEST(Scheduler, HigherPriorityOvertakesOtherUsersWithinTheirShares) {
    Scheduler scheduler(1000);
    scheduler.push({1, 1, kNormal, 10});
    scheduler.push({2, 1, kNormal, 10});
    scheduler.push({3, 2, kHigh, 10});
    EXPECT_EQ((std::vector<std::uint64_t>{3, 1, 2}), drain(scheduler));
}

TEST(Scheduler, KnowsWhatEachUserHasWaiting) {
    Scheduler scheduler(1000);
    scheduler.push({1, 1, kNormal, 10});
    scheduler.push({2, 1, kHigh, 20});
    scheduler.push({3, 2, kLow, 500});
    EXPECT_EQ(30u, scheduler.cost_ns(1));
    EXPECT_EQ(500u, scheduler.cost_ns(2));
    EXPECT_EQ(0u, scheduler.cost_ns(3));
    EXPECT_EQ(530u, scheduler.cost_ns());
    scheduler.pop();
    EXPECT_EQ(10u, scheduler.cost_ns(1));
}

TEST(Scheduler, KnowsWhatANewJobWouldWaitFor) {
    Scheduler scheduler(1000);
    EXPECT_EQ(0u, scheduler.before_ns(1, kNormal));
    scheduler.push({1, 1, kNormal, 300});
    scheduler.push({2, 1, kLow, 40});
    EXPECT_EQ(300u, scheduler.before_ns(1, kNormal)) << "the user's own, but for what it overtakes";
    EXPECT_EQ(340u, scheduler.before_ns(1, kLow));
    EXPECT_EQ(0u, scheduler.before_ns(1, kHigh));
    EXPECT_EQ(300u, scheduler.before_ns(2, kNormal)) << "another user's share, which this is within";
    for (std::uint64_t ticket = 10; ticket < 110; ++ticket) scheduler.push({ticket, 1, kNormal, 300});
    EXPECT_EQ(30'300u, scheduler.before_ns(1, kNormal)) << "all of one's own";
    EXPECT_EQ(1300u, scheduler.before_ns(2, kNormal))
        << "a share of another's, and the job that overdraws it";
    scheduler.push({200, 2, kNormal, 2500});
    EXPECT_EQ(2500u + 3 * 1000 + 300, scheduler.before_ns(2, kNormal))
        << "in as many rounds as one's own take";
}

// The estimate is near what happens.
TEST(Scheduler, WhatANewJobWouldWaitForIsAboutWhatItDoes) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        Scheduler scheduler(1000);
        const auto users = 1 + random() % 4;
        for (std::uint64_t ticket = 1; ticket <= random() % 40; ++ticket)
            scheduler.push({ticket, static_cast<uid_t>(random() % users), kNormal, 1 + random() % 900});
        const std::uint64_t expected = scheduler.before_ns(0, kNormal);
        scheduler.push({1000, 0, kNormal, 10});
        std::uint64_t before = 0;
        for (std::optional<Waiting> job = scheduler.pop(); job->ticket != 1000; job = scheduler.pop())
            before += job->cost_ns;
        EXPECT_LE(before, expected + users * 1000);
        EXPECT_LE(expected, before + users * 2900) << "a round and a job of each user";
    }
}

TEST(Scheduler, UsersOfEqualPriorityTakeTurns) {
    Scheduler scheduler(1000);
    for (std::uint64_t ticket : {1, 2, 3}) scheduler.push({ticket, 1, kNormal, 10});
    for (std::uint64_t ticket : {11, 12, 13}) scheduler.push({ticket, 2, kNormal, 10});
    EXPECT_EQ((std::vector<std::uint64_t>{1, 11, 2, 12, 3, 13}), drain(scheduler));
}

// Served cost while both have work: neither gets ahead by more than a share and a job.
TEST(Scheduler, SharesByCostNotByCount) {
    Scheduler scheduler(1000);
    std::uint64_t ticket = 0;
    for (int i = 0; i < 100; ++i) scheduler.push({++ticket, 1, kNormal, 1000});
    for (int i = 0; i < 1000; ++i) scheduler.push({++ticket, 2, kNormal, 100});
    std::map<uid_t, std::uint64_t> served;
    for (int i = 0; i < 500; ++i) {
        const std::optional<Waiting> job = scheduler.pop();
        ASSERT_TRUE(job.has_value());
        served[job->uid] += job->cost_ns;
        const std::uint64_t ahead = served[1] > served[2] ? served[1] - served[2] : served[2] - served[1];
        ASSERT_LE(ahead, 2000u) << "after " << i + 1 << " jobs";
    }
}

TEST(Scheduler, AUserWhoCallsEverythingHighGetsNoMoreThanHisShare) {
    Scheduler scheduler(1000);
    std::uint64_t ticket = 0;
    for (int i = 0; i < 1000; ++i) scheduler.push({++ticket, 1, kHigh, 100});
    for (int i = 0; i < 1000; ++i) scheduler.push({++ticket, 2, kLow, 100});
    std::map<uid_t, std::uint64_t> served;
    for (int i = 0; i < 600; ++i) ++served[scheduler.pop()->uid];
    EXPECT_NEAR(300.0, static_cast<double>(served[2]), 10.0);
}

TEST(Scheduler, ALongJobIsPaidForLater) {
    Scheduler scheduler(1000);
    scheduler.push({1, 1, kNormal, 100000});
    EXPECT_EQ(1u, scheduler.pop()->ticket);
    // Both come back: the first has 99 rounds to pay for, so the second's jobs go first.
    scheduler.push({2, 1, kNormal, 1000});
    for (std::uint64_t i = 0; i < 90; ++i) scheduler.push({100 + i, 2, kNormal, 1000});
    for (std::uint64_t i = 0; i < 90; ++i) ASSERT_EQ(100 + i, scheduler.pop()->ticket);
    EXPECT_EQ(2u, scheduler.pop()->ticket);
}

TEST(Scheduler, CostsOfZeroAndBeyondAllBoundsAreServed) {
    Scheduler scheduler(1);
    scheduler.push({1, 1, kNormal, 0});
    scheduler.push({2, 1, kNormal, UINT64_MAX});
    scheduler.push({3, 1, kNormal, UINT64_MAX});
    scheduler.push({4, 2, kNormal, 1});
    EXPECT_EQ(4u, drain(scheduler).size());
    EXPECT_EQ(0u, scheduler.cost_ns());
}

TEST(Scheduler, RemoveTakesAWaitingJobOnce) {
    Scheduler scheduler(1000);
    const Waiting job{1, 1, kNormal, 10};
    scheduler.push(job);
    scheduler.push({2, 1, kNormal, 10});
    EXPECT_TRUE(scheduler.remove(job));
    EXPECT_FALSE(scheduler.remove(job));
    EXPECT_FALSE(scheduler.remove({9, 5, kNormal, 10}));
    EXPECT_EQ(1u, scheduler.size());
    EXPECT_EQ(10u, scheduler.cost_ns());
    EXPECT_EQ((std::vector<std::uint64_t>{2}), drain(scheduler));
}

TEST(Scheduler, RandomJobsAreEachServedOnceAndTheSumsAgree) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        Scheduler scheduler(1 + random() % 1000);
        std::set<std::uint64_t> expected;
        std::vector<Waiting> pushed;
        std::uint64_t ticket = 0;
        for (int step = 0; step < 2000; ++step) {
            if (random() % 3 != 0) {
                pushed.push_back({++ticket, static_cast<uid_t>(random() % 5),
                                  static_cast<wire::Priority>(random() % 3), random() % 5000});
                scheduler.push(pushed.back());
                expected.insert(ticket);
            } else if (random() % 4 == 0 && !pushed.empty()) {
                const Waiting& job = pushed[random() % pushed.size()];
                EXPECT_EQ(expected.erase(job.ticket) == 1, scheduler.remove(job)) << "seed " << seed;
            } else if (const std::optional<Waiting> job = scheduler.pop()) {
                EXPECT_EQ(1u, expected.erase(job->ticket)) << "seed " << seed;
            }
            ASSERT_EQ(expected.size(), scheduler.size()) << "seed " << seed;
        }
        for (const std::uint64_t left : drain(scheduler))
            EXPECT_EQ(1u, expected.erase(left)) << "seed " << seed;
        EXPECT_TRUE(expected.empty()) << "seed " << seed;
        EXPECT_EQ(0u, scheduler.cost_ns()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace tegu::daemon
