// SPDX-License-Identifier: Apache-2.0
// What is read of a HEALTH answer, what is not there, and answers that are no such thing: cut, deep, huge,
// changed at random.
#include "tools/tegu/top/view.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tools/top_frames.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

TEST(ParseView, Board) {
    const Expected<View> view = parse_view(health_text("xavier-nx", false));
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ(view->state, "ok");
    EXPECT_FALSE(view->daemon);
    const Board& board = view->board;
    EXPECT_EQ(board.model, "NVIDIA Jetson Xavier NX Developer Kit");
    EXPECT_EQ(board.power_mode, "MODE_20W_6CORE");
    EXPECT_EQ(board.gpu.share, Number(0.472));
    EXPECT_EQ(board.gpu.max_hz, Number(1109250000));
    EXPECT_EQ(board.emc.share, Number());
    EXPECT_EQ(board.cpu.clock_hz, Number(1497600000));  // of the fastest cluster
    EXPECT_EQ(board.cores.size(), 6u);
    ASSERT_EQ(board.zones.size(), 7u);
    EXPECT_EQ(board.zones[0].name, "GPU-therm");  // nearest to throttling
    EXPECT_EQ(board.zones[0].margin_celsius, Number(44.5));
    EXPECT_EQ(board.zones[6].margin_celsius, Number());
    EXPECT_EQ(board.rails.size(), 3u);
    EXPECT_EQ(board.fans.at(0).revolutions_per_minute, Number(2410));
}

TEST(ParseView, Daemon) {
    const Expected<View> view = parse_view(health_text("nano", true, "failing"));
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ(view->state, "failing");
    ASSERT_EQ(view->reasons.size(), 4u);
    EXPECT_EQ(view->reasons[0].code, "executor_stalled");
    const Daemon& daemon = *view->daemon;
    EXPECT_EQ(daemon.queued_low, Number(12));
    ASSERT_EQ(daemon.operations.size(), 5u);
    EXPECT_EQ(daemon.operations[1].name, "entropy_map");
    EXPECT_EQ(daemon.operations[1].ok, 401221);
    EXPECT_EQ(daemon.operations[1].failed, 77);
    ASSERT_EQ(daemon.latencies.size(), 4u);
    EXPECT_EQ(daemon.latencies[3].p99_seconds, Number(0.00352));
    EXPECT_EQ(daemon.clients.size(), 9u);
    ASSERT_TRUE(daemon.error);
    EXPECT_EQ(daemon.error->status, "DEADLINE_EXCEEDED");  // the newest
    EXPECT_EQ(daemon.watchdog_gap_seconds, Number(0.271));
    EXPECT_FALSE(daemon.reload_failed);
}

TEST(ParseView, ValuesThatAreNoneAreUnknown) {
    const char* const texts[] = {"null", "\"NaN\"",       "\"Infinity\"", "1e999", "-1e300",
                                 "\"\"", "\"12 apples\"", "{}",           "[1]",   "true"};
    for (const std::string text : texts) {
        const Expected<View> view = parse_view("{\"state\": \"ok\", \"gpu\": {\"load_ratio\": " + text +
                                               "}, \"daemon\": {\"pid\": " + text + ", \"queue\": " + text +
                                               ", \"clients\": " + text + ", \"errors\": [" + text + "]}}");
        ASSERT_TRUE(view) << text << ": " << view.error().message;
        EXPECT_EQ(view->board.gpu.share, Number()) << text;
        EXPECT_EQ(view->daemon->pid, Number()) << text;
    }
    EXPECT_FALSE(parse_view("{\"state\": \"ok\", \"daemon\": null}")->daemon);
    EXPECT_TRUE(parse_view("{\"state\": \"degraded\", \"left_out\": \"all values\"}")->left_out);
}

TEST(ParseView, WhatIsNoHealthIsAnError) {
    for (const std::string text :
         {"", "{", "[]", "{}", "null", "7", "{\"state\": \"great\"}", "{\"state\": 1}",
          "{\"state\": \"ok\"} x", "{\"state\": \"ok\xff\"}", "{\"state\": \"ok\", }"}) {
        const Expected<View> view = parse_view(text);
        ASSERT_FALSE(view) << text;
        EXPECT_EQ(exit_code_of(view.error()), kDataError);
        EXPECT_EQ(view.error().message.find("cannot read what the daemon answered: "), 0u)
            << view.error().message;
    }
}

