// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/watchdog_judge.h"

#include <gtest/gtest.h>

namespace tegu::daemon {
namespace {

using Verdict = WatchdogJudge::Verdict;
using Parts = std::vector<std::size_t>;

TEST(WatchdogJudge, WhoGivesSignsIsNotAsked) {
    WatchdogJudge judge(2);
    for (int i = 0; i < 100; ++i) {
        const Verdict verdict = judge.turn({true, true});
        EXPECT_TRUE(verdict.all_well);
        EXPECT_TRUE(verdict.ask.empty());
        EXPECT_FALSE(verdict.hangs.has_value());
    }
}

TEST(WatchdogJudge, AnIdlePartThatAnswersIsWellForEver) {
    WatchdogJudge judge(1);
    bool asked = false;
    int questions = 0;
    for (int i = 0; i < 100; ++i) {
        const Verdict verdict = judge.turn({asked});
        EXPECT_TRUE(verdict.all_well) << i;
        asked = !verdict.ask.empty();
        questions += asked;
    }
    EXPECT_EQ(50, questions) << "every other turn";
}

TEST(WatchdogJudge, WhoOwesAnAnswerKeepsTheManagerWaitingAndThenHangs) {
    WatchdogJudge judge(3);
    (void)judge.turn({true, true, true});
    Verdict verdict = judge.turn({true, false, true});
    EXPECT_TRUE(verdict.all_well) << "it was not asked before";
    EXPECT_EQ(Parts{1}, verdict.ask);
    for (unsigned silent = 2; silent < WatchdogJudge::kHangs; ++silent) {
        verdict = judge.turn({true, false, true});
        EXPECT_FALSE(verdict.all_well);
        EXPECT_FALSE(verdict.hangs.has_value());
    }
    verdict = judge.turn({true, false, true});
    ASSERT_TRUE(verdict.hangs.has_value());
    EXPECT_EQ(1u, *verdict.hangs);
}

// The last word to the manager comes with the turn that asks, and the part is given up before the manager's
// patience ends.
TEST(WatchdogJudge, GivesUpBeforeTheManagerDoes) {
    WatchdogJudge judge(1);
    (void)judge.turn({true});
    unsigned since_told = 0;
    for (;;) {
        const Verdict verdict = judge.turn({false});
        if (verdict.hangs) break;
        since_told = verdict.all_well ? 0 : since_told + 1;
    }
    EXPECT_LT(since_told + 1, WatchdogJudge::kTurns);
}

TEST(WatchdogJudge, ALateAnswerMakesUpForTheSilence) {
    WatchdogJudge judge(2);
    for (int round = 0; round < 10; ++round) {
        for (unsigned silent = 1; silent < WatchdogJudge::kHangs; ++silent)
            EXPECT_FALSE(judge.turn({false, true}).hangs.has_value());
        EXPECT_TRUE(judge.turn({true, true}).all_well);
    }
}

TEST(WatchdogJudge, WithoutPartsTheLoopAloneCounts) {
    WatchdogJudge judge(0);
    EXPECT_TRUE(judge.turn({}).all_well);
}

struct Environment {
    const char* usec;
    const char* pid;
    std::int64_t interval_ns;  // -1: an error
    const char* field;
};

TEST(WatchdogEnvironment, IsReadOrRefused) {
    constexpr std::int64_t kOwn = 4711;
    for (const Environment& each : std::initializer_list<Environment>{
             {nullptr, nullptr, 0, ""},
             {nullptr, "x", 0, ""},
             {"30000000", nullptr, 30'000'000'000, ""},
             {"30000000", "4711", 30'000'000'000, ""},
             {"30000000", "4712", 0, ""},
             {"garbage", "4712", 0, ""},
             {"1", "4711", 1000, ""},
             {"31536000000000", nullptr, 31'536'000'000'000'000, ""},
             {"31536000000001", nullptr, -1, "WATCHDOG_USEC"},
             {"0", nullptr, -1, "WATCHDOG_USEC"},
             {"-1", nullptr, -1, "WATCHDOG_USEC"},
             {"", nullptr, -1, "WATCHDOG_USEC"},
             {" 1", nullptr, -1, "WATCHDOG_USEC"},
             {"+1", nullptr, -1, "WATCHDOG_USEC"},
             {"1s", nullptr, -1, "WATCHDOG_USEC"},
             {"1e6", nullptr, -1, "WATCHDOG_USEC"},
             {"18446744073709551615", nullptr, -1, "WATCHDOG_USEC"},
             {"18446744073709551616", nullptr, -1, "WATCHDOG_USEC"},
             {"99999999999999999999999999999999999999", nullptr, -1, "WATCHDOG_USEC"},
             {"1000", "", -1, "WATCHDOG_PID"},
             {"1000", "0", -1, "WATCHDOG_PID"},
             {"1000", "-4711", -1, "WATCHDOG_PID"},
             {"1000", "self", -1, "WATCHDOG_PID"},
         }) {
        SCOPED_TRACE(std::string(each.usec ? each.usec : "unset") + " for " +
                     (each.pid ? each.pid : "unset"));
        const Result<std::uint64_t> interval = watchdog_interval_ns(each.usec, each.pid, kOwn);
        ASSERT_EQ(each.interval_ns >= 0, interval.ok());
        if (interval.ok()) {
            EXPECT_EQ(static_cast<std::uint64_t>(each.interval_ns), *interval);
        } else {
            EXPECT_EQ(each.field, interval.error().field);
            EXPECT_NE(std::string::npos, interval.error().message.find(each.field));
        }
    }
}

}  // namespace
}  // namespace tegu::daemon
