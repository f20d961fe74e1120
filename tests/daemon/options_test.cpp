// SPDX-License-Identifier: Apache-2.0
#include "daemon/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace tegu::daemon {
namespace {

std::variant<Options, EarlyExit> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "tegud");
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, NoneIsTheDefaults) {
    const auto parsed = parse({});
    const Options* options = std::get_if<Options>(&parsed);
    ASSERT_NE(nullptr, options);
    EXPECT_EQ("", options->settings_file);
    EXPECT_EQ("", options->socket_path);
    EXPECT_FALSE(options->check_settings || options->print_settings || options->verbose);
}

TEST(Options, AllOfThem) {
    const auto parsed =
        parse({"--config", "/a.toml", "--socket=/b.sock", "--check-config", "--print-config", "-v"});
    const Options* options = std::get_if<Options>(&parsed);
    ASSERT_NE(nullptr, options);
    EXPECT_EQ("/a.toml", options->settings_file);
    EXPECT_EQ("/b.sock", options->socket_path);
    EXPECT_TRUE(options->check_settings && options->print_settings && options->verbose);
}

TEST(Options, HelpAndVersionEndWellOnStandardOutput) {
    for (const char* flag : {"--help", "-h", "--version"}) {
        const auto parsed = parse({flag});
        const EarlyExit* exit = std::get_if<EarlyExit>(&parsed);
        ASSERT_NE(nullptr, exit) << flag;
        EXPECT_EQ(0, exit->code) << flag;
        EXPECT_NE(std::string::npos, exit->text.find("tegud")) << flag;
    }
}

TEST(Options, AWrongCommandLineIs64AndNamesWhatIsWrong) {
    for (const std::vector<const char*>& arguments : std::vector<std::vector<const char*>>{
             {"--nonsense"}, {"--config"}, {"--config", ""}, {"surplus"}, {"--socket"}}) {
        const auto parsed = parse(arguments);
        const EarlyExit* exit = std::get_if<EarlyExit>(&parsed);
        ASSERT_NE(nullptr, exit) << arguments[0];
        EXPECT_EQ(64, exit->code);
        EXPECT_NE(std::string::npos, exit->text.find(arguments[0])) << exit->text;
        EXPECT_EQ(0u, exit->text.find("tegud: ")) << exit->text;
    }
}

}  // namespace
}  // namespace tegu::daemon
