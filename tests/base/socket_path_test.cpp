// SPDX-License-Identifier: Apache-2.0
#include "base/socket_path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tegu {
namespace {

class SocketPath : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/tegu-socket-path-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder_ = name;
        setenv("XDG_RUNTIME_DIR", name, 1);
    }
    void TearDown() override {
        std::filesystem::remove_all(folder_);
        unsetenv("XDG_RUNTIME_DIR");
    }
    // The socket of this user's daemon, as a plain file, in a folder with that mode.
    std::string make_socket(mode_t mode) {
        const std::string folder = user_socket_folder(folder_), socket = user_socket(folder_);
        EXPECT_EQ(mkdir(folder.c_str(), 0700), 0);
        std::ofstream(socket) << "";
        EXPECT_EQ(chmod(folder.c_str(), mode), 0);
        return socket;
    }
    static Status outcome(const std::string& path, FolderOwner owner = FolderOwner::Own, bool group = false) {
        const Result<void> checked = check_socket_folder(path, owner, group);
        if (checked) return Status::Ok;
        EXPECT_NE(checked.error().message.find(path), std::string::npos);
        return checked.error().status;
    }
    std::string folder_;
};

TEST_F(SocketPath, FolderOfThisUserAloneIsSafe) {
    EXPECT_EQ(outcome(folder_), Status::Ok);
    EXPECT_EQ(chmod(folder_.c_str(), 0755), 0);
    EXPECT_EQ(outcome(folder_), Status::Ok);
}

TEST_F(SocketPath, FolderThatOthersCanChangeIsDenied) {
    EXPECT_EQ(chmod(folder_.c_str(), 0770), 0);
    EXPECT_EQ(outcome(folder_), Status::Denied);
    EXPECT_EQ(outcome(folder_, FolderOwner::Own, true), Status::Ok);
    EXPECT_EQ(chmod(folder_.c_str(), 0707), 0);
    EXPECT_EQ(outcome(folder_, FolderOwner::Own, true), Status::Denied);
    EXPECT_EQ(chmod(folder_.c_str(), 01777), 0);
    EXPECT_EQ(outcome(folder_), Status::Denied);
}

TEST_F(SocketPath, FolderOfAnotherUserIsDenied) {
    if (geteuid() == 0) {
        ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
        EXPECT_EQ(outcome(folder_), Status::Denied);
        EXPECT_EQ(outcome(folder_, FolderOwner::OwnOrRoot), Status::Denied);
    } else {
        EXPECT_EQ(outcome("/usr"), Status::Denied);
        EXPECT_EQ(outcome("/usr", FolderOwner::OwnOrRoot), Status::Ok);
    }
}

TEST_F(SocketPath, WhatIsNoDirectoryIsNoFolder) {
    const std::string file = folder_ + "/file", link = folder_ + "/link";
    std::ofstream(file) << "";
    EXPECT_EQ(outcome(file), Status::BadRequest);
    ASSERT_EQ(symlink(folder_.c_str(), link.c_str()), 0);
    EXPECT_EQ(outcome(link), Status::BadRequest);
    EXPECT_EQ(outcome(folder_ + "/missing"), Status::NotFound);
}

TEST_F(SocketPath, RuntimeFolderComesFromTheEnvironment) {
    EXPECT_EQ(*user_runtime_folder(), folder_);
    setenv("XDG_RUNTIME_DIR", (folder_ + "//").c_str(), 1);
    EXPECT_EQ(*user_runtime_folder(), folder_);
    setenv("XDG_RUNTIME_DIR", "relative", 1);
    EXPECT_EQ(user_runtime_folder().error().status, Status::BadRequest);
    setenv("XDG_RUNTIME_DIR", "", 1);
    EXPECT_EQ(user_runtime_folder().error().status, Status::NotFound);
    unsetenv("XDG_RUNTIME_DIR");
    EXPECT_EQ(user_runtime_folder().error().status, Status::NotFound);
}

TEST_F(SocketPath, ClientsUseTheSocketOfTheirUser) {
    if (access(kSystemSocket, F_OK) == 0) GTEST_SKIP() << "a daemon of the system is there";
    EXPECT_EQ(find_socket(), kSystemSocket);
    const std::string socket = make_socket(0700);
    EXPECT_EQ(find_socket(), socket);
    unlink(socket.c_str());
    EXPECT_EQ(find_socket(), kSystemSocket);
}

TEST_F(SocketPath, ClientsAreNotLuredIntoAFolderThatOthersCanChange) {
    if (access(kSystemSocket, F_OK) == 0) GTEST_SKIP() << "a daemon of the system is there";
    const std::string socket = make_socket(0777);
    EXPECT_EQ(find_socket(), kSystemSocket);
    EXPECT_EQ(chmod(user_socket_folder(folder_).c_str(), 0700), 0);
    EXPECT_EQ(find_socket(), socket);
    EXPECT_EQ(chmod(folder_.c_str(), 0777), 0);
    EXPECT_EQ(find_socket(), kSystemSocket);
}

}  // namespace
}  // namespace tegu
