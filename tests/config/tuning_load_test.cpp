// SPDX-License-Identifier: Apache-2.0
// The cases are files: tuning_cases/<name>.toml is loaded, tuning_cases/<name>.expected holds every line that
// it must give. A line that ends in "..." stands for any continuation: words of the TOML parser differ
// between its releases.
#include "config/tuning_load.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/ignored_rows.h"
#include "config/tuning_write.h"

namespace tegu::config {
namespace {

std::string case_path(const std::string& name) {
    return std::string(TEGU_SOURCE_DIR) + "/tests/config/tuning_cases/" + name;
}

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    DIR* const opened = ::opendir(folder.c_str());
    if (opened == nullptr) return names;
    while (const dirent* entry = ::readdir(opened)) names.emplace_back(entry->d_name);
    ::closedir(opened);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const std::string& name : names_in(case_path("")))
        if (name.size() > 5 && name.substr(name.size() - 5) == ".toml")
            names.push_back(name.substr(0, name.size() - 5));
    return names;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool matches(const std::string& line, const std::string& expected) {
    if (expected.size() < 3 || expected.substr(expected.size() - 3) != "...") return line == expected;
    const std::string begin = expected.substr(0, expected.size() - 3);
    return line.compare(0, begin.size(), begin) == 0;
}

// A folder of the test, gone at its end.
class Folder {
  public:
    Folder() { EXPECT_NE(::mkdtemp(&path_[0]), nullptr); }
    ~Folder() {
        for (const std::string& name : names_in(path_)) (void)std::remove(file(name).c_str());
        (void)::rmdir(path_.c_str());
    }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }
    const std::string& path() const { return path_; }
    std::string name() const { return path_.substr(path_.rfind('/') + 1); }

  private:
    std::string path_ = "/tmp/tegu-tuning-XXXXXX";
};

const char kSmall[] =
    "format = 1\n[device]\nname = \"x\"\n[[row]]\nid = \"a\"\nbackend = \"cpu\"\noperation = \"add\"\n"
    "revision = 1\npolicy = { threads = 2 }\n";

class TuningCase : public testing::TestWithParam<std::string> {};

