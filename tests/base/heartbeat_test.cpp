// SPDX-License-Identifier: Apache-2.0
#include "base/heartbeat.h"

#include <gtest/gtest.h>

#include <thread>

namespace tegu {
namespace {

TEST(Heartbeat, IsTakenOnceHoweverOftenItBeat) {
    Heartbeat heart;
    EXPECT_FALSE(heart.take());
    heart.beat();
    heart.beat();
    EXPECT_TRUE(heart.take());
    EXPECT_FALSE(heart.take());
    heart.beat();
    EXPECT_TRUE(heart.take());
}

// Beats that come while one is taken may count for it; the last of a thread is never lost.
TEST(Heartbeat, TheLastBeatOfAThreadIsSeen) {
    Heartbeat heart;
    for (int round = 0; round < 50; ++round) {
        (void)heart.take();
        std::thread beats([&] {
            for (int i = 0; i < 100; ++i) heart.beat();
        });
        bool seen = false;
        for (int i = 0; i < 100; ++i) seen |= heart.take();
        beats.join();
        seen |= heart.take();
        EXPECT_TRUE(seen);
    }
}

}  // namespace
}  // namespace tegu
