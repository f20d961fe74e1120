// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/daemon/daemon_process.h"

namespace tegu::daemon {
namespace {

class ListenerTest : public ::testing::Test {
  protected:
    ListenerTest() : directory_(test::make_directory()), path_(directory_ + "/tegud.sock") {}
    ~ListenerTest() override { test::remove_directory(directory_); }

    bool exists() const { return ::access(path_.c_str(), F_OK) == 0; }
    bool connects() const {
        const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path_.data(), path_.size());
        return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }

    std::string directory_;
    std::string path_;
};

TEST_F(ListenerTest, BindsWithTheModeAndRemovesItsFile) {
    Result<Listener> listener = bind_listener({path_, 0620, 5});
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    struct stat status;
    ASSERT_EQ(0, ::stat(path_.c_str(), &status));
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(0620u, status.st_mode & 0777);
    EXPECT_TRUE(connects());
    EXPECT_NE(0, ::fcntl(listener->fd.get(), F_GETFD) & FD_CLOEXEC);
    EXPECT_NE(0, ::fcntl(listener->fd.get(), F_GETFL) & O_NONBLOCK);
    remove_socket_file(*listener);
    EXPECT_FALSE(exists());
}

TEST_F(ListenerTest, AStaleSocketFileIsReplaced) {
    { ASSERT_TRUE(bind_listener({path_, 0600, 5}).ok()); }  // closed, its file stays
    ASSERT_TRUE(exists());
    EXPECT_FALSE(connects());
    Result<Listener> listener = bind_listener({path_, 0600, 5});
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    EXPECT_TRUE(connects());
}

TEST_F(ListenerTest, ASocketOnWhichSomebodyAnswersIsLeftAlone) {
    Result<Listener> first = bind_listener({path_, 0600, 5});
    ASSERT_TRUE(first.ok());
    const Result<Listener> second = bind_listener({path_, 0600, 5});
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(Status::Unavailable, second.error().status);
    EXPECT_NE(std::string::npos, second.error().message.find(path_));
    EXPECT_TRUE(connects());
}

// Any user may lock a folder that he can read.
TEST_F(ListenerTest, ALockedFolderIsNotWaitedForWithoutEnd) {
    const Fd folder(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(0, ::flock(folder.get(), LOCK_EX));
    const Result<Listener> listener = bind_listener({path_, 0600, 5});
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    EXPECT_TRUE(connects());
}

TEST_F(ListenerTest, SomethingElseThanASocketIsLeftAlone) {
    std::ofstream(directory_ + "/file") << "precious";
    const Result<Listener> listener = bind_listener({directory_ + "/file", 0600, 5});
    ASSERT_FALSE(listener.ok());
    EXPECT_EQ(Status::BadRequest, listener.error().status);
    EXPECT_EQ(0, ::access((directory_ + "/file").c_str(), F_OK));
}

TEST_F(ListenerTest, PathsThatCannotBeAreNamed) {
    const Result<Listener> too_long = bind_listener({"/" + std::string(107, 'x'), 0600, 5});
    ASSERT_FALSE(too_long.ok());
    EXPECT_EQ(Status::BadRange, too_long.error().status);
    EXPECT_NE(std::string::npos, too_long.error().message.find("107"));
    EXPECT_EQ(Status::BadRange, bind_listener({"", 0600, 5}).error().status);
    const Result<Listener> nowhere = bind_listener({directory_ + "/directory/tegud.sock", 0600, 5});
    ASSERT_FALSE(nowhere.ok());
    EXPECT_EQ(Status::NotFound, nowhere.error().status);
    EXPECT_NE(std::string::npos, nowhere.error().message.find("/directory/tegud.sock"));
}

TEST_F(ListenerTest, AFileThatReplacedOursIsNotRemoved) {
    Result<Listener> listener = bind_listener({path_, 0600, 5});
    ASSERT_TRUE(listener.ok());
    ASSERT_EQ(0, ::unlink(path_.c_str()));
    std::ofstream(path_) << "another";
    remove_socket_file(*listener);
    EXPECT_TRUE(exists());
}

TEST(InheritListener, NothingIsPassedWithoutTheVariables) {
    (void)::unsetenv("LISTEN_FDS");
    (void)::unsetenv("LISTEN_PID");
    const Result<Inherited> inherited = inherit_descriptors();
    ASSERT_TRUE(inherited.ok());
    EXPECT_FALSE(inherited->listener || inherited->scrapes);
    EXPECT_TRUE(inherited->stored.known.empty() && inherited->stored.surplus.empty());
}

// In a child, since the descriptors that are passed begin at 3.
void inherit_in_child(int fd) {
    (void)::dup2(fd, 3);
    (void)::fcntl(3, F_SETFD, 0);  // as exec would leave it
    (void)::setenv("LISTEN_FDS", "1", 1);
    (void)::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    (void)::setenv("LISTEN_FDNAMES", "tegud.socket", 1);
    const Result<Inherited> inherited = inherit_descriptors();
    if (!inherited) std::_Exit(inherited.error().status == Status::BadDescriptor ? 3 : 4);
    const std::optional<Listener>& listener = inherited->listener;
    const bool good = listener.has_value() && listener->inherited && listener->fd.get() == 3 &&
                      listener->inode == 0 && (::fcntl(3, F_GETFL) & O_NONBLOCK) != 0 &&
                      ::getenv("LISTEN_FDS") == nullptr;
    std::_Exit(good ? 0 : 5);
}

TEST_F(ListenerTest, ASocketPassedByTheServiceManagerIsTaken) {
    Result<Listener> listener = bind_listener({path_, 0600, 5});
    ASSERT_TRUE(listener.ok());
    EXPECT_EXIT(inherit_in_child(listener->fd.get()), ::testing::ExitedWithCode(0), "");
}

TEST(InheritListener, ADescriptorThatIsNoListeningSocketIsRefused) {
    const Fd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
    EXPECT_EXIT(inherit_in_child(file.get()), ::testing::ExitedWithCode(3), "");
    const Fd unbound(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EXIT(inherit_in_child(unbound.get()), ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace tegu::daemon