TEST_P(TuningCase, GivesItsLines) {
    const std::string name = GetParam() + ".toml";
    const LoadedTuning loaded = parse_tuning(read_file(case_path(name)), name, GetParam());
    std::vector<std::string> expected;
    std::istringstream lines(read_file(case_path(GetParam() + ".expected")));
    for (std::string line; std::getline(lines, line);) expected.push_back(line);
    EXPECT_EQ(loaded.ignored.size(), expected.size());
    for (std::size_t i = 0; i < std::max(loaded.ignored.size(), expected.size()); ++i) {
        const std::string line = i < loaded.ignored.size() ? ignored_text(loaded.ignored[i]) : "(nothing)";
        const std::string want = i < expected.size() ? expected[i] : "(nothing)";
        EXPECT_TRUE(matches(line, want)) << "  found:    " << line << "\n  expected: " << want;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, TuningCase, testing::ValuesIn(case_names()),
                         [](const auto& test) { return test.param; });

TEST(TuningLoad, ReadsEverythingThatATableMayHave) {
    const LoadedTuning loaded = load_tuning(case_path("good.toml"));
    ASSERT_TRUE(loaded.table.has_value());
    const TuningTable& table = *loaded.table;
    EXPECT_EQ(table.key, "good");
    EXPECT_EQ(table.device.name, "NVIDIA H200");
    EXPECT_EQ(table.device.compute_capability, 90u);
    EXPECT_EQ(table.device.multiprocessors, 132u);
    EXPECT_EQ(table.device.cpu_threads, 16u);
    ASSERT_EQ(table.rows.size(), 2u);
    const TuningRow& row = table.rows[0];
    EXPECT_EQ(row.id, "topk-w4-1e6");
    EXPECT_EQ(row.jobs.backend, TuningBackend::Cuda);
    EXPECT_EQ(row.jobs.operation, "topk");
    EXPECT_EQ(row.jobs.width, 4u);
    EXPECT_EQ(row.jobs.type, "f32");
    EXPECT_EQ(row.jobs.variant, "plain");
    EXPECT_EQ(row.jobs.sequences, (TuningRange{1, 2}));
    EXPECT_EQ(row.jobs.elements, (TuningRange{1048576, 4194304}));
    EXPECT_EQ(row.jobs.detail, (TuningRange{1, 65}));
    EXPECT_EQ(row.jobs.levels, TuningRange());
    EXPECT_EQ(row.revision, 1u);
    EXPECT_EQ(row.where.line, 10u);
    ASSERT_EQ(row.policy.size(), 2u);
    EXPECT_EQ(row.policy[0].name, "block_threads");
    EXPECT_EQ(row.policy[0].number, 512);
    EXPECT_EQ(row.policy[0].where.line, 21u);
    EXPECT_EQ(row.policy[0].where.column, 28u);
    EXPECT_EQ(row.evidence.time_us, 34.2);
    EXPECT_EQ(row.evidence.power_mode, "MAXN");
    EXPECT_EQ(row.evidence.clock_mhz, 1980u);
    EXPECT_EQ(table.rows[1].jobs.elements, (TuningRange{1048576, UINT64_MAX}));
    EXPECT_EQ(table.rows[1].jobs.levels, (TuningRange{2, 33}));
    EXPECT_EQ(table.rows[1].policy[0].word, "slide");
    ASSERT_EQ(table.costs.size(), 1u);
    EXPECT_EQ(table.costs[0].threads, 4u);
    ASSERT_EQ(table.costs[0].points.size(), 3u);
    EXPECT_EQ(table.costs[0].points[2].elements, 1e7);
    EXPECT_EQ(table.costs[0].points[2].time_us, 35);
    EXPECT_EQ(table.costs[0].evidence.provenance, "model");
}

TEST(TuningLoad, GoodRowsServeBesideBadOnes) {
    const LoadedTuning loaded = load_tuning(case_path("unknown_keys.toml"));
    ASSERT_TRUE(loaded.table.has_value());
    ASSERT_EQ(loaded.table->rows.size(), 1u);
    EXPECT_EQ(loaded.table->rows[0].id, "c");  // its field is for kernels/tuning to judge
}

// A full file of bad rows: attempts count against the limit of rows, and few of the reasons are kept.
TEST(TuningLoad, AFileOfBadRowsGivesAShortList) {
    std::string text = "format = 1\n[device]\n";
    const std::size_t good = text.size();
    while (text.size() + 8 <= kMaxTuningFileBytes) text += "[[row]]\n";
    const LoadedTuning loaded = parse_tuning(text, "bad.toml", "bad");
    ASSERT_TRUE(loaded.table.has_value());
    EXPECT_TRUE(loaded.table->rows.empty());
    ASSERT_EQ(loaded.ignored.size(), kMaxIgnoredKept);
    EXPECT_EQ(ignored_text(loaded.ignored[0]), "bad.toml:3:1: row ? is ignored: id: it is missing");
    // 4096 rows, and the line that says that there are more.
    EXPECT_EQ(loaded.ignored.back().reason, "id: it is missing; " +
                                                std::to_string(4096 + 1 - kMaxIgnoredKept) +
                                                " more parts of this table are ignored");
    // A good row behind the limit is not read.
    std::string late = text.substr(0, good);
    for (int i = 0; i < 4096; ++i) late += "[[row]]\n";
    const std::string row(std::strstr(kSmall, "[[row]]"));
    EXPECT_TRUE(parse_tuning(late + row, "late.toml", "late").table->rows.empty());
    EXPECT_EQ(parse_tuning(late.substr(0, late.size() - 8) + row, "in.toml", "in").table->rows.size(), 1u);
}

TEST(TuningLoad, UnknownKeysGiveAShortListToo) {
    std::string text = "format = 1\n";
    for (int i = 0; i < 20000; ++i) text += "k" + std::to_string(i) + " = 1\n";
    const LoadedTuning loaded = parse_tuning(text + "[device]\n", "bad.toml", "bad");
    ASSERT_EQ(loaded.ignored.size(), kMaxIgnoredKept);
    unsigned told = 0;
    for (const IgnoredRow& each : loaded.ignored)
        told += each.reason.find("; 19900 more parts of this table are ignored") != std::string::npos;
    EXPECT_EQ(told, 1u);
}

TEST(TuningLoad, FilesThatCannotBeReadAreNamed) {
    const Folder folder;
    const auto reason = [](const std::string& path) {
        const LoadedTuning loaded = load_tuning(path);
        EXPECT_FALSE(loaded.table.has_value());
        return loaded.ignored.size() == 1 ? ignored_text(loaded.ignored[0]) : "none";
    };
    EXPECT_NE(reason(folder.file("none.toml")).find("cannot be opened: No such file"), std::string::npos);
    EXPECT_EQ(reason(folder.path()), folder.path() + ": table " + folder.name() +
                                         " is ignored: found a directory, "
                                         "allowed a regular file");
    ASSERT_EQ(::mkfifo(folder.file("pipe.toml").c_str(), 0600), 0);
    EXPECT_NE(reason(folder.file("pipe.toml")).find("found a special file"), std::string::npos);
    folder.write("large.toml", std::string(kMaxTuningFileBytes + 1, '#'));
    EXPECT_NE(reason(folder.file("large.toml")).find("found more than 1048576 bytes"), std::string::npos);
    folder.write("hidden.toml", kSmall);
    ASSERT_EQ(::chmod(folder.file("hidden.toml").c_str(), 0), 0);
    if (::geteuid() != 0) {
        EXPECT_NE(reason(folder.file("hidden.toml")).find("Permission denied"), std::string::npos);
    }
}

TEST(TuningLoad, ADirectoryGivesItsTablesInOrderAndTheOverlay) {
    const Folder folder;
    folder.write("b.toml", kSmall);
    folder.write("a.toml", kSmall);
    folder.write("bad.toml", "format = ");
    folder.write("a.toml.new", "half written");
    folder.write(".hidden.toml", "format = ");
    const std::string overlay = folder.write("mine", kSmall);
    const TuningFiles files = load_tuning_files(folder.path(), overlay);
    ASSERT_EQ(files.tables.size(), 2u);
    EXPECT_EQ(files.tables[0].key, "a");
    EXPECT_EQ(files.tables[1].key, "b");
    ASSERT_TRUE(files.overlay.has_value());
    EXPECT_EQ(files.overlay->key, "overlay");
    ASSERT_EQ(files.ignored.size(), 1u);
    EXPECT_EQ(files.ignored[0].table, "bad");
}

TEST(TuningLoad, TablesForDevicesThatAreNotWantedAreNotReadOn) {
    const Folder folder;
    const std::string row = "[[row]]\nid = \"a\"\nbackend = \"cpu\"\noperation = \"topk\"\nrevision = 1\n";
    const std::string policy = "policy = { method = \"sort\" }\n";
    const auto device = [](const char* name) { return std::string("[device]\nname = \"") + name + "\"\n"; };
    folder.write("mine.toml", "format = 1\n" + device("mine") + row + policy);
    folder.write("mine_late.toml", "format = 1\n" + row + policy + device("mine"));
    folder.write("other.toml", "format = 1\n" + device("other") + row + policy);
    folder.write("other_broken.toml", "format = 1\n" + device("other") + row + "policy = {\n");
    folder.write("other_late.toml", "format = 1\n" + row + policy + device("other"));
    folder.write("other_new.toml", "format = 2\n" + device("other") + row + policy);
    const auto wants = [](const TuningDevice& wanted) { return wanted.name == "mine"; };
    const TuningFiles files = load_tuning_files(folder.path(), "", wants);
    std::string keys;
    for (const TuningTable& table : files.tables) keys += table.key + " ";
    EXPECT_EQ(keys, "mine mine_late other_late ");  // which is not ours, but had to be read to find out
    ASSERT_EQ(files.ignored.size(), 1u);
    EXPECT_EQ(files.ignored[0].table, "other_new");
    EXPECT_EQ(load_tuning_files(folder.path(), "").tables.size(), 4u);
}

TEST(TuningLoad, WhatIsNotThereIsNoError) {
    const Folder folder;
    const TuningFiles files = load_tuning_files(folder.file("none"), folder.file("none.toml"));
    EXPECT_TRUE(files.tables.empty() && !files.overlay && files.ignored.empty());
    EXPECT_TRUE(load_tuning_files("", "").tables.empty());
}

TEST(TuningLoad, ABadOverlayIsNamedAndTheTablesServe) {
    const Folder folder;
    folder.write("a.toml", kSmall);
    const TuningFiles files = load_tuning_files(folder.path(), folder.write("overlay", "[[["));
    EXPECT_EQ(files.tables.size(), 1u);
    EXPECT_FALSE(files.overlay.has_value());
    ASSERT_EQ(files.ignored.size(), 1u);
    EXPECT_EQ(files.ignored[0].table, "overlay");
}

TEST(TuningLoad, TheTablesOfThisBuildAreFound) {
    EXPECT_EQ(installed_tuning_directory(), std::string(TEGU_BINARY_DIR) + "/share/tegu/devices");
    EXPECT_FALSE(names_in(installed_tuning_directory()).empty());
}

// --- writing

void expect_same(const TuningClass& a, const TuningClass& b) {
    EXPECT_EQ(a.backend, b.backend);
    EXPECT_EQ(a.operation, b.operation);
    EXPECT_EQ(a.width, b.width);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.variant, b.variant);
    EXPECT_EQ(a.sequences, b.sequences);
    EXPECT_EQ(a.elements, b.elements);
    EXPECT_EQ(a.detail, b.detail);
    EXPECT_EQ(a.levels, b.levels);
}

