// SPDX-License-Identifier: Apache-2.0
#include "config/suggest.h"

#include <gtest/gtest.h>

#include <string>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
    EXPECT_EQ(edit_distance("", "", 5), 0u);
    EXPECT_EQ(edit_distance("", "abc", 5), 3u);
    EXPECT_EQ(edit_distance("abc", "", 5), 3u);
    EXPECT_EQ(edit_distance("abc", "abc", 5), 0u);
    EXPECT_EQ(edit_distance("abc", "abd", 5), 1u);
    EXPECT_EQ(edit_distance("abc", "ac", 5), 1u);
    EXPECT_EQ(edit_distance("abc", "acb", 5), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u) << "more than the limit reads limit + 1";
    EXPECT_EQ(edit_distance("a", std::string(100, 'b'), 2), 3u);
}

TEST(SuggestKey, FindsTyposUnitsAndOtherTables) {
    EXPECT_EQ(suggest_key("limits", "conections"), "limits.connections");
    EXPECT_EQ(suggest_key("limits", "connetcions_per_uid"), "limits.connections_per_uid");
    EXPECT_EQ(suggest_key("timeouts", "hello"), "timeouts.hello_ms");
    EXPECT_EQ(suggest_key("executor", "inline_budget_ms"), "executor.inline_budget_us");
    EXPECT_EQ(suggest_key("limits", "hello_ms"), "timeouts.hello_ms");
    EXPECT_EQ(suggest_key("", "path"), "socket.path");
    EXPECT_EQ(suggest_key("", "PATH"), "");
    EXPECT_EQ(suggest_key("limits", "colour"), "");
    EXPECT_EQ(suggest_key("limits", ""), "");
    EXPECT_EQ(suggest_key("limits", std::string(100000, 'x')), "");
}

TEST(SuggestKey, EveryKeyIsFoundFromOneWrongLetterAndFromAnotherTable) {
    for (const SettingInfo& info : setting_infos()) {
        std::string typo(info.name);
        typo[typo.size() / 2] = typo[typo.size() / 2] == 'x' ? 'y' : 'x';
        EXPECT_EQ(suggest_key(info.table, typo), info.key) << typo;
        const std::string elsewhere(suggest_key("elsewhere", info.name));  // of two with that name either
        EXPECT_EQ(elsewhere.substr(elsewhere.find('.') + 1), info.name);
    }
}

TEST(SuggestTable, FindsTypos) {
    EXPECT_EQ(suggest_table("limit"), "limits");
    EXPECT_EQ(suggest_table("timeuots"), "timeouts");
    EXPECT_EQ(suggest_table("colour"), "");
    EXPECT_EQ(suggest_table(""), "");
}

}  // namespace
}  // namespace tegu::config
