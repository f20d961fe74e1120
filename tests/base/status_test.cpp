// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tegu {
namespace {

TEST(Status, TheListIsDenseAndEachEntryIsItsOwn) {
    std::set<std::string_view> words;
    std::uint16_t number = 0;
    for (; is_status(number); ++number) {
        const StatusInfo& info = status_info(static_cast<Status>(number));
        EXPECT_EQ(static_cast<std::uint16_t>(info.status), number);
        EXPECT_TRUE(words.insert(info.word).second) << info.word;
        EXPECT_FALSE(info.sentence.empty());
        EXPECT_TRUE(info.exit_code == 0 || (info.exit_code >= 64 && info.exit_code <= 78)) << info.word;
        EXPECT_EQ(info.exit_code == 0, info.status == Status::Ok) << info.word;
        for (char c : info.word) EXPECT_TRUE((c >= 'A' && c <= 'Z') || c == '_') << info.word;
    }
    EXPECT_EQ(number, 22);  // append only: a new status raises this
}

TEST(Status, NumbersOnTheWireDoNotMove) {
    EXPECT_EQ(status_info(static_cast<Status>(5)).word, "BAD_RANGE");
    EXPECT_EQ(status_info(static_cast<Status>(9)).word, "BUSY");
    EXPECT_EQ(status_info(static_cast<Status>(19)).word, "EMPTY_INPUT");
    EXPECT_EQ(status_info(static_cast<Status>(21)).word, "IO");
}

TEST(Status, AnUnknownNumberReadsAsInternal) {
    EXPECT_FALSE(is_status(22));
    EXPECT_FALSE(is_status(65535));
    EXPECT_EQ(status_info(static_cast<Status>(999)).status, Status::Internal);
}

TEST(Status, OnlyPassingTroubleMayBeRetried) {
    std::set<std::string_view> retryable;
    for (std::uint16_t number = 0; is_status(number); ++number)
        if (status_info(static_cast<Status>(number)).retryable)
            retryable.insert(status_info(static_cast<Status>(number)).word);
    EXPECT_EQ(retryable, (std::set<std::string_view>{"BUSY", "SHUTTING_DOWN", "DEVICE_LOST", "OUT_OF_MEMORY",
                                                     "UNAVAILABLE"}));
}

}  // namespace
}  // namespace tegu
