// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tegu {
namespace {

std::vector<std::string>* g_lines;

void keep(LogLevel level, std::string_view message, const LogField* fields, std::size_t count) {
    std::string line = std::string(log_level_word(level)) + ": " + std::string(message);
    for (std::size_t i = 0; i < count; ++i)
        line += " " + std::string(fields[i].first) + "=" + fields[i].second;
    g_lines->push_back(line);
}

class Log : public testing::Test {
  protected:
    void SetUp() override {
        g_lines = &lines_;
        set_log_sink(keep);
    }
    void TearDown() override {
        set_log_sink(nullptr);
        set_log_level(LogLevel::Info);
    }
    std::vector<std::string> lines_;
};

TEST_F(Log, DropsWhatIsBelowTheLevel) {
    log(LogLevel::Debug, "no");
    log(LogLevel::Info, "yes");
    set_log_level(LogLevel::Error);
    log(LogLevel::Warning, "no");
    log(LogLevel::Error, "yes");
    EXPECT_EQ(lines_, (std::vector<std::string>{"info: yes", "error: yes"}));
}

TEST_F(Log, NoClientTextCanForgeALine) {
    log(LogLevel::Notice, "a\nb\x1b[31m\x7f", {{"NAME", std::string("x\r\ny\0z", 6)}, {"UTF8", "\xc3\xa4"}});
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_EQ(lines_[0], "notice: a?b?[31m? NAME=x??y?z UTF8=\xc3\xa4");
}

TEST_F(Log, MoreThanSixteenFieldsAreCut) {
    log(LogLevel::Info, "m",
        {{"F1", "1"},
         {"F2", "1"},
         {"F3", "1"},
         {"F4", "1"},
         {"F5", "1"},
         {"F6", "1"},
         {"F7", "1"},
         {"F8", "1"},
         {"F9", "1"},
         {"F10", "1"},
         {"F11", "1"},
         {"F12", "1"},
         {"F13", "1"},
         {"F14", "1"},
         {"F15", "1"},
         {"F16", "1"},
         {"F17", "1"}});
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_NE(lines_[0].find("F16=1"), std::string::npos);
    EXPECT_EQ(lines_[0].find("F17=1"), std::string::npos);
}

TEST(LogLines, GoToStderrWhole) {
    testing::internal::CaptureStderr();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 50; ++i) log(LogLevel::Warning, "a line", {{"KEY", "value"}});
        });
    for (std::thread& thread : threads) thread.join();
    const std::string text = testing::internal::GetCapturedStderr();
    std::string want;
    for (int i = 0; i < 200; ++i) want += "tegud: warning: a line [KEY=value]\n";
    EXPECT_EQ(text, want);
}

TEST(LogLevels, HaveWords) {
    EXPECT_EQ(log_level_word(LogLevel::Error), "error");
    EXPECT_EQ(log_level_word(LogLevel::Debug), "debug");
    EXPECT_EQ(log_level_word(static_cast<LogLevel>(99)), "?");
}

}  // namespace
}  // namespace tegu
