// SPDX-License-Identifier: Apache-2.0
// The order of the words of a command line, and the word that was meant.
#include "tools/tegu/arguments.h"

#include <gtest/gtest.h>

namespace tegu {
namespace cli {
namespace {

using Words = std::vector<std::string>;

TEST(Arguments, OptionsBeforeTheCommandGoBehindIt) {
    EXPECT_EQ(arranged({"--socket", "s", "ping", "-c", "2"}), (Words{"ping", "--socket", "s", "-c", "2"}));
    EXPECT_EQ(arranged({"--socket=s", "--json", "topk", "x"}), (Words{"topk", "--socket=s", "--json", "x"}));
    EXPECT_EQ(arranged({"ping", "--socket", "s"}), (Words{"ping", "--socket", "s"}));
    EXPECT_EQ(arranged({"--color", "never", "ping"}), (Words{"ping", "--color", "never"}));
    EXPECT_EQ(arranged({"--color", "ping"}), (Words{"ping", "--color=always"}));
    EXPECT_EQ(arranged({"--socket"}), (Words{"--socket"}));
    EXPECT_EQ(arranged({"--socket", "ping"}), (Words{"--socket", "ping"}));
    EXPECT_EQ(arranged({}), Words());
}

TEST(Arguments, HelpIsAnOptionOfItsTopic) {
    EXPECT_EQ(arranged({"help"}), (Words{"--help"}));
    EXPECT_EQ(arranged({"help", "top"}), (Words{"top", "--help"}));
    EXPECT_EQ(arranged({"--json", "help", "--no-color", "top", "more"}), (Words{"top", "--help"}));
}

TEST(Arguments, ColorAloneIsAlwaysAndBeforeAMapTheMap) {
    EXPECT_EQ(arranged({"topk", "--color", "x"}), (Words{"topk", "--color=always", "x"}));
    EXPECT_EQ(arranged({"topk", "--color", "never"}), (Words{"topk", "--color", "never"}));
    EXPECT_EQ(arranged({"topk", "--color=never"}), (Words{"topk", "--color=never"}));
    EXPECT_EQ(arranged({"add", "--color", "magma"}), (Words{"add", "--colour", "magma"}));
    EXPECT_EQ(arranged({"add", "--color=magma"}), (Words{"add", "--colour=magma"}));
    EXPECT_EQ(arranged({"add", "--", "--color"}), (Words{"add", "--", "--color"}));
}

TEST(Nearest, FindsOneSlipAndNoMore) {
    const Words known = {"reduce", "topk", "top", "stats", "health"};
    EXPECT_EQ(nearest("redcue", known), "reduce");
    EXPECT_EQ(nearest("reduc", known), "reduce");
    EXPECT_EQ(nearest("topkk", known), "topk");
    EXPECT_EQ(nearest("heatlh", known), "health");
    EXPECT_EQ(nearest("frobnicate", known), "");
    EXPECT_EQ(nearest("", known), "");
    EXPECT_EQ(suggestion(std::string(100, 'a'), {std::string(100, 'a')}), "");
}

}  // namespace
}  // namespace cli
}  // namespace tegu