void expect_same(const TuningEvidence& a, const TuningEvidence& b) {
    EXPECT_EQ(a.provenance, b.provenance);
    EXPECT_EQ(a.time_us, b.time_us);
    EXPECT_EQ(a.default_us, b.default_us);
    EXPECT_EQ(a.noise, b.noise);
    EXPECT_EQ(a.date, b.date);
    EXPECT_EQ(a.driver, b.driver);
    EXPECT_EQ(a.toolkit, b.toolkit);
    EXPECT_EQ(a.power_mode, b.power_mode);
    EXPECT_EQ(a.clock_mhz, b.clock_mhz);
}

void expect_same(const TuningTable& a, const TuningTable& b) {
    EXPECT_EQ(a.device.name, b.device.name);
    EXPECT_EQ(a.device.compute_capability, b.device.compute_capability);
    EXPECT_EQ(a.device.multiprocessors, b.device.multiprocessors);
    EXPECT_EQ(a.device.cpu_threads, b.device.cpu_threads);
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        EXPECT_EQ(a.rows[i].id, b.rows[i].id);
        EXPECT_EQ(a.rows[i].revision, b.rows[i].revision);
        expect_same(a.rows[i].jobs, b.rows[i].jobs);
        expect_same(a.rows[i].evidence, b.rows[i].evidence);
        ASSERT_EQ(a.rows[i].policy.size(), b.rows[i].policy.size());
        for (std::size_t j = 0; j < a.rows[i].policy.size(); ++j) {
            EXPECT_EQ(a.rows[i].policy[j].name, b.rows[i].policy[j].name);
            EXPECT_EQ(a.rows[i].policy[j].number, b.rows[i].policy[j].number);
            EXPECT_EQ(a.rows[i].policy[j].word, b.rows[i].policy[j].word);
        }
    }
    ASSERT_EQ(a.costs.size(), b.costs.size());
    for (std::size_t i = 0; i < a.costs.size(); ++i) {
        expect_same(a.costs[i].jobs, b.costs[i].jobs);
        expect_same(a.costs[i].evidence, b.costs[i].evidence);
        EXPECT_EQ(a.costs[i].threads, b.costs[i].threads);
        ASSERT_EQ(a.costs[i].points.size(), b.costs[i].points.size());
        for (std::size_t j = 0; j < a.costs[i].points.size(); ++j) {
            EXPECT_EQ(a.costs[i].points[j].elements, b.costs[i].points[j].elements);
            EXPECT_EQ(a.costs[i].points[j].time_us, b.costs[i].points[j].time_us);
        }
    }
}