TEST(ParseView, DeepAndLargeAnswersAreRefused) {
    for (const std::string open : {"[", "{\"a\":"}) {
        std::string text = "{\"state\": \"ok\", \"a\": ";
        for (int i = 0; i < 70000; ++i) text += open;
        const Expected<View> view = parse_view(text);
        ASSERT_FALSE(view);
        EXPECT_NE(view.error().message.find("nested too deeply"), std::string::npos);
    }
    EXPECT_FALSE(parse_view("{\"state\": \"ok\"}" + std::string(2 << 20, ' ')));
    // Brackets in texts are no depth.
    EXPECT_TRUE(parse_view("{\"state\": \"ok\", \"a\": \"" + std::string(1000, '[') + "\\\"" +
                           std::string(1000, '{') + "\"}"));
}

TEST(ParseView, CutAndChangedAnswersNeverCrash) {
    const std::string whole = health_text("agx-orin", true, "degraded");
    for (std::size_t length = 0; length < whole.size(); length += 131)
        EXPECT_FALSE(parse_view(whole.substr(0, length))) << length;
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    int read = 0;
    for (int round = 0; round < 100; ++round) {
        std::string text = whole;
        for (int edit = 0; edit < 3; ++edit) {
            const std::size_t at = random() % text.size();
            static const char kBytes[] = "{}[]\",:0-9\\u\x01\xff";
            text[at] = kBytes[random() % (sizeof kBytes - 1)];
        }
        const Expected<View> view = parse_view(text);
        read += view ? 1 : 0;
        if (!view) {
            EXPECT_FALSE(view.error().message.empty()) << "seed " << seed;
        }
    }
    SCOPED_TRACE(read);
}

TEST(AddRates, GrowthInASecond) {
    const View before = *parse_view(health_text("nano", true));
    View now = before;
    now.daemon->operations[0].ok += 30;
    now.daemon->operations[1].failed += 10;
    now.daemon->clients[0].jobs = *now.daemon->clients[0].jobs + 20;
    now.daemon->clients[0].device_seconds = *now.daemon->clients[0].device_seconds + 1;
    now.daemon->clients[1].jobs = 1;  // fell: another process of the same pid
    add_rates(now, before, 2);
    EXPECT_EQ(now.daemon->jobs_per_second, Number(20));
    EXPECT_EQ(now.daemon->failed_per_second, Number(5));
    EXPECT_EQ(now.daemon->operations[0].jobs_per_second, Number(15));
    EXPECT_EQ(now.daemon->clients[0].jobs_per_second, Number(10));
    EXPECT_EQ(now.daemon->clients[0].device_share, Number(0.5));
    EXPECT_EQ(now.daemon->clients[1].jobs_per_second, Number());
}

TEST(AddRates, NothingAcrossARestart) {
    const View before = *parse_view(health_text("nano", true));
    View now = before;
    now.daemon->pid = 99;
    now.daemon->operations[0].ok += 30;
    add_rates(now, before, 1);
    EXPECT_EQ(now.daemon->jobs_per_second, Number());
    now = before;
    now.daemon->uptime_seconds = 1;
    add_rates(now, before, 1);
    EXPECT_EQ(now.daemon->jobs_per_second, Number());
    now = before;
    add_rates(now, before, 0);
    EXPECT_EQ(now.daemon->jobs_per_second, Number());
}

TEST(GpuShare, OfTheBoardElseOfItsExecutors) {
    EXPECT_EQ(gpu_share(*parse_view(health_text("xavier-nx", true))), Number(0.472));
    EXPECT_EQ(gpu_share(*parse_view(health_text("thor", true))), Number(0.618));
    EXPECT_EQ(gpu_share(*parse_view(health_text("thor", false))), Number());
}

}  // namespace
}  // namespace top
}  // namespace cli
}  // namespace tegu
