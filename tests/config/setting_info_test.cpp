// SPDX-License-Identifier: Apache-2.0
#include "config/setting_info.h"

#include <gtest/gtest.h>

#include <string>

namespace tegu::config {
namespace {

const SettingInfo& row(std::string_view key) {
    return *find_setting(key);
}

std::string found(const Result<SettingValue>& value) {
    if (!value) return "error: " + value.error().message;
    if (const auto* text = std::get_if<std::string>(&*value)) return *text;
    return std::to_string(*std::get_if<std::uint64_t>(&*value));
}

TEST(SettingValue, NumberAtTheEdgesOfItsRange) {
    const SettingInfo& info = row("limits.connections");
    EXPECT_EQ(found(check_value(info, 1)), "1");
    EXPECT_EQ(found(check_value(info, 65536)), "65536");
    for (const std::int64_t bad :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{65537}, INT64_MAX, INT64_MIN})
        EXPECT_EQ(found(check_value(info, bad)),
                  "error: found " + std::to_string(bad) + ", allowed 1..65536");
    EXPECT_EQ(check_value(info, 0).error().field, "limits.connections");
    EXPECT_EQ(check_value(info, 0).error().allowed, "1..65536");
}

TEST(SettingValue, ZeroWithAMeaningIsAllowedBelowTheRange) {
    EXPECT_EQ(found(check_value(row("timeouts.idle_ms"), 0)), "0");
    EXPECT_EQ(found(check_value(row("limits.buffer_bytes"), 0)), "0");
    EXPECT_EQ(found(check_value(row("limits.buffer_bytes"), 4095)),
              "error: found 4095, allowed 0 (the same as buffer_bytes_per_uid) or 4KiB..1024GiB");
}

TEST(SettingValue, SizesAsStrings) {
    const SettingInfo& info = row("limits.buffer_bytes");
    EXPECT_EQ(found(check_value(info, "4KiB")), "4096");
    EXPECT_EQ(found(check_value(info, "64MiB")), "67108864");
    EXPECT_EQ(found(check_value(info, "64 MiB")), "67108864");
    EXPECT_EQ(found(check_value(info, "1024GiB")), "1099511627776");
    EXPECT_EQ(found(check_value(info, "0GiB")), "0");
    for (const std::string bad :
         {"", "MiB", " MiB", "64", "64MB", "64mib", "-1MiB", "+1MiB", "1.5GiB", "64MiBMiB", "64  MiB",
          "1025GiB", "3KiB", "17179869184GiB", "99999999999999999999999KiB", "0x10KiB", "64MiB "})
        EXPECT_EQ(found(check_value(info, bad)),
                  "error: found the string \"" + bad + "\", allowed " + allowed_text(info));
}

TEST(SettingValue, ModesAreOctalStrings) {
    const SettingInfo& info = row("socket.mode");
    EXPECT_EQ(found(check_value(info, "0660")), "432");
    EXPECT_EQ(found(check_value(info, "666")), "438");
    EXPECT_EQ(found(check_value(info, "0000")), "0");
    for (const std::string bad : {"", "66", "0888", "1777", "00660", "rw-rw-", "-660"})
        EXPECT_EQ(found(check_value(info, bad)),
                  "error: found the string \"" + bad + "\", allowed an octal string \"0000\"..\"0777\"");
    EXPECT_EQ(found(check_value(info, 432)),
              "error: found the integer 432, allowed an octal string \"0000\"..\"0777\"");
}

TEST(SettingValue, Words) {
    EXPECT_EQ(found(check_value(row("log.level"), "warning")), "warning");
    EXPECT_EQ(found(check_value(row("executor.backend"), "cuda")),
              "error: found the string \"cuda\", allowed one of \"auto\", \"cpu\", \"gpu\"");
    EXPECT_EQ(found(check_value(row("gpu.memory_class"), "a")),
              "error: found the string \"a\", allowed one of \"auto\", \"A\", \"B\", \"C\", \"discrete\"");
    EXPECT_EQ(found(check_value(row("log.level"), 6)).rfind("error: found the integer 6, allowed one of", 0),
              0u);
    EXPECT_FALSE(check_value(row("log.level"), "Info").ok());
    EXPECT_FALSE(check_value(row("log.level"), std::string("info\0", 5)).ok());
}

TEST(SettingValue, EveryWordIsStoredAndReadBack) {
    for (const std::string_view key : {"log.level", "executor.backend", "gpu.memory_class"}) {
        const SettingInfo& info = row(key);
        for (const std::string_view word : setting_words(info.kind)) {
            Settings settings;
            info.set(settings, std::string(word));
            EXPECT_EQ(info.get(settings), SettingValue(std::string(word)));
        }
    }
}

TEST(SettingValue, PathsMustFitASocketAddress) {
    const SettingInfo& info = row("socket.path");
    const std::string longest = "/" + std::string(106, 'x');
    EXPECT_EQ(found(check_value(info, longest)), longest);
    EXPECT_FALSE(check_value(info, longest + "x").ok());
    for (const std::string& bad :
         {std::string(), std::string("/"), std::string("run/tegud.sock"), std::string("/a\nb"),
          std::string("/a\0b", 4), std::string("@abstract"), std::string("/run/tegüd.sock")})
        EXPECT_FALSE(check_value(info, bad).ok()) << bad;
}

TEST(SettingValue, DevicesAreAWordOrAListOfDifferentNumbers) {
    const SettingInfo& info = row("gpu.devices");
    for (const std::string good :
         {"auto", "all", "0", "63", "0,2", "3,1,2", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"})
        EXPECT_EQ(found(check_value(info, good)), good);
    EXPECT_EQ(found(check_value(info, "0, 2")), "0,2");
    EXPECT_EQ(found(check_value(info, 5)), "5");
    for (const std::string bad :
         {"", ",", "0,", ",0", "0,,1", "0 1", "first", "All", "-1", "64", "0,0", "1,0,1", "0;1", "auto,0",
          "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "99999999999999999999999"})
        EXPECT_EQ(found(check_value(info, bad)),
                  "error: found the string \"" + bad +
                      "\", allowed \"auto\", \"all\", or up to 16 different numbers 0..63, "
                      "such as \"0,2\"");
    EXPECT_FALSE(check_value(info, -1).ok());
    EXPECT_FALSE(check_value(info, 64).ok());
}

TEST(SettingValue, NumbersInStringsAreRefused) {
    EXPECT_EQ(found(check_value(row("limits.connections"), "12")),
              "error: found the string \"12\", allowed 1..65536");
    EXPECT_EQ(found(check_value(row("timeouts.hello_ms"), "2s")),
              "error: found the string \"2s\", allowed 1..3600000 milliseconds");
}

TEST(ValueText, UsesTheLargestUnitThatIsExact) {
    const SettingInfo& info = row("limits.buffer_bytes");
    const auto text = [&](std::uint64_t bytes) { return value_text(info, bytes); };
    EXPECT_EQ(text(0), "0");
    EXPECT_EQ(text(4097), "4097");
    EXPECT_EQ(text(5120), "\"5KiB\"");
    EXPECT_EQ(text(64ull << 20), "\"64MiB\"");
    EXPECT_EQ(text(1024ull << 30), "\"1024GiB\"");
    EXPECT_EQ(value_text(row("socket.mode"), std::uint64_t{0600}), "\"0600\"");
    EXPECT_EQ(value_text(row("limits.connections"), std::uint64_t{1024}), "1024");
}

TEST(QuotedText, EscapesAndCutsBetweenCharacters) {
    EXPECT_EQ(quoted_text("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000A\\u007F\"");
    EXPECT_EQ(quoted_text("abc", 3), "\"abc\"");
    EXPECT_EQ(quoted_text("abcd", 3), "\"abc\"...");
    EXPECT_EQ(quoted_text("abü", 3), "\"ab\"...");
    EXPECT_EQ(quoted_text("", 0), "\"\"");
}

}  // namespace
}  // namespace tegu::config
