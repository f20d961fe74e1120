// SPDX-License-Identifier: Apache-2.0
// Waiting for a GPU at the start, and being stopped meanwhile: the process ends at once, and the GPU is
// blamed only if the time was over.
#include "daemon/gpus/warm_up.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "daemon/gpus/gpu_record.h"
#include "tests/daemon/daemon_process.h"

namespace tegu::daemon {
namespace {

class WarmUpTest : public ::testing::Test {
  protected:
    WarmUpTest() : directory_(test::make_directory()) {}
    ~WarmUpTest() override { test::remove_directory(directory_); }

    // A start that waits for ever, and gets that signal.
    [[noreturn]] void start_and_stop(int number, std::chrono::milliseconds longest = WarmUp::kLongest) const {
        GpuRecord record(directory_, "b1");
        record.begin("opening it never ended");
        WarmUp warm_up([&record] { record.opened(); }, longest);
        std::promise<int> never;
        std::future<int> gpu = never.get_future();
        (void)::raise(number);
        warm_up.wait_for(gpu, "looking for GPUs");
        ::_exit(0);
    }
    bool is_blamed() const { return ::access((directory_ + "/gpu-failures").c_str(), F_OK) == 0; }

    std::string directory_;
};

TEST_F(WarmUpTest, AStopIsNoFailureOfTheGpu) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        EXPECT_EXIT(start_and_stop(number), ::testing::KilledBySignal(number),
                    "stopped while it waited for a GPU");
        EXPECT_FALSE(is_blamed());
    }
    EXPECT_EXIT(start_and_stop(SIGKILL), ::testing::KilledBySignal(SIGKILL), "");
    EXPECT_TRUE(is_blamed()) << "a kill is none";
}

TEST_F(WarmUpTest, WhoeverEndsItAfterItsTimeHasGivenItUp) {
    EXPECT_EXIT(start_and_stop(SIGTERM, std::chrono::milliseconds(-1)), ::testing::KilledBySignal(SIGTERM),
                "");
    EXPECT_TRUE(is_blamed());
}

TEST_F(WarmUpTest, WhatCameIsReturnedForAndAStopInTheLastMomentCounts) {
    const auto start = [](bool stop) {
        WarmUp warm_up([] {});
        std::promise<int> there;
        std::future<int> gpu = there.get_future();
        there.set_value(7);
        warm_up.wait_for(gpu, "looking for GPUs");
        if (stop) (void)::raise(SIGTERM);
        warm_up.finish();
        ::_exit(gpu.get());
    };
    EXPECT_EXIT(start(false), ::testing::ExitedWithCode(7), "");
    EXPECT_EXIT(start(true), ::testing::KilledBySignal(SIGTERM), "stopped");
}

TEST_F(WarmUpTest, SignalsAreAsBeforeAfterwards) {
    struct sigaction before {};
    ASSERT_EQ(0, ::sigaction(SIGHUP, nullptr, &before));
    (void)::signal(SIGHUP, SIG_IGN);
    {
        WarmUp warm_up([] {});
        (void)::raise(SIGHUP);  // ignored, as whoever started it wants
        warm_up.finish();
    }
    struct sigaction after {};
    ASSERT_EQ(0, ::sigaction(SIGHUP, &before, &after));
    EXPECT_EQ(SIG_IGN, after.sa_handler);
}

}  // namespace
}  // namespace tegu::daemon
