// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/journal.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace tegu::tune {
namespace {

class JournalFile : public testing::Test {
  protected:
    void SetUp() override {
        char folder[] = "/tmp/tegu-journal-XXXXXX";
        ASSERT_NE(mkdtemp(folder), nullptr);
        folder_ = folder;
        path_ = folder_ + "/table.toml.journal";
    }
    void TearDown() override {
        for (const char* name : {"/table.toml.journal", "/table.toml.journal.old"})
            (void)unlink((folder_ + name).c_str());
        rmdir(folder_.c_str());
    }
    std::string content() const {
        std::ifstream file(path_);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
    void write(const std::string& text) const { std::ofstream(path_) << text; }
    // Two records by a run that then ended.
    void write_two() const {
        Result<Journal> journal = Journal::open(path_, "board A");
        ASSERT_TRUE(journal.ok());
        ASSERT_TRUE(journal->append({"cpu/add-f32-n1M", "first\nrecord\n"}).ok());
        ASSERT_TRUE(journal->append({"cpu/cost-add", ""}).ok());
    }
    std::string folder_, path_;
};

TEST_F(JournalFile, KeepsRecordsForTheNextRun) {
    write_two();
    const Result<Journal> again = Journal::open(path_, "board A");
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->records().size(), 2u);
    EXPECT_EQ(again->find("cpu/add-f32-n1M")->text, "first\nrecord\n");
    EXPECT_EQ(again->find("cpu/cost-add")->text, "");
    EXPECT_EQ(again->find("cpu/other"), nullptr);
    EXPECT_EQ(again->cut_bytes(), 0u);
}

TEST_F(JournalFile, TheLastRecordOfAnIdCounts) {
    write_two();
    Result<Journal> journal = Journal::open(path_, "board A");
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->append({"cpu/add-f32-n1M", "again"}).ok());
    EXPECT_EQ(journal->find("cpu/add-f32-n1M")->text, "again");
}

// As after a power cut: the file ends anywhere.
TEST_F(JournalFile, CutAnywhereLosesNoWholeRecord) {
    write_two();
    const std::string whole = content();
    const std::size_t header = journal_header("board A").size();
    const std::size_t first = header + record_text({"cpu/add-f32-n1M", "first\nrecord\n"}).size();
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        write(whole.substr(0, length));
        Result<Journal> journal = Journal::open(path_, "board A");
        ASSERT_TRUE(journal.ok()) << length;
        EXPECT_EQ(journal->records().size(), length == whole.size() ? 2u
                                             : length >= first      ? 1u
                                                                    : 0u)
            << length;
        ASSERT_TRUE(journal->append({"cpu/new", "x"}).ok());
        const JournalContent read = parse_journal(content());
        ASSERT_FALSE(read.records.empty());
        EXPECT_EQ(read.records.back().id, "cpu/new");
        EXPECT_EQ(read.whole_bytes, content().size());
    }
}

TEST_F(JournalFile, DamageEndsWhatIsBelieved) {
    write_two();
    const std::string whole = content();
    const std::size_t header = journal_header("board A").size();
    for (std::size_t place = header; place < whole.size(); ++place) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ 0x11);
        for (const JournalRecord& record : parse_journal(damaged).records) {
            const bool known = record.text == "first\nrecord\n" || record.text.empty();
            EXPECT_TRUE(known) << place;
        }
    }
}

TEST_F(JournalFile, OfAnotherMachineIsRefusedAndNamed) {
    write_two();
    const Result<Journal> journal = Journal::open(path_, "board B, 4 threads");
    ASSERT_FALSE(journal.ok());
    EXPECT_NE(journal.error().message.find("board A"), std::string::npos);
    EXPECT_NE(journal.error().message.find("board B, 4 threads"), std::string::npos);
    EXPECT_EQ(parse_journal(content()).records.size(), 2u);
}

TEST_F(JournalFile, WhatIsNoJournalIsLeftAlone) {
    write("[settings]\nvaluable = true\n");
    EXPECT_FALSE(Journal::open(path_, "board A").ok());
    EXPECT_EQ(content(), "[settings]\nvaluable = true\n");
}

TEST_F(JournalFile, HasOneWriter) {
    const Result<Journal> journal = Journal::open(path_, "board A");
    ASSERT_TRUE(journal.ok());
    const Result<Journal> second = Journal::open(path_, "board A");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().status, Status::Busy);
}

TEST_F(JournalFile, IsSetAside) {
    const Result<std::string> none = set_journal_aside(path_);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(*none, "");
    write_two();
    const Result<std::string> aside = set_journal_aside(path_);
    ASSERT_TRUE(aside.ok());
    EXPECT_EQ(*aside, path_ + ".old");
    EXPECT_EQ(access(path_.c_str(), F_OK), -1);
    const Result<Journal> journal = Journal::open(path_, "board B");
    ASSERT_TRUE(journal.ok());
    EXPECT_TRUE(journal->records().empty());
}

TEST_F(JournalFile, ErrorsNameTheFile) {
    const std::string path = folder_ + "/no/such/x.journal";
    const Result<Journal> journal = Journal::open(path, "board A");
    ASSERT_FALSE(journal.ok());
    EXPECT_NE(journal.error().message.find(path), std::string::npos);
}

}  // namespace
}  // namespace tegu::tune
