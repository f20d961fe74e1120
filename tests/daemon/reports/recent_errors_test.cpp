// SPDX-License-Identifier: Apache-2.0
// What is remembered of errors, and that nobody makes the daemon forget what matters.
#include "daemon/reports/recent_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tegu::daemon {
namespace {

bool has(const RecentErrors& errors, uid_t uid, Status status) {
    const std::vector<const RecentError*> list = errors.newest_first();
    return std::any_of(list.begin(), list.end(), [&](const RecentError* error) {
        return error->uid == uid && error->status == status;
    });
}

// As many different errors as a user can make.
void make_all_errors(RecentErrors& errors, uid_t uid, std::int64_t from_ms) {
    for (int operation = 1; operation <= 10; ++operation)
        for (const Status status :
             {Status::BadRequest, Status::BadRange, Status::Busy, Status::TooLarge, Status::OverQuota})
            errors.add(from_ms++, uid, 1, static_cast<Operation>(operation), status, "", "nonsense");
}

TEST(RecentErrors, CountWhatComesAgain) {
    RecentErrors errors;
    errors.add(1000, 5, 10, Operation::Topk, Status::BadRange, "k", "k is 0");
    errors.add(2000, 5, 11, Operation::Topk, Status::BadRange, "k", "k is 9");
    errors.add(1500, 5, 11, std::nullopt, Status::BadRange, "", "another request");
    const std::vector<const RecentError*> list = errors.newest_first();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0]->count, 2u);
    EXPECT_EQ(list[0]->first_unix_ms, 1000);
    EXPECT_EQ(list[0]->last_unix_ms, 2000);
    EXPECT_EQ(list[0]->pid, 11);
    EXPECT_EQ(list[0]->message.view(), "k: k is 9") << "of the last one";
    EXPECT_FALSE(list[1]->operation.has_value());
}

TEST(RecentErrors, LeaveOutWhatSomebodyWanted) {
    RecentErrors errors;
    errors.add(1, 5, 10, Operation::Topk, Status::Cancelled, "", "cancelled");
    errors.add(1, 5, 10, Operation::Topk, Status::ShuttingDown, "", "stopping");
    EXPECT_TRUE(errors.newest_first().empty());
}

TEST(RecentErrors, AUserPushesOutHisOwn) {
    RecentErrors errors;
    errors.add(1, 1000, 1, Operation::Reduce, Status::BadRequest, "", "of somebody else");
    make_all_errors(errors, 2000, 100);
    EXPECT_TRUE(has(errors, 1000, Status::BadRequest));
    EXPECT_EQ(errors.newest_first().size(), 1 + RecentErrors::kMaxOfUser);
    EXPECT_EQ(errors.newest_first()[0]->last_unix_ms, 149) << "the newest are kept";
}

TEST(RecentErrors, ManyUsersPushOutThoseWithMost) {
    RecentErrors errors;
    errors.add(1, 1000, 1, Operation::Reduce, Status::BadRequest, "", "the only one of this user");
    for (uid_t uid = 0; uid < 4; ++uid) make_all_errors(errors, 2000 + uid, 100 + uid * 100);
    EXPECT_EQ(errors.newest_first().size(), RecentErrors::kMax);
    EXPECT_TRUE(has(errors, 1000, Status::BadRequest));
}

TEST(RecentErrors, OfTheDaemonItselfGiveWayToNothingElse) {
    RecentErrors errors;
    errors.add(1, 2000, 1, Operation::Reduce, Status::Internal, "", "a bug");
    for (uid_t uid = 0; uid < 1000; ++uid)
        errors.add(2, 3000 + uid, 1, Operation::Reduce, Status::BadRequest, "", "nonsense");
    make_all_errors(errors, 2000, 100);
    EXPECT_EQ(errors.newest_first().size(), RecentErrors::kMax);
    EXPECT_TRUE(has(errors, 2000, Status::Internal));
    for (uid_t uid = 0; uid < 1000; ++uid)
        errors.add(3, uid, 1, Operation::Reduce, Status::Internal, "", "bugs everywhere");
    errors.add(4, 9999, 1, Operation::Reduce, Status::BadRequest, "", "nonsense");
    EXPECT_EQ(errors.newest_first().size(), RecentErrors::kMax);
    EXPECT_FALSE(has(errors, 9999, Status::BadRequest)) << "there is none that it may push out";
}

TEST(RecentErrors, HoldShortPlainText) {
    RecentErrors errors;
    errors.add(1, 1, 1, std::nullopt, Status::BadRequest, "name",
               std::string("a\n\033[2Jb\xff") + std::string(1000, 'x'));
    const std::string message(errors.newest_first()[0]->message.view());
    EXPECT_EQ(message.substr(0, 14), "name: a??[2Jb?");
    EXPECT_EQ(message.size(), 160u);
}

TEST(ReloadHistory, KeepsTheLast) {
    ReloadHistory history;
    EXPECT_EQ(history.last(), nullptr);
    EXPECT_TRUE(history.newest_first().empty());
    for (int i = 1; i <= 20; ++i) history.add(i, i % 2 == 0, "reload " + std::to_string(i));
    ASSERT_EQ(history.newest_first().size(), ReloadHistory::kMax);
    EXPECT_EQ(history.newest_first()[0]->message.view(), "reload 20");
    EXPECT_EQ(history.newest_first()[7]->message.view(), "reload 13");
    EXPECT_TRUE(history.last()->ok);
}

}  // namespace
}  // namespace tegu::daemon
