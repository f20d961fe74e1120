// SPDX-License-Identifier: Apache-2.0
// Output files are whole or not there: commit, give up, fail half way.
#include "tools/tegu/output/output_file.h"

#include <gtest/gtest.h>

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace tegu {
namespace cli {
namespace {

class OutputFileTest : public testing::Test {
  protected:
    void SetUp() override {
        char folder[] = "/tmp/tegu-output-XXXXXX";
        ASSERT_NE(mkdtemp(folder), nullptr);
        folder_ = folder;
    }
    void TearDown() override {
        for (const std::string& name : names()) unlink((folder_ + "/" + name).c_str());
        rmdir(folder_.c_str());
    }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        DIR* folder = opendir(folder_.c_str());
        while (const dirent* entry = readdir(folder)) {
            const std::string name = entry->d_name;
            if (name != "." && name != "..") found.push_back(name);
        }
        closedir(folder);
        return found;
    }
    std::string content(const std::string& name) const {
        std::ifstream file(folder_ + "/" + name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    std::string folder_;
};

TEST_F(OutputFileTest, AppearsAtCommitAndKeepsTheModeOfTheFileItReplaces) {
    std::ofstream(path("x.npy")) << "old";
    chmod(path("x.npy").c_str(), 0640);
    Expected<OutputFile> file = OutputFile::create(path("x.npy"));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->write("new"));
    EXPECT_EQ(content("x.npy"), "old");
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(content("x.npy"), "new");
    EXPECT_EQ(names(), std::vector<std::string>{"x.npy"});
    struct stat status;
    ASSERT_EQ(stat(path("x.npy").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputFileTest, LeavesNothingIfItIsNotCommitted) {
    {
        Expected<OutputFile> file = OutputFile::create(path("x.npy"));
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->write("half"));
        EXPECT_EQ(names().size(), 1u);
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(OutputFileTest, FollowsASymbolicLink) {
    std::ofstream(path("target")) << "old";
    ASSERT_EQ(symlink("target", path("link").c_str()), 0);
    Expected<OutputFile> file = OutputFile::create(path("link"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(content("target"), "new");
    struct stat status;
    ASSERT_EQ(lstat(path("link").c_str(), &status), 0);
    EXPECT_TRUE(S_ISLNK(status.st_mode));
}

TEST_F(OutputFileTest, AFullDeviceIsAnError) {
    Expected<OutputFile> file = OutputFile::create("/dev/full");
    ASSERT_TRUE(file) << file.error().message;
    const Expected<void> written = file->write("x");
    ASSERT_FALSE(written);
    EXPECT_EQ(exit_code_of(written.error()), 74);
    EXPECT_EQ(written.error().message, "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFileTest, AFileThatGrowsTooLargeIsAnErrorAndGoesAway) {
    rlimit old;
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, old.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    {
        Expected<OutputFile> file = OutputFile::create(path("x.npy"));
        ASSERT_TRUE(file);
        const Expected<void> written = file->write(std::string(10000, 'x'));
        if (!written) message = written.error().message;
    }
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_EQ(message, "cannot write " + path("x.npy") + ": File too large");
    EXPECT_TRUE(names().empty());
}

TEST_F(OutputFileTest, WhatCannotBeCreatedIsSaidAtOnce) {
    const struct {
        std::string path, reason;
    } cases[] = {{path("no/such/x.npy"), "No such file or directory"},
                 {folder_, "Is a directory"},
                 {folder_ + "/", "Is a directory"},
                 {path("missing/"), "Is a directory"},
                 {"", "No such file or directory"}};
    for (const auto& c : cases) {
        const Expected<OutputFile> file = OutputFile::create(c.path);
        ASSERT_FALSE(file) << c.path;
        EXPECT_EQ(exit_code_of(file.error()), 73);
        EXPECT_EQ(file.error().message, "cannot create " + c.path + ": " + c.reason);
    }
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace cli
}  // namespace tegu
