// SPDX-License-Identifier: Apache-2.0
#include "daemon/idle_wait.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
constexpr auto kLimit = microseconds(30);

class IdleWaitTest : public ::testing::Test {
  protected:
    // Looks once a microsecond until it would sleep or `at_most` is over; returns how long it stayed awake.
    microseconds looks(microseconds at_most) {
        const TimePoint start = now_;
        while (wait_.stay_awake(now_, kLimit) && now_ - start < at_most) now_ += microseconds(1);
        return std::chrono::duration_cast<microseconds>(now_ - start);
    }
    void event() { wait_.note_event(now_, kLimit); }

    TimePoint now_ = TimePoint() + std::chrono::hours(1);
    IdleWait wait_;
};

TEST_F(IdleWaitTest, ASlowTrickleSleeps) {
    for (int i = 0; i < 5; ++i) {
        event();
        EXPECT_EQ(microseconds(0), looks(kLimit));
        now_ += milliseconds(1);
    }
}

TEST_F(IdleWaitTest, QuickEventsKeepItAwakeAndAPauseEndsIt) {
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

TEST_F(IdleWaitTest, WhenAnotherThreadTakesTheCoreItSleepsForAWhile) {
    event();
    now_ += microseconds(10);
    event();
    EXPECT_EQ(microseconds(3), looks(microseconds(3)));
    now_ += IdleWait::kPreempted + microseconds(1);
    EXPECT_EQ(microseconds(0), looks(kLimit));
    for (int i = 0; i < 100; ++i) {
        now_ += microseconds(10);
        event();
        EXPECT_EQ(microseconds(0), looks(kLimit)) << i;
    }
    now_ += IdleWait::kBackOff;
    event();
    now_ += microseconds(10);
    event();
    EXPECT_EQ(kLimit, looks(milliseconds(1)));
}

TEST_F(IdleWaitTest, ALimitOfZeroNeverStaysAwake) {
    wait_.note_event(now_, microseconds(0));
    wait_.note_event(now_, microseconds(0));
    EXPECT_FALSE(wait_.stay_awake(now_, microseconds(0)));
}

}  // namespace
}  // namespace tegu::daemon
