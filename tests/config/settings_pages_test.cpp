// SPDX-License-Identifier: Apache-2.0
#include "config/settings_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "config/setting_info.h"
#include "config/settings_load.h"
#include "config/settings_reload.h"

namespace tegu::config {
namespace {

constexpr std::uint64_t kMemory = 4ull << 30;

std::string source_file(const std::string& path) {
    std::ifstream file(std::string(TEGU_SOURCE_DIR) + "/" + path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

constexpr char kStale[] = "stale: run `cmake --build <build> --target settings-pages`";

TEST(SettingsPages, StoredFilesAreTheGeneratedOnes) {
    EXPECT_EQ(source_file("docs/settings.md"), settings_markdown()) << kStale;
    EXPECT_EQ(source_file("docs/man/tegud.toml.5"), settings_man_page()) << kStale;
    EXPECT_EQ(source_file("config/tegud.toml"), settings_template()) << kStale;
}

TEST(SettingsPages, NameEverySettingAndItsHelp) {
    const std::string markdown = settings_markdown();
    const std::string man = settings_man_page();
    for (const SettingInfo& info : setting_infos()) {
        EXPECT_NE(markdown.find("| `" + std::string(info.name) + "` | " + std::string(info.help)),
                  std::string::npos)
            << info.key;
        EXPECT_NE(man.find("\n.TP\n.B " + std::string(info.name) + "\n"), std::string::npos) << info.key;
    }
}

// A line of text that begins with a dot or a quote would be a command to troff and vanish.
TEST(SettingsPages, ManPageHoldsNoAccidentalRequest) {
    std::istringstream lines(settings_man_page());
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || (line[0] != '.' && line[0] != '\'')) continue;
        const std::string request = line.substr(0, line.find(' '));
        const std::string known[] = {".TH", ".SH", ".TP", ".PP", ".B",   ".BR",
                                     ".I",  ".br", ".nf", ".fi", ".\\\""};
        EXPECT_NE(std::find(std::begin(known), std::end(known), request), std::end(known)) << line;
    }
}

std::string errors_of(const LoadedSettings& loaded) {
    std::string text;
    for (const Diagnostic& error : loaded.errors) text += diagnostic_text(error) + "\n";
    return text;
}

TEST(SettingsToml, DefaultsLoadBack) {
    const Settings settings = default_settings(kMemory);
    const LoadedSettings loaded = parse_settings(settings_toml(settings), "printed", kMemory);
    ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
    EXPECT_TRUE(plan_reload(settings, loaded.settings).changes.empty());
}

TEST(SettingsToml, TemplateIsTheDefaultsAndStaysSoWithoutItsCommentMarks) {
    const std::string text = settings_template();
    std::string uncommented;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        uncommented += (line.size() > 1 && line[0] == '#' && line[1] != ' ' ? line.substr(1) : line) + "\n";
    EXPECT_NE(text, uncommented);
    for (const std::string& file : {text, uncommented}) {
        const LoadedSettings loaded = parse_settings(file, "template", kMemory);
        ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
        EXPECT_TRUE(plan_reload(default_settings(kMemory), loaded.settings).changes.empty());
    }
}

SettingValue any_value(const SettingInfo& info, std::mt19937_64& random) {
    const Span<const std::string_view> words = setting_words(info.kind);
    if (!words.empty()) return std::string(words[random() % words.size()]);
    if (info.kind == SettingKind::Path || info.kind == SettingKind::Place) {
        const std::string letters = "abc/\"\\'#= ~";
        if (info.kind == SettingKind::Place && random() % 4 == 0) return std::string();
        std::string path = "/x";
        for (std::size_t i = random() % 105; i > 0; --i) path += letters[random() % letters.size()];
        return path;
    }
    if (info.kind == SettingKind::Listen)
        return std::string(random() % 2 == 0 ? "/x \"\\" : "[2001:db8::1]:9469");
    if (info.kind == SettingKind::Devices) return std::string(random() % 2 == 0 ? "all" : "63,0,7");
    // Small, large and round numbers alike.
    const std::uint64_t number = random() >> (random() % 64);
    const std::uint64_t round = random() % 2 == 0 ? number : number / 4096 * 4096;
    return std::min(std::max(round, info.lowest), info.highest);
}

TEST(SettingsToml, AnySettingsLoadBack) {
    const std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 300; ++round) {
        Settings settings = default_settings(kMemory);
        for (const SettingInfo& info : setting_infos()) info.set(settings, any_value(info, random));
        for (std::size_t i = setting_orders().size(); i > 0; --i) {
            const SettingOrder& order = setting_orders()[i - 1];
            const SettingInfo& smaller = *find_setting(order.smaller);
            smaller.set(settings, std::min(smaller.get(settings), find_setting(order.larger)->get(settings)));
        }
        const LoadedSettings loaded = parse_settings(settings_toml(settings), "printed", kMemory);
        ASSERT_TRUE(loaded.ok()) << "seed " << seed << " round " << round << "\n" << errors_of(loaded);
        for (const SettingChange& change : plan_reload(settings, loaded.settings).changes)
            ADD_FAILURE() << "seed " << seed << " round " << round << ": " << change_text(change);
    }
}

}  // namespace
}  // namespace tegu::config
