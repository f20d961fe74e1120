// SPDX-License-Identifier: Apache-2.0
#include "base/account_name.h"

#include <grp.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace {

std::size_t needed_bytes = 0;          // of a group's entry; fewer are ERANGE
std::vector<std::size_t> given_bytes;  // by each call
char name[] = "staff-of-many";

}  // namespace

// In place of the C library's.
extern "C" int getgrgid_r(gid_t gid, group* entry, char*, std::size_t bytes, group** found) {
    given_bytes.push_back(bytes);
    *found = nullptr;
    if (bytes < needed_bytes) return ERANGE;
    if (gid != 7) return 0;
    entry->gr_name = name;
    *found = entry;
    return 0;
}

namespace tegu {
namespace {

TEST(AccountName, KnowsTheSuperuserAndNoUnknownUser) {
    EXPECT_EQ(user_name(0), "root");
    EXPECT_EQ(user_name(987654321), std::nullopt);
}

TEST(AccountName, AGroupOfManyMembersGetsTheMemoryThatItNeeds) {
    needed_bytes = 100000;
    given_bytes.clear();
    EXPECT_EQ(group_name(7), "staff-of-many");
    EXPECT_EQ(given_bytes.back(), 131072u);
    EXPECT_EQ(group_name(8), std::nullopt);
}

TEST(AccountName, AGroupThatNoMemoryIsEnoughForHasNoName) {
    needed_bytes = SIZE_MAX;
    given_bytes.clear();
    EXPECT_EQ(group_name(7), std::nullopt);
    EXPECT_EQ(given_bytes.back(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace tegu
