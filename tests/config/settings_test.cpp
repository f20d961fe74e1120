// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

TEST(SettingsTable, KeysAreUniqueAndBelongToTheirTables) {
    std::set<std::string_view> tables, keys;
    for (const SettingTable& table : setting_tables())
        EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    for (const SettingInfo& info : setting_infos()) {
        EXPECT_TRUE(keys.insert(info.key).second) << info.key;
        EXPECT_EQ(tables.count(info.table), 1u) << info.key;
        EXPECT_EQ(std::string(info.table) + "." + std::string(info.name), info.key);
        EXPECT_EQ(find_setting(info.key), &info);
    }
    EXPECT_EQ(find_setting("limits"), nullptr);
    EXPECT_EQ(find_setting(""), nullptr);
}

TEST(SettingsTable, EveryRowIsComplete) {
    for (const SettingInfo& info : setting_infos()) {
        ASSERT_FALSE(info.help.empty()) << info.key;
        EXPECT_EQ(info.help.back(), '.') << info.key;
        EXPECT_EQ(info.help.find('|'), std::string_view::npos)
            << info.key << ": would break the table of docs/settings.md";
        EXPECT_FALSE(allowed_text(info).empty()) << info.key;
        if (setting_words(info.kind).empty()) {
            EXPECT_LT(info.lowest, info.highest) << info.key;
        }
        if (!info.zero.empty()) {
            EXPECT_GT(info.lowest, 0u) << info.key << ": 0 has a meaning and lies in the range";
        }
    }
}

// A row that names another row's member would pass every other test.
TEST(SettingsTable, EveryRowSetsItsOwnMemberAlone) {
    const Settings before = default_settings();
    for (const SettingInfo& info : setting_infos()) {
        Settings after = before;
        SettingValue value = info.get(before);
        if (info.kind == SettingKind::Path || info.kind == SettingKind::Place)
            value = std::string("/elsewhere");
        else if (info.kind == SettingKind::Level)
            value = std::string("debug");
        else if (info.kind == SettingKind::Backend)
            value = std::string("gpu");
        else if (info.kind == SettingKind::Memory)
            value = std::string("A");
        else if (info.kind == SettingKind::Devices)
            value = std::string("all");
        else if (info.kind == SettingKind::Listen)
            value = std::string("127.0.0.1:9469");
        else
            value = *std::get_if<std::uint64_t>(&value) + 1;
        info.set(after, value);
        for (const SettingInfo& other : setting_infos())
            EXPECT_EQ(other.get(after) == other.get(before), &other != &info)
                << info.key << " and " << other.key;
    }
}

TEST(SettingsTable, OrdersNameNumbers) {
    for (const SettingOrder& order : setting_orders()) {
        for (const std::string_view key : {order.smaller, order.larger}) {
            const SettingInfo* info = find_setting(key);
            ASSERT_NE(info, nullptr) << key;
            EXPECT_TRUE(std::holds_alternative<std::uint64_t>(info->get(Settings()))) << key;
            // A reload merges running and loaded values; only rows that are both applied keep the order.
            EXPECT_NE(info->reload, Reload::Restart) << key;
        }
    }
}

class DefaultSettings : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DefaultSettings, AreAllowedAndInOrderOnAnyMachine) {
    const Settings settings = default_settings(GetParam());
    for (const SettingInfo& info : setting_infos()) {
        const SettingValue value = info.get(settings);
        if (const auto* number = std::get_if<std::uint64_t>(&value);
            number != nullptr && info.kind != SettingKind::Mode) {
            const Result<SettingValue> checked = check_value(info, static_cast<std::int64_t>(*number));
            EXPECT_TRUE(checked.ok()) << info.key << ": " << (checked.ok() ? "" : checked.error().message);
        }
    }
    for (const SettingOrder& order : setting_orders())
        EXPECT_LE(find_setting(order.smaller)->get(settings), find_setting(order.larger)->get(settings))
            << order.smaller;
    EXPECT_NE(settings.limits.buffer_bytes, 0u);
    EXPECT_NE(settings.limits.buffer_bytes_per_uid, 0u);
    EXPECT_NE(settings.limits.buffer_bytes_total, 0u);
    EXPECT_NE(settings.limits.scratch_bytes, 0u);
    EXPECT_NE(settings.gpu.arena_bytes, 0u);
    EXPECT_NE(settings.gpu.workspace_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Memory, DefaultSettings,
                         testing::Values(1, 4096, 1ull << 20, 4ull << 30, (64ull << 30) + 12345, 1ull << 50,
                                         UINT64_MAX));

TEST(DefaultSettings, SharesOfTheMemoryAreTheDocumentedOnes) {
    const Settings settings = default_settings(4ull << 30);
    EXPECT_EQ(settings.limits.buffer_bytes_total, 1536ull << 20);
    EXPECT_EQ(settings.limits.buffer_bytes_per_uid, 768ull << 20);
    EXPECT_EQ(settings.limits.buffer_bytes, 768ull << 20);
    EXPECT_EQ(settings.limits.scratch_bytes, 512ull << 20);
    EXPECT_EQ(settings.gpu.arena_bytes, 768ull << 20);
    EXPECT_EQ(settings.gpu.workspace_bytes, 256ull << 20);
    EXPECT_GE(physical_memory_bytes(), 16ull << 20);
}

// What a board's CPU and GPU share is not promised twice.
TEST(DefaultSettings, LeaveAQuarterOfTheMemoryToOthers) {
    for (const std::uint64_t memory : {2ull << 30, 4ull << 30, 8ull << 30, (64ull << 30) + 12345}) {
        const Settings settings = default_settings(memory);
        const std::uint64_t promised = settings.limits.buffer_bytes_total + settings.limits.scratch_bytes +
                                       settings.gpu.arena_bytes + settings.gpu.workspace_bytes;
        EXPECT_LE(promised, memory / 4 * 3) << memory;
        EXPECT_GE(settings.gpu.arena_bytes, settings.limits.buffer_bytes)
            << "the largest buffer can be copied";
    }
}

}  // namespace
}  // namespace tegu::config
