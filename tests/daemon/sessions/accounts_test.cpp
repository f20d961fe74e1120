// SPDX-License-Identifier: Apache-2.0
// Who is charged, and that no client makes the accounts many.
#include "daemon/sessions/accounts.h"

#include <gtest/gtest.h>

#include <vector>

namespace tegu::daemon {
namespace {

const TimePoint kStart = TimePoint() + std::chrono::hours(1);

JobUse cpu_use(std::uint64_t ns) {
    JobUse use;
    use.cpu_ns = ns;
    return use;
}

Usage sum_of_users(const Accounts& accounts) {
    Usage sum = accounts.others().usage;
    for (const auto& entry : accounts.users()) sum += entry.second.usage;
    return sum;
}

TEST(Accounts, SayWhatAJobUsed) {
    RunCost cost;
    cost.copy_ns = 10;
    cost.compute_ns = 100;
    cost.threads = 4;
    cost.other_gpus_ns = 50;
    kernels::JobPlan plan;
    plan.bytes_read = 1000;
    plan.bytes_written = 24;
    const JobUse on_cpu = use_of(cost, false, plan, Status::Ok);
    EXPECT_EQ(on_cpu.cpu_ns, 400u) << "of all threads";
    EXPECT_EQ(on_cpu.device_ns, 0u);
    EXPECT_EQ(on_cpu.bytes, 1024u);
    const JobUse on_gpu = use_of(cost, true, plan, Status::DeadlineExceeded);
    EXPECT_EQ(on_gpu.device_ns, 160u) << "of all GPUs, copies included";
    EXPECT_EQ(on_gpu.cpu_ns, 0u);
    EXPECT_EQ(on_gpu.bytes, 0u) << "it made nothing";
}

TEST(Accounts, ChargeTheUserAndTheProcessOfAConnection) {
    Accounts accounts;
    {
        AccountHold first = accounts.open(1000, 1, kStart), second = accounts.open(1000, 1, kStart);
        AccountHold other = accounts.open(1000, 2, kStart), foreign = accounts.open(1001, 1, kStart);
        first.charge(cpu_use(5)), second.charge(cpu_use(7)), other.charge(cpu_use(11)),
            foreign.charge(cpu_use(13));
        first.charge_more(cpu_use(100));
        EXPECT_EQ(accounts.processes().at({1000, 1}).connections, 2u);
        EXPECT_EQ(accounts.processes().at({1000, 1}).usage.use.cpu_ns, 112u);
        EXPECT_EQ(accounts.processes().at({1000, 1}).usage.jobs, 2u)
            << "a job that goes on is not counted yet";
        EXPECT_EQ(accounts.users().at(1000).usage.use.cpu_ns, 123u);
        EXPECT_EQ(accounts.users().at(1000).connections, 3u);
        EXPECT_EQ(accounts.users().at(1001).usage.use.cpu_ns, 13u) << "the same pid, as another user";
    }
    EXPECT_EQ(accounts.users().at(1000).usage.jobs, 3u) << "what a user used outlives his connections";
    EXPECT_EQ(accounts.users().at(1000).connections, 0u);
    accounts.charge_user(1000, cpu_use(1));
    EXPECT_EQ(accounts.users().at(1000).usage.jobs, 4u) << "a job whose client is gone";
    AccountHold none;
    none.charge(cpu_use(1));  // of a connection that has ended: nobody's
}

TEST(Accounts, RememberAProcessForAWhileAndNoLonger) {
    Accounts accounts;
    accounts.open(1000, 1, kStart).charge(cpu_use(5));
    const TimePoint ended = accounts.processes().at({1000, 1}).ended;
    EXPECT_NE(ended, kNever);
    {
        const AccountHold again = accounts.open(1000, 1, ended + Accounts::kRemembered);
        EXPECT_EQ(accounts.processes().at({1000, 1}).usage.use.cpu_ns, 5u) << "the same process";
        EXPECT_EQ(accounts.processes().at({1000, 1}).ended, kNever);
    }
    const TimePoint later = accounts.processes().at({1000, 1}).ended + Accounts::kRemembered;
    const AccountHold reused = accounts.open(1000, 1, later + std::chrono::seconds(1));
    EXPECT_EQ(accounts.processes().at({1000, 1}).usage.jobs, 0u) << "the pid is another process's";
    EXPECT_EQ(accounts.users().at(1000).usage.jobs, 1u);
}

TEST(Accounts, AreBoundedWhateverNumberOfProcessesCameAndWent) {
    Accounts accounts;
    const AccountHold stays = accounts.open(7, 7, kStart);
    for (pid_t pid = 100; pid < 5000; ++pid) accounts.open(1000, pid, kStart).charge(cpu_use(1));
    EXPECT_EQ(accounts.processes().size(), Accounts::kMaxEnded + 1);
    EXPECT_EQ(accounts.processes().count({7, 7}), 1u) << "one that is connected is never forgotten";
    EXPECT_EQ(accounts.processes().count({1000, 4999}), 1u) << "those that ended first go first";
    EXPECT_EQ(accounts.users().at(1000).usage.jobs, 4900u);
}

TEST(Accounts, KeepTheUsersThatUsedMostAndTheSumOfAll) {
    Accounts accounts;
    accounts.open(1, 1, kStart).charge(cpu_use(1'000'000));
    for (uid_t uid = 100'000; uid < 101'000; ++uid) accounts.open(uid, 2, kStart).charge(cpu_use(10));
    EXPECT_EQ(accounts.users().size(), Accounts::kMaxUsers);
    EXPECT_EQ(accounts.users().count(1), 1u) << "whoever used the machine is not pushed out by numbers";
    EXPECT_EQ(sum_of_users(accounts).jobs, 1001u);
    EXPECT_EQ(sum_of_users(accounts).use.cpu_ns, 1'010'000u);
    EXPECT_EQ(accounts.others().connections, 0u);
}

TEST(Accounts, ChargeOthersWhileEveryAccountIsInUse) {
    Accounts accounts;
    std::vector<AccountHold> holds;
    for (uid_t uid = 0; uid < Accounts::kMaxUsers; ++uid) holds.push_back(accounts.open(uid, 1, kStart));
    {
        AccountHold late = accounts.open(5000, 1, kStart);
        late.charge(cpu_use(3));
        holds.pop_back();  // room again, but not for this connection
        late.charge(cpu_use(4));
        EXPECT_EQ(accounts.others().connections, 1u);
        EXPECT_EQ(accounts.others().usage.use.cpu_ns, 7u);
        EXPECT_EQ(accounts.users().count(5000), 0u);
    }
    EXPECT_EQ(accounts.others().connections, 0u);
    AccountHold next = accounts.open(5000, 1, kStart);
    next.charge(cpu_use(1));
    EXPECT_EQ(accounts.users().at(5000).usage.jobs, 1u);
}

TEST(Accounts, MoveWithTheirHold) {
    Accounts accounts;
    AccountHold hold = accounts.open(1, 1, kStart);
    AccountHold moved = std::move(hold);
    moved = accounts.open(1, 2, kStart);
    EXPECT_EQ(accounts.users().at(1).connections, 1u);
    EXPECT_NE(accounts.processes().at({1, 1}).ended, kNever);
    moved = AccountHold();
    EXPECT_EQ(accounts.users().at(1).connections, 0u);
}

}  // namespace
}  // namespace tegu::daemon
