// SPDX-License-Identifier: Apache-2.0
// The cases are files: cases/<name>.toml is loaded, cases/<name>.expected holds every error it must give, or
// nothing. A line that ends in "..." stands for any continuation: words of the TOML parser differ between its
// releases.
#include "config/settings_load.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/settings_reload.h"

namespace tegu::config {
namespace {

constexpr std::uint64_t kMemory = 4ull << 30;

std::string case_path(const std::string& name) {
    return std::string(TEGU_SOURCE_DIR) + "/tests/config/cases/" + name;
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    DIR* dir = ::opendir(case_path("").c_str());
    if (dir == nullptr) return names;
    while (const dirent* entry = ::readdir(dir)) {
        const std::string name = entry->d_name;
        if (name.size() > 5 && name.substr(name.size() - 5) == ".toml")
            names.push_back(name.substr(0, name.size() - 5));
    }
    ::closedir(dir);
    std::sort(names.begin(), names.end());
    return names;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool matches(const std::string& line, const std::string& expected) {
    const bool open_end = expected.size() >= 3 && expected.substr(expected.size() - 3) == "...";
    return open_end ? line.compare(0, expected.size() - 3, expected, 0, expected.size() - 3) == 0
                    : line == expected;
}

class LoadCase : public testing::TestWithParam<std::string> {};

TEST_P(LoadCase, GivesItsErrors) {
    const std::string name = GetParam() + ".toml";
    const LoadedSettings loaded = parse_settings(read_file(case_path(name)), name, kMemory);
    std::vector<std::string> lines;
    for (const Diagnostic& error : loaded.errors) lines.push_back(diagnostic_text(error));
    const std::vector<std::string> expected = lines_of(read_file(case_path(GetParam() + ".expected")));
    EXPECT_EQ(lines.size(), expected.size());
    for (std::size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
        const std::string line = i < lines.size() ? lines[i] : "(nothing)";
        const std::string want = i < expected.size() ? expected[i] : "(nothing)";
        EXPECT_TRUE(matches(line, want)) << "  found:    " << line << "\n  expected: " << want;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, LoadCase, testing::ValuesIn(case_names()),
                         [](const auto& test) { return test.param; });

TEST(LoadCases, AreThere) {
    EXPECT_GE(case_names().size(), 15u);
}

// One error's whole text; "ok" if there is none, the number of errors if there are several.
std::string outcome(const LoadedSettings& loaded) {
    if (loaded.errors.empty()) return "ok";
    if (loaded.errors.size() > 1) return std::to_string(loaded.errors.size()) + " errors";
    return diagnostic_text(loaded.errors[0]);
}

// A folder of its own under the build tree.
class LoadFile : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = std::string(TEGU_BINARY_DIR) + "/settings-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        path_ = folder_ + "/tegud.toml";
    }
    void TearDown() override {
        ::unlink(path_.c_str());
        ::rmdir(folder_.c_str());
    }
    void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
    std::string load() { return outcome(load_settings(path_, IfMissing::Fails)); }

    std::string folder_;
    std::string path_;
};

TEST_F(LoadFile, EmptyFileGivesTheDefaults) {
    write("");
    const LoadedSettings loaded = load_settings(path_, IfMissing::Fails, kMemory);
    ASSERT_TRUE(loaded.ok());
    EXPECT_TRUE(plan_reload(default_settings(kMemory), loaded.settings).changes.empty());
}

TEST_F(LoadFile, ValuesOfTheFileCount) {
    write(
        "[limits]\nbuffer_bytes_total = \"1GiB\"\nbuffer_bytes = 0\n[timeouts]\nhello_ms = 7\n[log]\nlevel = "
        "'debug'\n");
    const LoadedSettings loaded = load_settings(path_, IfMissing::Fails, kMemory);
    ASSERT_TRUE(loaded.ok()) << outcome(loaded);
    EXPECT_EQ(loaded.settings.limits.buffer_bytes_total, 1ull << 30);
    EXPECT_EQ(loaded.settings.limits.buffer_bytes_per_uid, 512ull << 20);
    EXPECT_EQ(loaded.settings.limits.buffer_bytes, 512ull << 20);
    EXPECT_EQ(loaded.settings.timeouts.hello_ms, 7u);
    EXPECT_EQ(loaded.settings.log.level, LogLevel::Debug);
}

TEST_F(LoadFile, Missing) {
    EXPECT_EQ(load(), path_ + ": error: cannot be opened: No such file or directory");
    const LoadedSettings defaults = load_settings(path_, IfMissing::GivesDefaults, kMemory);
    ASSERT_TRUE(defaults.ok());
    EXPECT_TRUE(plan_reload(default_settings(kMemory), defaults.settings).changes.empty());
}

TEST_F(LoadFile, BrokenPathIsNoMissingFile) {
    write("");
    const std::string below = path_ + "/tegud.toml";
    EXPECT_EQ(outcome(load_settings(below, IfMissing::GivesDefaults)),
              below + ": error: cannot be opened: Not a directory");
}

TEST_F(LoadFile, Directory) {
    EXPECT_EQ(outcome(load_settings(folder_, IfMissing::GivesDefaults)),
              folder_ + ": error: found a directory, allowed a regular file");
}

TEST_F(LoadFile, FifoIsRefusedWithoutWaitingForAWriter) {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_EQ(load(), path_ + ": error: found a special file, allowed a regular file");
}

TEST_F(LoadFile, Unreadable) {
    write("");
    ASSERT_EQ(::chmod(path_.c_str(), 0), 0);
    const uid_t user = ::geteuid();
    ASSERT_EQ(::seteuid(user == 0 ? 65534 : user), 0);  // root reads any file
    const std::string text = load();
    ASSERT_EQ(::seteuid(user), 0);
    EXPECT_EQ(text, path_ + ": error: cannot be opened: Permission denied");
}

TEST_F(LoadFile, Size) {
    write(std::string(kMaxSettingsFileBytes, '\n'));
    EXPECT_EQ(load(), "ok");
    write(std::string(kMaxSettingsFileBytes + 1, '\n'));
    EXPECT_EQ(load(), path_ + ": error: found more than 1048576 bytes, allowed at most that");
}

TEST(ParseSettings, ByteOrderMarkAndCarriageReturnsAreAccepted) {
    EXPECT_EQ(outcome(parse_settings("\xef\xbb\xbf[log]\r\nlevel = \"debug\"\r\n", "f")), "ok");
}

TEST(ParseSettings, CharactersOutsideAsciiBelongIntoComments) {
    const std::string error = "found a character outside ASCII, allowed in comments only";
    EXPECT_EQ(outcome(parse_settings("# größer\n[log]  # ü: ° \xe2\x82\xac\nlevel = \"debug\"#ä", "f")),
              "ok");
    EXPECT_EQ(outcome(parse_settings("[log]\nlevel = \"dü\"", "f")), "f:2:11: error: " + error);
    EXPECT_EQ(outcome(parse_settings("[log]\n\xd0\x9e = 1", "f")), "f:2:1: error: " + error);
    EXPECT_EQ(outcome(parse_settings("# ü \\ü", "f")), "ok");
    EXPECT_EQ(outcome(parse_settings("\"# \" ü = 1", "f")), "f:1:6: error: " + error);
    EXPECT_EQ(outcome(parse_settings("'#\\' ü = 1", "f")), "f:1:6: error: " + error);
    EXPECT_EQ(outcome(parse_settings("\"\\\"#\" ü = 1", "f")), "f:1:7: error: " + error);
    for (const char* text : {"a = \"\"\"\n# \"\"\" ü = 1", "a = '''\n# ''' ü = 1"})
        EXPECT_EQ(outcome(parse_settings(text, "f")),
                  "f:1:1: error: found a string of several lines, allowed on one line each");
}

TEST(ParseSettings, TextThatIsNotUtf8) {
    EXPECT_EQ(outcome(parse_settings("[log]\nlevel = \"\xff\xfe\"\n", "f")).rfind("f:2:10: error: found", 0),
              0u);
    EXPECT_EQ(outcome(parse_settings("# \xff\xfe\n", "f")).rfind("f:1:", 0), 0u);
    EXPECT_NE(outcome(parse_settings("\x80", "f")), "ok");
    EXPECT_NE(outcome(parse_settings(std::string("\0\0\0", 3), "f")), "ok");
}

TEST(ParseSettings, DeepNestingIsRefusedBeforeItReachesTheStack) {
    std::string dotted = "a";
    for (int i = 0; i < 200000; ++i) dotted += ".a";
    EXPECT_EQ(outcome(parse_settings("\n" + dotted + " = 1\n", "f")),
              "f:2:1: error: found more than 32 dots on a line, allowed at most that");
    std::string nested = "a = ";
    for (int i = 0; i < 100000; ++i) nested += "[";
    EXPECT_EQ(outcome(parse_settings(nested, "f")).rfind("f:1:", 0), 0u);
    std::string mixed = "a = ";  // every level of nesting as deep as a line may make it
    for (int i = 0; i < 127; ++i)
        mixed += "{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=[\n";
    mixed += "1";
    for (int i = 0; i < 127; ++i) mixed += "]}";
    EXPECT_NE(outcome(parse_settings(mixed, "f")), "ok");
}

TEST(ParseSettings, CommentsMayHoldAnyNumberOfDots) {
    EXPECT_EQ(outcome(parse_settings("  # " + std::string(5000, '.') + "\n", "f")), "ok");
}

TEST(ParseSettings, ManyErrorsAreAllReported) {
    std::string text = "[limits]\n";
    for (int i = 0; i < 5000; ++i) text += "no_such_key_" + std::to_string(i) + " = 1\n";
    const LoadedSettings loaded = parse_settings(text, "f");
    ASSERT_EQ(loaded.errors.size(), 5000u);
    EXPECT_EQ(diagnostic_text(loaded.errors[4999]), "f:5001:1: error: limits.no_such_key_4999: unknown key");
}

TEST(DiagnosticText, IsOneLineWhateverItHolds) {
    EXPECT_EQ(diagnostic_text({"a\nb", 1, 2, "k\x1b", "t\r\n"}), "a?b:1:2: error: k?: t??");
    EXPECT_EQ(diagnostic_text({"f", 0, 0, "", "text"}), "f: error: text");
}

}  // namespace
}  // namespace tegu::config
