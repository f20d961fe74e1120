// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace tegu {
namespace {

Fd open_null() {
    return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}
bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

TEST(Fd, ClosesOnDestruction) {
    int number = -1;
    {
        const Fd fd = open_null();
        ASSERT_TRUE(fd.valid());
        number = fd.get();
        EXPECT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovesLeaveNothingBehind) {
    Fd a = open_null();
    const int number = a.get();
    Fd b = std::move(a);
    EXPECT_EQ(b.get(), number);
    Fd c = open_null();
    const int replaced = c.get();
    c = std::move(b);
    EXPECT_EQ(c.get(), number);
    EXPECT_FALSE(is_open(replaced));
    EXPECT_TRUE(is_open(number));
    Fd& same = c;
    c = std::move(same);
    EXPECT_TRUE(is_open(number));
}

TEST(Fd, ReleaseAndReset) {
    Fd fd = open_null();
    const int number = fd.release();
    EXPECT_FALSE(fd);
    EXPECT_TRUE(is_open(number));
    fd.reset(number);
    EXPECT_TRUE(fd);
    fd.reset();
    EXPECT_FALSE(is_open(number));
    EXPECT_EQ(fd.get(), -1);
}

}  // namespace
}  // namespace tegu
