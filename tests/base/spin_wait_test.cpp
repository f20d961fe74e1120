// SPDX-License-Identifier: Apache-2.0
// When a waiting thread stays awake, with a clock that the test sets.
#include "base/spin_wait.h"

#include <gtest/gtest.h>

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

TEST_F(SpinWaitTest, WhenAnotherThreadTakesTheCoreItSleepsForAWhile) {
    event();
    now_ += microseconds(10);
    event();
    EXPECT_EQ(microseconds(3), looks(microseconds(3)));
    now_ += SpinWait::kPreempted + microseconds(1);
    EXPECT_EQ(microseconds(0), looks(kLimit));
    for (int i = 0; i < 100; ++i) {
        now_ += microseconds(10);
        event();
        EXPECT_EQ(microseconds(0), looks(kLimit)) << i;
    }
    now_ += SpinWait::kBackOff;
    event();
    now_ += microseconds(10);
    event();
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
    now_ += kLimit;
    wait_.begin(now_);  // the same wait
    event();
    wait_.begin(now_);
    EXPECT_EQ(microseconds(0), looks(kLimit));
}

// Both sides on one core: as long as this one looks, the other one cannot answer.
TEST_F(SpinWaitTest, AWaitInVainBacksOff) {
    wait_.begin(now_);
    event();
    wait_.begin(now_);
    EXPECT_EQ(kLimit, looks(milliseconds(1)));
    event();
    for (int i = 0; i < 100; ++i) {
        wait_.begin(now_);
        EXPECT_EQ(microseconds(0), looks(kLimit)) << i;
        now_ += microseconds(10);
        event();
    }
    now_ += SpinWait::kBackOff;
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
