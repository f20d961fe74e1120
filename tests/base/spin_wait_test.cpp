// SPDX-License-Identifier: Apache-2.0
// When a waiting thread stays awake, with a clock that the test sets.
#include "base/spin_wait.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tegu {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
constexpr auto kLimit = microseconds(30);

class SpinWaitTest : public ::testing::Test {
  protected:
    // Looks once a microsecond until it would sleep or `at_most` is over; returns how long it stayed awake.
    microseconds looks(microseconds at_most) {
        const SpinWait::TimePoint start = now_;
        while (wait_.stay_awake(now_, kLimit) && now_ - start < at_most) now_ += microseconds(1);
        return std::chrono::duration_cast<microseconds>(now_ - start);
    }
    void event() { wait_.note_event(now_, kLimit); }
    // From now on it stays awake, if it ever does.
    void quick_events() {
        event();
        now_ += microseconds(10);
        event();
    }
    // A look that another thread ran in between of: it sleeps.
    void disturb() {
        ASSERT_EQ(microseconds(3), looks(microseconds(3)));
        now_ += SpinWait::kPreempted + microseconds(1);
        EXPECT_EQ(microseconds(0), looks(kLimit));
    }

    SpinWait::TimePoint now_ = SpinWait::TimePoint() + std::chrono::hours(1);
    SpinWait wait_;
};

TEST_F(SpinWaitTest, ASlowTrickleSleeps) {
    for (int i = 0; i < 5; ++i) {
        event();
        EXPECT_EQ(microseconds(0), looks(kLimit));
        now_ += milliseconds(1);
    }
}

TEST_F(SpinWaitTest, QuickEventsKeepItAwakeAndAPauseEndsIt) {
    event();
    now_ += microseconds(10);
    event();
    EXPECT_EQ(microseconds(12), looks(microseconds(12)));
    event();
    EXPECT_EQ(kLimit, looks(milliseconds(1)));
    EXPECT_EQ(microseconds(0), looks(milliseconds(1)));  // until the next event
    now_ += milliseconds(5);
    event();
    EXPECT_EQ(microseconds(0), looks(milliseconds(1)));
}

TEST_F(SpinWaitTest, OneDisturbanceCostsOneSleep) {
    quick_events();
    for (int i = 0; i < 10; ++i) {
        disturb();
        quick_events();
        EXPECT_EQ(microseconds(20), looks(microseconds(20))) << i;
        now_ += SpinWait::kCalm + milliseconds(1);
        quick_events();
    }
}

// Both sides sleep: each event takes two wake-ups. One that looks for the next event ends that, for the other
// side, too.
TEST_F(SpinWaitTest, AnEventThatIsNotMuchTooLateIsWorthATrial) {
    event();
    now_ += kLimit + kLimit / 2;
    event();
    EXPECT_EQ(microseconds(20), looks(microseconds(20)));
    event();
    EXPECT_EQ(kLimit, looks(milliseconds(1)));  // from now on as after any quick event
    now_ += 2 * kLimit;
    event();
    EXPECT_EQ(microseconds(0), looks(milliseconds(1)));
}

// Events that always come a bit too late: looking for them would be for nothing.
TEST_F(SpinWaitTest, TrialsInVainBecomeRare) {
    microseconds awake{0};
    const SpinWait::TimePoint start = now_;
    for (int i = 0; i < 20'000; ++i) {
        event();
        const microseconds looked = looks(milliseconds(1));
        awake += looked;
        now_ += kLimit + kLimit / 2 - looked;
    }
    EXPECT_GT(awake, microseconds(0));
    EXPECT_LT(awake * 100, now_ - start);
}

// Another thread wants the core, too.
TEST_F(SpinWaitTest, AsOftenAsItIsDisturbedSoonAgainItSleepsTwiceAsLong) {
    quick_events();
    disturb();
    SpinWait::Clock::duration pause = SpinWait::kShortestBackOff;
    for (int i = 0; i < 12; ++i) {
        quick_events();
        disturb();
        const SpinWait::TimePoint end = now_ + pause;
        while (now_ + microseconds(10) < end) {
            now_ += microseconds(10);
            event();
            ASSERT_EQ(microseconds(0), looks(kLimit)) << i;
        }
        now_ = end;
        pause = std::min<SpinWait::Clock::duration>(2 * pause, SpinWait::kBackOff);
    }
    quick_events();
    EXPECT_EQ(kLimit, looks(milliseconds(1)));
}

// A client that thinks between a reply and its next request: only the wait for the reply counts.
TEST_F(SpinWaitTest, WhatIsBeforeTheWaitDoesNotCount) {
    for (int i = 0; i < 5; ++i) {
        wait_.begin(now_);
        EXPECT_EQ(microseconds(i == 0 ? 0 : 10), looks(microseconds(10))) << i;
        event();
        now_ += milliseconds(1);
    }
    wait_.begin(now_);
    now_ += 2 * kLimit;
    wait_.begin(now_);  // the same wait
    event();
    wait_.begin(now_);
    EXPECT_EQ(microseconds(0), looks(kLimit));
}

// Both sides on one core: as long as this one looks, the other one cannot answer.
TEST_F(SpinWaitTest, WaitsInVainBackOff) {
    wait_.begin(now_);
    event();
    SpinWait::TimePoint last_vain;
    for (int i = 0; i < 2; ++i) {  // the first changes nothing yet
        wait_.begin(now_);
        EXPECT_EQ(kLimit, looks(milliseconds(1))) << i;
        last_vain = now_;
        event();
        wait_.begin(now_);
        event();
    }
    for (now_ += microseconds(10); now_ < last_vain + SpinWait::kShortestBackOff; now_ += microseconds(10)) {
        wait_.begin(now_);
        EXPECT_EQ(microseconds(0), looks(kLimit));
        event();
    }
    wait_.begin(now_);
    event();
    wait_.begin(now_);
    EXPECT_EQ(kLimit, looks(milliseconds(1)));
}

TEST_F(SpinWaitTest, ALimitOfZeroNeverStaysAwake) {
    wait_.note_event(now_, microseconds(0));
    wait_.note_event(now_, microseconds(0));
    EXPECT_FALSE(wait_.stay_awake(now_, microseconds(0)));
}

}  // namespace
}  // namespace tegu
