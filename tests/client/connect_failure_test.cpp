// SPDX-License-Identifier: Apache-2.0
// The advice of a connection that failed: how to start a daemon, and who may connect.
#include "client/connect_failure.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

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

constexpr char kWayIn[] =
    "; users connect to the service, as members of tegu-clients, or start their own: tegud --socket PATH";

std::string join_advice(const std::string& name) {
    return "; the group " + name + " may: sudo usermod -aG " + name + " $USER, then newgrp " + name +
           " or log in again";
}

TEST_F(ConnectFailure, NoPermissionNamesTheGroup) {
    if (chown(path_, static_cast<uid_t>(-1), 54321) != 0) GTEST_SKIP() << "only root gives files away";
    ASSERT_EQ(chmod(path_, 0660), 0);
    const group* entry = getgrgid(54321);
    const std::string name = entry != nullptr ? entry->gr_name : "54321";
    const Error error = connect_failure(path_, EACCES);
    EXPECT_EQ(error.status, Status::Denied);
    EXPECT_EQ(error.message, "no permission to connect to " + std::string(path_) + join_advice(name));
}

TEST_F(ConnectFailure, NoCommandJoinsAGroupOfTheSystem) {
    EXPECT_EQ(group_advice(0, "root"), "; only root may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(0, "tegu-clients"), "; only root may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(44, "video"), "; only the system's group video may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(999, "docker"), "; only the system's group docker may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(65534, "nogroup"), "; only the system's group nogroup may" + std::string(kWayIn));
}

TEST_F(ConnectFailure, TheServiceAndPeopleHaveGroupsToJoin) {
    EXPECT_EQ(group_advice(998, "tegu-clients"), join_advice("tegu-clients"));
    EXPECT_EQ(group_advice(1000, "robots"), join_advice("robots"));
}

TEST_F(ConnectFailure, ASocketOfRootIsForRootAlone) {
    if (chown(path_, 0, 0) != 0) GTEST_SKIP() << "only root gives files away";
    for (const mode_t mode : {0600, 0660}) {
        ASSERT_EQ(chmod(path_, mode), 0);
        EXPECT_EQ(connect_failure(path_, EACCES).message,
                  "no permission to connect to " + std::string(path_) + "; only root may" + kWayIn);
    }
}

TEST_F(ConnectFailure, WithoutAGroupTheOwnerIsNamed) {
    if (geteuid() == 0) {
        ASSERT_EQ(chown(path_, 54321, 0), 0);
    }
    for (const mode_t mode : {0600, 0660}) {  // a group of root adds nobody
        if (mode == 0660 && geteuid() != 0) continue;
        ASSERT_EQ(chmod(path_, mode), 0);
        EXPECT_NE(connect_failure(path_, EACCES).message.find("; only its owner "), std::string::npos);
    }
}

TEST_F(ConnectFailure, WhatCannotBeSeenLiesInAClosedFolder) {
    EXPECT_EQ(connect_failure("/nowhere/s.sock", EACCES).message,
              "no permission to connect to /nowhere/s.sock; a folder on the way is closed to this user");
}

}  // namespace
}  // namespace tegu::clientlib