TEST(TuningWrite, WhatIsWrittenReadsBackAsTheSameTable) {
    TuningTable table = *load_tuning(case_path("good.toml")).table;
    TuningRow plain;  // nothing but what is required
    plain.id = "quotes \" and \\";
    plain.jobs.operation = "add";
    plain.jobs.backend = TuningBackend::Cpu;
    plain.policy.resize(1);
    plain.policy[0].name = "threads";
    plain.policy[0].number = -5;
    table.rows.push_back(plain);
    table.costs[0].points.clear();
    for (int i = 1; i < 40; ++i) table.costs[0].points.push_back({std::exp2(i), 0.1 * i});
    const std::string text = tuning_toml(table);
    const LoadedTuning again = parse_tuning(text, "again", "again");
    ASSERT_TRUE(again.table.has_value()) << text;
    EXPECT_TRUE(again.ignored.empty()) << ignored_text(again.ignored[0]);
    expect_same(table, *again.table);
    EXPECT_EQ(tuning_toml(*again.table), text);
}

TEST(TuningWrite, AnEmptyTableIsOneToo) {
    const LoadedTuning again = parse_tuning(tuning_toml(TuningTable()), "empty", "empty");
    ASSERT_TRUE(again.table.has_value());
    EXPECT_TRUE(again.table->rows.empty() && again.ignored.empty());
}

TEST(TuningWrite, FilesAreReplacedInOneStep) {
    const Folder folder;
    const std::string path = folder.write("t.toml", "the old one");
    TuningTable table;
    table.device.name = "new";
    ASSERT_TRUE(write_tuning(path, table).ok());
    EXPECT_EQ(read_file(path), tuning_toml(table));
    EXPECT_NE(::access((path + ".new").c_str(), F_OK), 0);
    const Result<void> failed = write_tuning(folder.file("none/t.toml"), table);
    ASSERT_FALSE(failed.ok());
    const std::string reason = " cannot be created: No such file or directory";
    EXPECT_EQ(failed.error().message, folder.file("none/t.toml") + reason);
}

}  // namespace
}  // namespace tegu::config
