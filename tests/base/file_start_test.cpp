// SPDX-License-Identifier: Apache-2.0
#include "base/file_start.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace tegu {
namespace {

class FileStart : public testing::Test {
  protected:
    void SetUp() override { ASSERT_NE(::mkdtemp(&folder_[0]), nullptr); }
    void TearDown() override {
        for (const char* name : {"file", "link", "pipe"}) (void)::unlink(path(name).c_str());
        (void)::rmdir(folder_.c_str());
    }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    std::string folder_ = testing::TempDir() + "file_start_XXXXXX";
};

TEST_F(FileStart, IsCutAtTheMaximum) {
    std::ofstream(path("file")) << "0123456789";
    EXPECT_EQ(read_start(path("file"), 100), "0123456789");
    EXPECT_EQ(read_start(path("file"), 4), "0123");
}

TEST_F(FileStart, IsEmptyWithoutARegularFile) {
    std::ofstream(path("file")) << "0123456789";
    EXPECT_EQ(read_start(path("none"), 100), "");
    EXPECT_EQ(read_start(folder_, 100), "");
    ASSERT_EQ(::symlink(path("file").c_str(), path("link").c_str()), 0);
    EXPECT_EQ(read_start(path("link"), 100), "");
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(read_start(path("pipe"), 100), "") << "and it does not block";
}

}  // namespace
}  // namespace tegu
