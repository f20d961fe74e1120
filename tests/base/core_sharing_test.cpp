// SPDX-License-Identifier: Apache-2.0
#include "base/core_sharing.h"

#include <gtest/gtest.h>

#include <thread>

namespace tegu {
namespace {

TEST(CoreSharing, OffersNothingUnlessCoresAreShared) {
    CoreSharing cores;
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(cores.offer());
    cores.set(true);
    cores.set(false);
    EXPECT_FALSE(cores.offer());
}

TEST(CoreSharing, OffersNowAndThen) {
    CoreSharing cores;
    cores.set(true);
    const auto first = [&] {
        EXPECT_TRUE(cores.offer()) << "the first one of a thread, which has its own time";
    };
    std::thread([&] {
        first();
        int silent = 0;
        for (int i = 0; i < 10000; ++i) silent += cores.offer() ? 0 : 1;
        EXPECT_GT(silent, 0) << "each look was an offer";
        while (!cores.offer()) {  // once more, however long the first one took
        }
        std::thread(first).join();
    }).join();
}

TEST(CoreSharing, ShortWorkKeepsItsCore) {
    CoreSharing cores;
    cores.set(true);
    cores.begin(std::chrono::hours(1));
    while (!cores.offer()) {  // long work shares from the start, but for what this thread offered before
    }
    const auto begun = CoreSharing::Clock::now();
    cores.begin(std::chrono::microseconds(10));
    while (!cores.offer()) {
    }
    EXPECT_GE(CoreSharing::Clock::now() - begun, CoreSharing::kShort)
        << "what takes longer than was expected does, too";
}

}  // namespace
}  // namespace tegu
