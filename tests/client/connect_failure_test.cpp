// SPDX-License-Identifier: Apache-2.0
// The advice of a connection that failed: how to start a daemon, and who may connect.
#include "client/connect_failure.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "client/tegu.h"

namespace tegu::clientlib {
namespace {

// A file that stands for a socket.
class ConnectFailure : public ::testing::Test {
  protected:
    void SetUp() override {
        fd_ = mkstemp(path_);
        ASSERT_GE(fd_, 0);
    }
    void TearDown() override {
        close(fd_);
        unlink(path_);
    }
    int fd_ = -1;
    char path_[32] = "/tmp/tegu-connect-XXXXXX";
};

TEST_F(ConnectFailure, NoDaemonSaysHowToStartOne) {
    const Error system = connect_failure(TEGU_DEFAULT_SOCKET, ENOENT);
    EXPECT_EQ(system.status, Status::Unavailable);
    EXPECT_EQ(system.message,
              "no daemon answers on /run/tegud/tegud.sock: No such file or directory; start one: systemctl "
              "start tegud.socket");
    EXPECT_EQ(connect_failure("a.sock", ECONNREFUSED).message,
              "no daemon answers on a.sock: Connection refused; start one: tegud --socket a.sock");
}

TEST_F(ConnectFailure, NoPermissionNamesTheGroup) {
    ASSERT_EQ(chmod(path_, 0660), 0);
    struct stat status;
    ASSERT_EQ(stat(path_, &status), 0);
    const group* entry = getgrgid(status.st_gid);
    const std::string name = entry != nullptr ? entry->gr_name : std::to_string(status.st_gid);
    const Error error = connect_failure(path_, EACCES);
    EXPECT_EQ(error.status, Status::Denied);
    EXPECT_EQ(error.message, "no permission to connect to " + std::string(path_) + "; the group " + name +
                                 " may: sudo usermod -aG " + name + " $USER, then newgrp " + name +
                                 " or log in again");
}

TEST_F(ConnectFailure, GroupsWithoutANameAreNumbers) {
    if (chown(path_, static_cast<uid_t>(-1), 54321) != 0) GTEST_SKIP() << "only root gives files away";
    ASSERT_EQ(chmod(path_, 0660), 0);
    EXPECT_NE(connect_failure(path_, EACCES).message.find("; the group 54321 may: "), std::string::npos);
}

TEST_F(ConnectFailure, WithoutAGroupTheOwnerIsNamed) {
    ASSERT_EQ(chmod(path_, 0600), 0);
    EXPECT_NE(connect_failure(path_, EACCES).message.find("; only its owner "), std::string::npos);
}

TEST_F(ConnectFailure, WhatCannotBeSeenLiesInAClosedFolder) {
    EXPECT_EQ(connect_failure("/nowhere/s.sock", EACCES).message,
              "no permission to connect to /nowhere/s.sock; a folder on the way is closed to this user");
}

}  // namespace
}  // namespace tegu::clientlib
