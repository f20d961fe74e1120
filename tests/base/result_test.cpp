// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace tegu {
namespace {

Result<std::unique_ptr<int>> half_of(int n) {
    if (n % 2 != 0) return bad_range("n", "even numbers", "n is " + std::to_string(n));
    auto half = std::make_unique<int>(n / 2);
    return half;  // moves
}

TEST(Result, HoldsAValueThatOnlyMoves) {
    Result<std::unique_ptr<int>> r = half_of(8);
    ASSERT_TRUE(r.ok());
    EXPECT_TRUE(static_cast<bool>(r));
    EXPECT_EQ(**r, 4);
    const std::unique_ptr<int> owned = std::move(r).value();
    EXPECT_EQ(*owned, 4);
}

TEST(Result, HoldsAnErrorWithFieldAndAllowed) {
    Result<std::unique_ptr<int>> r = half_of(7);
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().status, Status::BadRange);
    EXPECT_EQ(r.error().field, "n");
    EXPECT_EQ(r.error().allowed, "even numbers");
    EXPECT_EQ(r.error().message, "n is 7");
    const Error moved = std::move(r).error();
    EXPECT_EQ(moved.message, "n is 7");
}

TEST(Result, OfVoidIsOkUntilAnErrorIsPutIn) {
    Result<void> fine;
    EXPECT_TRUE(fine.ok());
    Result<void> bad = make_error(Status::Busy, "later");
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.error().status, Status::Busy);
    bad = Result<void>();
    EXPECT_TRUE(bad.ok());
}

TEST(IoError, MapsErrnoAndNamesTheCall) {
    EXPECT_EQ(io_error("open /x", ENOENT).status, Status::NotFound);
    EXPECT_EQ(io_error("open /x", EACCES).status, Status::Denied);
    EXPECT_EQ(io_error("mmap", ENOMEM).status, Status::OutOfMemory);
    EXPECT_EQ(io_error("connect", ECONNREFUSED).status, Status::Unavailable);
    EXPECT_EQ(io_error("send", EPIPE).status, Status::Unavailable);
    EXPECT_EQ(io_error("write", ENOSPC).status, Status::Io);
    EXPECT_EQ(io_error("write /x", ENOSPC).message.find("write /x: "), 0u);
}

}  // namespace
}  // namespace tegu
