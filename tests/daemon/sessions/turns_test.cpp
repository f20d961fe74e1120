// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/turns.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <functional>
#include <string>

namespace tegu::daemon {
namespace {

constexpr uid_t kGreedy = 1000, kModest = 1001;

TEST(Turns, EndWithTheTimeOfAUserAndNotOfAConnection) {
    boost::asio::io_context io(1);
    Turns turns(io);
    EXPECT_FALSE(turns.is_over(kGreedy));
    turns.spend(kGreedy, Turns::kLongTurnNs / 2, Clock::now());
    EXPECT_FALSE(turns.is_over(kGreedy));
    EXPECT_TRUE(turns.is_over(kGreedy, Turns::kLongTurnNs));
    turns.spend(kGreedy, Turns::kLongTurnNs, Clock::now());
    EXPECT_TRUE(turns.is_over(kGreedy));
    EXPECT_FALSE(turns.is_over(kModest));
    turns.begin_round();
    EXPECT_TRUE(turns.is_over(kGreedy)) << "others have not been looked at";
    EXPECT_EQ(io.poll(), 1u);
    EXPECT_FALSE(turns.is_over(kGreedy));
}

TEST(Turns, LeaveNothingToBeDoneAfterLittleWork) {
    boost::asio::io_context io(1);
    Turns turns(io);
    for (int i = 0; i < 4; ++i) {
        turns.spend(kModest, Turns::kTurnNs / 2, Clock::now());
        EXPECT_FALSE(turns.is_over(kModest));
        EXPECT_EQ(io.poll(), 0u);
        io.restart();
        turns.begin_round();
    }
}

TEST(Turns, BeginAnewWhenAllThatWasReadyHasBeenLookedAt) {
    boost::asio::io_context io(1);
    Turns turns(io);
    std::string order;
    const std::function<void(char, int)> work = [&](char name, int left) {
        if (turns.is_over(kGreedy)) {
            boost::asio::post(io, [&work, name, left] { work(name, left); });
            return;
        }
        order += name;
        turns.spend(kGreedy, 2 * Turns::kLongTurnNs, Clock::now());
        if (left > 1)
            boost::asio::post(io, [&io, &work, name, left] {
                boost::asio::post(io, [&work, name, left] { work(name, left - 1); });
            });
    };
    for (const char name : {'a', 'b', 'c'}) boost::asio::post(io, [&work, name] { work(name, 3); });
    boost::asio::post(io, [&] {
        EXPECT_FALSE(turns.is_over(kModest));
        order += 'm';
    });
    io.run();
    EXPECT_EQ(order, "ambcabcabc");
}

TEST(Turns, AreShortWhileSeveralUsersWork) {
    boost::asio::io_context io(1);
    Turns turns(io);
    TimePoint now = Clock::now();
    turns.spend(kGreedy, 1, now);
    EXPECT_FALSE(turns.is_over(kModest, Turns::kLongTurnNs));
    EXPECT_TRUE(turns.is_over(kModest, Turns::kLongTurnNs + 1));
    turns.spend(kModest, 1, now);
    EXPECT_FALSE(turns.is_over(kGreedy, Turns::kTurnNs - 1));
    EXPECT_TRUE(turns.is_over(kGreedy, Turns::kTurnNs));
    turns.begin_round();
    turns.spend(kModest, 1, now + Turns::kSeveral);
    EXPECT_FALSE(turns.is_over(kModest, Turns::kTurnNs)) << "the other user is gone";
}

TEST(Turns, EndWhereASecondUserMakesThemShorter) {
    boost::asio::io_context io(1);
    Turns turns(io);
    const TimePoint now = Clock::now();
    turns.spend(kGreedy, 2 * Turns::kTurnNs, now);
    EXPECT_FALSE(turns.is_over(kGreedy));
    turns.spend(kModest, 1, now);
    EXPECT_TRUE(turns.is_over(kGreedy));
    EXPECT_EQ(io.poll(), 1u) << "who waits for the next round would wait for ever";
    EXPECT_FALSE(turns.is_over(kGreedy));
}

TEST(Turns, KnowWhetherSeveralUsersWork) {
    boost::asio::io_context io(1);
    Turns turns(io);
    TimePoint now = Clock::now();
    EXPECT_FALSE(turns.several(now));
    turns.spend(kModest, 1, now);
    turns.spend(kModest, 1, now += Turns::kSeveral / 2);
    EXPECT_FALSE(turns.several(now)) << "one user, twice";
    turns.spend(kGreedy, 1, now += Turns::kSeveral / 2);
    EXPECT_TRUE(turns.several(now));
    turns.spend(kGreedy, 1, now += Turns::kSeveral / 2);
    EXPECT_TRUE(turns.several(now)) << "the other one may come back";
    EXPECT_FALSE(turns.several(now += Turns::kSeveral)) << "he did not";
    turns.spend(kModest, 1, now += 2 * Turns::kSeveral);
    EXPECT_FALSE(turns.several(now)) << "one after the other";
}

}  // namespace
}  // namespace tegu::daemon
