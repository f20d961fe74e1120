// SPDX-License-Identifier: Apache-2.0
// Text of the kernel's becomes a value or a cause, whatever the text is.
#include <gtest/gtest.h>

#include <random>

#include "daemon/health/board/board.h"
#include "daemon/health/board/cpu.h"
#include "daemon/health/board/memory.h"
#include "daemon/health/board/reader.h"
#include "daemon/health/board/thermal.h"

namespace tegu::daemon::health {
namespace {

constexpr Range kAll{INT64_MIN, INT64_MAX};

Cause cause_of(std::string_view text, Range range = kAll, std::string_view unit = {}) {
    const Value<std::int64_t> value = parse_integer(text, range, unit);
    EXPECT_FALSE(value.known()) << text;
    return value.known() ? Cause::NotRead : value.unknown().cause;
}

TEST(ParseInteger, TakesWhatTheKernelWrites) {
    EXPECT_EQ(*parse_integer("53968\n", kAll), 53968);
    EXPECT_EQ(*parse_integer(" -274000 \n", kAll), -274000);
    EXPECT_EQ(*parse_integer("0000", kAll), 0);
    EXPECT_EQ(*parse_integer("-0", kAll), 0);
    EXPECT_EQ(*parse_integer("9223372036854775807", kAll), INT64_MAX);
    EXPECT_EQ(*parse_integer("-9223372036854775808", kAll), INT64_MIN);
    EXPECT_EQ(*parse_integer("32760 ma\n", kAll, "ma"), 32760);
    EXPECT_EQ(*parse_integer("32760\n", kAll, "ma"), 32760);
}

TEST(ParseInteger, RefusesAllElse) {
    for (const char* text :
         {"", "\n", "-", "+1", "--1", "1.5", "0x10", "1 2", "1e3", "12abc", "yes", "32760 ma", "\xff"})
        EXPECT_EQ(cause_of(text), Cause::Garbage) << text;
    EXPECT_EQ(cause_of(std::string_view("1\0", 2)), Cause::Garbage);
    EXPECT_EQ(cause_of(std::string_view("1\n\0002", 4)), Cause::Garbage);
    EXPECT_EQ(cause_of("5 mV", kAll, "ma"), Cause::Garbage);
}

TEST(ParseInteger, CallsNumbersThatNoBoardHasAbsurd) {
    EXPECT_EQ(cause_of("9223372036854775808"), Cause::Absurd);
    EXPECT_EQ(cause_of("-9223372036854775809"), Cause::Absurd);
    EXPECT_EQ(cause_of(std::string(4000, '9')), Cause::Absurd);
    EXPECT_EQ(cause_of("1001", kPermille), Cause::Absurd);
    EXPECT_EQ(cause_of("-1", kPermille), Cause::Absurd);
    EXPECT_EQ(*parse_integer("1000", kPermille), 1000);
    EXPECT_EQ(*parse_integer("0", kPermille), 0);
}

TEST(ParseInteger, ShowsAnExcerptThatHarmsNoTerminal) {
    EXPECT_EQ(parse_integer("\x1b[2Jhot", kAll).unknown().detail, "\"?[2Jhot\" is no number");
    EXPECT_EQ(excerpt(std::string(40, 'a')), '"' + std::string(32, 'a') + "...\"");
}

TEST(ParseWord, TakesOneLineOfText) {
    EXPECT_EQ(*parse_word(" schedutil\n"), "schedutil");
    for (const std::string& text : {std::string(), std::string("\n"), std::string("a\nb"),
                                    std::string("a\0b", 3), std::string("\xc3\xa9"), std::string(129, 'a')})
        EXPECT_FALSE(parse_word(text).known()) << text;
}

TEST(ParseL4tRelease, ReadsAllFormsThatWereSeen) {
    EXPECT_EQ(*parse_l4t_release(
                  "# R32 (release), REVISION: 7.1, GCID: 29689809, BOARD: t186ref, EABI: aarch64, DATE: x\n"),
              "32.7.1");
    EXPECT_EQ(*parse_l4t_release("# R39 (release), REVISION: 2.0, GCID: 45755727\n# KERNEL_VARIANT: oot\n"),
              "39.2.0");
    for (const char* text : {"", "# R", "# R36 (release)", "# Rx (release), REVISION: 4.4,",
                             "# R36 (release), REVISION: 4.x,", "# R36 (release), REVISION: 1.2.3.4,",
                             "# R-6 (release), REVISION: 4.4,", "# R36 (release), REVISION: ,"})
        EXPECT_FALSE(parse_l4t_release(text).known()) << text;
}

TEST(ParsePowerMode, ReadsBothForms) {
    EXPECT_EQ(*parse_power_mode("pmode:0002\n"), 2);
    EXPECT_EQ(*parse_power_mode("pmode:0000 fmode:fan_mode_quiet\n"), 0);
    for (const char* text : {"", "pmode:", "pmode:-1", "pmode:12345", "fmode:1"})
        EXPECT_FALSE(parse_power_mode(text).known()) << text;
    const auto names = parse_mode_names(
        "< POWER_MODEL ID=0 NAME=MAXN >\nCPU_ONLINE CORE_0 1\n< POWER_MODEL ID=x NAME=A >\n< POWER_MODEL "
        "ID=3 >\n < "
        "POWER_MODEL ID=8 NAME=20W >\n");
    EXPECT_EQ(names, (std::map<std::int64_t, std::string>{{0, "MAXN"}, {8, "20W"}}));
}

TEST(ParseSoc, FindsTheChipInTheList) {
    EXPECT_EQ(*parse_soc(std::string_view("nvidia,jetson-nano\0nvidia,tegra210\0", 35)), "tegra210");
    EXPECT_EQ(*parse_soc(std::string_view("nvidia,tegra234\0nvidia,tegra23x\0", 32)), "tegra234");
    EXPECT_EQ(*parse_soc("raspberrypi,4-model-b"), "raspberrypi,4-model-b");
    EXPECT_FALSE(parse_soc("").known());
    EXPECT_FALSE(parse_soc("nvidia,").known());
    EXPECT_FALSE(parse_soc(std::string_view("a\0\0b\0", 5)).known());
}

TEST(ParseListSize, CountsRangesAndNumbers) {
    EXPECT_EQ(*parse_list_size("0-3\n"), 4);
    EXPECT_EQ(*parse_list_size("0,3-5"), 4);
    EXPECT_EQ(*parse_list_size("7"), 1);
    for (const char* text : {"", "-", "0-", "-3", "3-0", "0-3,", "a", "0-99999", "0-4095,0-4095"})
        EXPECT_FALSE(parse_list_size(text).known()) << text;
}

TEST(ParseStat, ReadsWholeLinesOfCores) {
    const auto cores = parse_stat("cpu  1 1 1 1\ncpu0 10 1 5 100 20 1 2 3 4 5\ncpu12 1 0 0 9\ncpu13 1 2");
    ASSERT_EQ(cores.size(), 2u) << "the last line is cut off";
    EXPECT_EQ(cores[0].all, 142u) << "guests are in user already";
    EXPECT_EQ(cores[0].busy, 22u);
    EXPECT_EQ(cores[1].index, 12u);
    EXPECT_TRUE(parse_stat("cpu0 1 1 -1 1\n").empty());
    EXPECT_TRUE(parse_stat("").empty());
}

TEST(ParseMeminfo, FindsALineByItsWholeName) {
    EXPECT_EQ(*parse_meminfo("MemTotal:        4059412 kB\nCached: 1 kB\n", "MemTotal"), 4059412LL * 1024);
    EXPECT_EQ(*parse_meminfo("SwapCached: 7 kB\nCached: 1 kB\n", "Cached"), 1024);
    EXPECT_EQ(parse_meminfo("SwapCached: 7 kB\n", "Cached").unknown().cause, Cause::Missing);
    EXPECT_EQ(parse_meminfo("Cached: 7 MB\n", "Cached").unknown().cause, Cause::Garbage);
    EXPECT_EQ(parse_meminfo("Cached: 9223372036854775807 kB\n", "Cached").unknown().cause, Cause::Absurd);
}

TEST(ParsePressure, ReadsAveragesAndTotals) {
    const Pressure pressure = parse_pressure(
        "some avg10=12.34 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=100.00 avg60=0.00 avg300=0.00 "
        "total=1\n");
    EXPECT_DOUBLE_EQ(*pressure.some_ratio, 0.1234);
    EXPECT_DOUBLE_EQ(*pressure.full_ratio, 1);
    EXPECT_DOUBLE_EQ(*pressure.some_seconds_total, 1.5);
    EXPECT_EQ(parse_pressure("some avg10=0.00 total=1\n").full_ratio.unknown().cause, Cause::Missing);
    for (const char* text : {"", "some", "some avg10=1.5 total=0", "some avg10=.00", "some avg10=101.00",
                             "some avg10=1e5.00", "some avg10=-1.00"})
        EXPECT_FALSE(parse_pressure(text).some_ratio.known()) << text;
}

TEST(SlowsDown, TellsCoolingByClocksFromFans) {
    for (const char* type : {"cpu-balanced", "tegra_heavy", "gpu-throttle-alert", "thermal-cpufreq-0",
                             "cpufreq-cpu4", "Processor"})
        EXPECT_TRUE(slows_down(type)) << type;
    for (const char* type : {"pwm-fan", "tegra-dram", "Fan", "hot-surface-alert", "intel_powerclamp", ""})
        EXPECT_FALSE(slows_down(type)) << type;
}

// Bytes like those of the real files, but shuffled, cut and overwritten: no parser may do more than say what
// it is not.
TEST(AllParsers, SurviveAnyBytes) {
    const unsigned seed = 4711;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::string words[] = {"cpu0 ",
                                 "cpu",
                                 "0-3",
                                 ",",
                                 "-",
                                 "MemTotal:",
                                 " kB\n",
                                 "some ",
                                 "full ",
                                 "avg10=",
                                 "total=",
                                 "12.34",
                                 "# R",
                                 " (release)",
                                 "REVISION: ",
                                 "< POWER_MODEL ID=",
                                 " NAME=",
                                 ">",
                                 "pmode:",
                                 "nvidia,tegra",
                                 "99999999999999999999",
                                 "\n",
                                 std::string(1, '\0'),
                                 "\xff",
                                 " ",
                                 "7"};
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (unsigned i = random() % 12; i > 0; --i) text += words[random() % (sizeof words / sizeof *words)];
        if (!text.empty() && random() % 4 == 0) text[random() % text.size()] = static_cast<char>(random());
        const Value<std::int64_t> number = parse_integer(text, kPermille, "kB");
        if (number.known()) {
            ASSERT_LE(*number, 1000);
        }
        (void)parse_word(text);
        (void)parse_l4t_release(text);
        (void)parse_power_mode(text);
        (void)parse_mode_names(text);
        (void)parse_soc(text);
        const Value<std::int64_t> cores = parse_list_size(text);
        if (cores.known()) {
            ASSERT_LE(*cores, 4096);
        }
        for (const CpuTicks& ticks : parse_stat(text)) ASSERT_LE(ticks.busy, ticks.all);
        (void)parse_meminfo(text, "MemTotal");
        const Pressure pressure = parse_pressure(text);
        if (pressure.some_ratio.known()) {
            ASSERT_LE(*pressure.some_ratio, 1.0099);
        }
    }
}

}  // namespace
}  // namespace tegu::daemon::health
