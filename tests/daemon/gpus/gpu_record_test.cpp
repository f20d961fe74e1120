// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/gpu_record.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/daemon/daemon_process.h"

namespace tegu::daemon {
namespace {

class GpuRecordTest : public ::testing::Test {
  protected:
    GpuRecordTest() : directory_(test::make_directory()), file_(directory_ + "/gpu-failures") {}
    ~GpuRecordTest() override { test::remove_directory(directory_); }
    GpuRecord record(const std::string& boot = "b1") const { return GpuRecord(directory_, boot); }
    bool exists() const { return ::access(file_.c_str(), F_OK) == 0; }
    void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

    std::string directory_;
    std::string file_;
};

TEST_F(GpuRecordTest, AfterSomeFailuresTheGpuIsLeftAlone) {
    for (std::size_t i = 0; i < kGpuFailures; ++i) {
        EXPECT_EQ("", record().reason());
        record().add("illegal access\nof 7");
    }
    const std::string reason = record().reason();
    EXPECT_NE(std::string::npos, reason.find("3 times within 10 minutes")) << reason;
    EXPECT_NE(std::string::npos, reason.find("illegal access of 7")) << reason;
    EXPECT_EQ("", record("b2").reason()) << "another boot";
    record().forget();
    EXPECT_EQ("", record().reason());
    EXPECT_FALSE(exists());
}

TEST_F(GpuRecordTest, AStartThatNeverGotThereCounts) {
    for (std::size_t i = 0; i < kGpuFailures; ++i) {
        EXPECT_EQ("", record().reason());
        record().begin("opening it never ended");
    }
    EXPECT_NE("", record().reason());
}

TEST_F(GpuRecordTest, AStartThatGetsThereDoesNotCount) {
    GpuRecord first = record();
    first.begin("opening");
    EXPECT_TRUE(exists());
    first.opened();
    EXPECT_FALSE(exists());
    record().add("lost");
    GpuRecord second = record();
    second.begin("opening");
    second.opened();
    EXPECT_TRUE(exists());
}

TEST_F(GpuRecordTest, WithoutADirectoryNothingIsRemembered) {
    for (const std::string& none : {std::string(), directory_ + "/missing"}) {
        for (std::size_t i = 0; i <= kGpuFailures; ++i) GpuRecord(none, "b1").add("lost");
        EXPECT_EQ("", GpuRecord(none, "b1").reason());
    }
}

TEST_F(GpuRecordTest, OldFailuresDoNotCount) {
    std::vector<GpuFailure> failures;
    for (std::uint64_t i = 0; i < kGpuFailures; ++i) failures.push_back({1000 + i, "lost"});
    EXPECT_NE("", reason_against_gpu(failures, 1010));
    EXPECT_NE("", reason_against_gpu(failures, 1000 + kGpuFailureSeconds));
    EXPECT_EQ("", reason_against_gpu(failures, 1001 + kGpuFailureSeconds));
    EXPECT_EQ("", reason_against_gpu(failures, 999)) << "times to come";
}

TEST_F(GpuRecordTest, HostileFilesAreSurvived) {
    const std::string good = "b1 1 lost\n";
    for (const std::string& text :
         {std::string(), std::string("\n\n\n"), std::string("b1"), std::string("b1 "),
          std::string("b1 x lost\n"), std::string("b1 -1 lost\n"),
          std::string("b1 99999999999999999999999 lost\n"), std::string("b1 1"), std::string("b2 1 lost\n"),
          std::string(100, '\0'), std::string(1 << 20, 'x'), std::string(1 << 20, '\n')}) {
        EXPECT_TRUE(parse_gpu_failures(text, "b1", kGpuFailures).empty());
        write(text);
        EXPECT_EQ("", record().reason());
        EXPECT_EQ(1u, parse_gpu_failures(text + "\n" + good, "b1", kGpuFailures).size());
    }
    std::string many;
    for (int i = 0; i < 1000; ++i) many += good;
    EXPECT_EQ(kGpuFailures, parse_gpu_failures(many, "b1", kGpuFailures).size());
    EXPECT_TRUE(parse_gpu_failures(good, "", kGpuFailures).empty());
}

TEST_F(GpuRecordTest, AFileOfAnotherKindIsNotWaitedFor) {
    ASSERT_EQ(0, ::mkfifo(file_.c_str(), 0600));
    EXPECT_EQ("", record().reason());
    ASSERT_EQ(0, ::unlink(file_.c_str()));
    ASSERT_EQ(0, ::symlink("/etc/passwd", file_.c_str()));
    EXPECT_EQ("", record().reason());
    record().add("lost");
    struct stat status;
    ASSERT_EQ(0, ::lstat(file_.c_str(), &status));
    EXPECT_TRUE(S_ISREG(status.st_mode));
    EXPECT_EQ(0600u, status.st_mode & 0777u);
}

}  // namespace
}  // namespace tegu::daemon
