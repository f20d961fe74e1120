// SPDX-License-Identifier: Apache-2.0
// The advice of a connection that failed: how to start a daemon, and who may connect.
#include "client/connect_failure.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

// A folder that stands for /.
class NoDaemon : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_NE(mkdtemp(root_), nullptr); }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void make(const std::string& file) {
        const std::filesystem::path path = std::string(root_) + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << "";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    std::string advice(const std::string& path) {
        const Error error = connect_failure(path, ENOENT, root_);
        EXPECT_EQ(error.status, Status::Unavailable);
        const std::string begin = "no daemon answers on " + path + ": No such file or directory; start one: ";
        EXPECT_EQ(error.message.substr(0, begin.size()), begin);
        return error.message.substr(std::min(begin.size(), error.message.size()));
    }
    char root_[32] = "/tmp/tegu-root-XXXXXX";
};

constexpr char kOwnDaemon[] = "export TEGU_SOCKET=/tmp/tegud.sock; tegud --socket $TEGU_SOCKET &";

TEST_F(NoDaemon, TheUnitIsStartedWhereSystemdRunsAndHasIt) {
    make("/run/systemd/system/other.service");
    EXPECT_EQ(advice(TEGU_DEFAULT_SOCKET), kOwnDaemon);
    make("/usr/local/lib/systemd/system/tegud.socket");
    EXPECT_EQ(advice(TEGU_DEFAULT_SOCKET), "systemctl start tegud.socket");
    EXPECT_EQ(advice("a.sock"), "tegud --socket a.sock");
}

TEST_F(NoDaemon, AUnitIsOfNoUseWithoutSystemd) {
    make("/etc/systemd/system/tegud.socket");
    EXPECT_EQ(advice(TEGU_DEFAULT_SOCKET), kOwnDaemon);
}

TEST_F(NoDaemon, TheProgramIsNamedWhereItIsInstalled) {
    make("/usr/sbin/tegud");
    EXPECT_EQ(advice("a.sock"), "/usr/sbin/tegud --socket a.sock");
    make("/usr/local/sbin/tegud");
    EXPECT_EQ(advice("a.sock"), "/usr/local/sbin/tegud --socket a.sock");
    EXPECT_NE(group_advice(0, "root", root_).find(": /usr/local/sbin/tegud --socket PATH"),
              std::string::npos);
    EXPECT_EQ(advice(TEGU_DEFAULT_SOCKET),
              "export TEGU_SOCKET=/tmp/tegud.sock; /usr/local/sbin/tegud --socket $TEGU_SOCKET &");
}

constexpr char kNowhere[] = "/nowhere";  // no tegud is installed there
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
    const Error error = connect_failure(path_, EACCES, kNowhere);
    EXPECT_EQ(error.status, Status::Denied);
    EXPECT_EQ(error.message, "no permission to connect to " + std::string(path_) + join_advice(name));
}

TEST_F(ConnectFailure, NoCommandJoinsAGroupOfTheSystem) {
    EXPECT_EQ(group_advice(0, "root", kNowhere), "; only root may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(0, "tegu-clients", kNowhere), "; only root may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(44, "video", kNowhere),
              "; only the system's group video may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(999, "docker", kNowhere),
              "; only the system's group docker may" + std::string(kWayIn));
    EXPECT_EQ(group_advice(65534, "nogroup", kNowhere),
              "; only the system's group nogroup may" + std::string(kWayIn));
}

TEST_F(ConnectFailure, TheServiceAndPeopleHaveGroupsToJoin) {
    EXPECT_EQ(group_advice(998, "tegu-clients", kNowhere), join_advice("tegu-clients"));
    EXPECT_EQ(group_advice(1000, "robots", kNowhere), join_advice("robots"));
}

TEST_F(ConnectFailure, ASocketOfRootIsForRootAlone) {
    if (chown(path_, 0, 0) != 0) GTEST_SKIP() << "only root gives files away";
    for (const mode_t mode : {0600, 0660}) {
        ASSERT_EQ(chmod(path_, mode), 0);
        EXPECT_EQ(connect_failure(path_, EACCES, kNowhere).message,
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
        EXPECT_NE(connect_failure(path_, EACCES, kNowhere).message.find("; only its owner "),
                  std::string::npos);
    }
}

TEST_F(ConnectFailure, WhatCannotBeSeenLiesInAClosedFolder) {
    EXPECT_EQ(connect_failure("/nowhere/s.sock", EACCES).message,
              "no permission to connect to /nowhere/s.sock; a folder on the way is closed to this user");
}

}  // namespace
}  // namespace tegu::clientlib
