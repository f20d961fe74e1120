// SPDX-License-Identifier: Apache-2.0
// What a path can be, and what reading it gives: always a value, soon.
#include "daemon/health/board/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "base/fd.h"
#include "tests/daemon/health/board_tree.h"

namespace tegu::daemon::health {
namespace {

class SystemFilesOfTree : public testing::Test {
  protected:
    void SetUp() override {
        Result<SystemFiles> opened = SystemFiles::open(tree_.root());
        ASSERT_TRUE(opened.ok());
        files_ = std::make_unique<SystemFiles>(std::move(*opened));
    }
    Cause cause(const std::string& path) {
        const Value<std::string> text = files_->read(path, 16, Longer::Refuse);
        EXPECT_FALSE(text.known()) << path;
        return text.known() ? Cause::NotRead : text.unknown().cause;
    }
    BoardTree tree_;
    std::unique_ptr<SystemFiles> files_;
};

TEST_F(SystemFilesOfTree, GivesAllBytesOfAFile) {
    tree_.write("a/b", std::string("x\0y\n", 4));
    const Value<std::string> text = files_->read("a/b", 16, Longer::Refuse);
    ASSERT_TRUE(text.known());
    EXPECT_EQ(*text, std::string("x\0y\n", 4));
    tree_.write("empty", "");
    EXPECT_EQ(*files_->read("empty", 16, Longer::Refuse), "");
}

TEST_F(SystemFilesOfTree, TakesNoMoreThanWasAskedFor) {
    tree_.write("sixteen", std::string(16, 'a'));
    tree_.write("more", std::string(17, 'a'));
    EXPECT_EQ(files_->read("sixteen", 16, Longer::Refuse)->size(), 16u);
    EXPECT_EQ(cause("more"), Cause::Garbage);
    EXPECT_EQ(files_->read("more", 16, Longer::Cut)->size(), 16u);
}

TEST_F(SystemFilesOfTree, SaysWhyThereIsNoText) {
    tree_.write("file", "1");
    tree_.edit("directory folder");
    tree_.edit("fifo pipe");
    tree_.edit("link circle circle");
    tree_.edit("link dangling nowhere");
    tree_.edit("link zero /dev/zero");
    EXPECT_EQ(cause("nowhere"), Cause::Missing);
    EXPECT_EQ(cause("file/below"), Cause::Missing);
    EXPECT_EQ(cause("dangling"), Cause::Missing);
    EXPECT_EQ(cause("folder"), Cause::Unreadable);
    EXPECT_EQ(cause("pipe"), Cause::Unreadable) << "and does not wait for a writer";
    EXPECT_EQ(cause("circle"), Cause::Unreadable);
    EXPECT_EQ(cause("zero"), Cause::Unreadable);
    EXPECT_EQ(cause(std::string(5000, 'x')), Cause::Unreadable) << "too long for a name";
    tree_.edit("deny file");
    const AsNobody nobody(true);
    EXPECT_EQ(cause("file"), Cause::Unreadable);
}

TEST_F(SystemFilesOfTree, DoesNotWaitForAFifoThatHasAWriter) {
    tree_.edit("fifo pipe");
    const Fd writer(::open((tree_.root() + "/pipe").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_TRUE(writer.valid());
    EXPECT_EQ(cause("pipe"), Cause::Unreadable);
}

TEST_F(SystemFilesOfTree, ListsNamesByTheirNumbers) {
    for (const char* name : {"zone10", "zone2", "zone1", ".hidden", "a", "zone02", "zone\xff", "b\x1b[2J"})
        tree_.write(std::string("folder/") + name, "");
    EXPECT_EQ(files_->list("folder"), (std::vector<std::string>{"a", "zone1", "zone2", "zone02", "zone10"}));
    tree_.write("file", "");
    EXPECT_TRUE(files_->list("file").empty());
    EXPECT_TRUE(files_->list("nowhere").empty());
}

TEST_F(SystemFilesOfTree, TellsTheSpaceOfAFileSystem) {
    tree_.edit("directory state");
    const Value<DiskSpace> space = files_->space("state");
    ASSERT_TRUE(space.known());
    EXPECT_GE(space->total_bytes, space->available_bytes);
    EXPECT_EQ(files_->space("nowhere").unknown().cause, Cause::Missing);
}

TEST(SystemFiles, IsNotOpenedWhereThereIsNoDirectory) {
    EXPECT_FALSE(SystemFiles::open("/nowhere/at/all").ok());
    EXPECT_FALSE(SystemFiles::open("/proc/version").ok());
}

TEST(UnknownOf, TellsTheCausesOfACallApart) {
    EXPECT_EQ(unknown_of("x", ENOENT).cause, Cause::Missing);
    EXPECT_EQ(unknown_of("x", EAGAIN).cause, Cause::PoweredOff);
    EXPECT_EQ(unknown_of("x", EACCES).cause, Cause::Unreadable);
    EXPECT_EQ(unknown_of("x", ETIMEDOUT).cause, Cause::TimedOut);
    EXPECT_EQ(unknown_of("x", 4095).detail, "x: error 4095");
}

}  // namespace
}  // namespace tegu::daemon::health
