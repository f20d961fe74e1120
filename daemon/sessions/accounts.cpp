// SPDX-License-Identifier: Apache-2.0
#include "daemon/sessions/accounts.h"

#include <algorithm>

namespace tegu::daemon {

JobUse use_of(const RunCost& cost, bool on_gpu, const kernels::JobPlan& plan, Status status) {
    JobUse use;
    if (on_gpu)
        use.device_ns = cost.copy_ns + cost.compute_ns + cost.other_gpus_ns;
    else
        use.cpu_ns = cost.compute_ns * cost.threads;
    if (status == Status::Ok) use.bytes = plan.bytes_read + plan.bytes_written;
    return use;
}

Usage& Usage::operator+=(const Usage& other) {
    jobs += other.jobs;
    add(other.use);
    return *this;
}

void AccountHold::swap(AccountHold& other) noexcept {
    std::swap(accounts_, other.accounts_);
    std::swap(user_, other.user_);
    std::swap(process_, other.process_);
}

AccountHold& AccountHold::operator=(AccountHold&& other) noexcept {
    AccountHold taken(std::move(other));
    swap(taken);
    return *this;
}

AccountHold::~AccountHold() {
    if (accounts_ != nullptr) accounts_->close(*this, Clock::now());
}

AccountHold Accounts::open(uid_t uid, pid_t pid, TimePoint now) {
    Processes::iterator process = processes_.try_emplace({uid, pid}).first;
    ProcessAccount& account = process->second;
    if (account.ended != kNever) {
        --ended_;
        if (now - account.ended > kRemembered) account = ProcessAccount();
        account.ended = kNever;
    }
    UserAccount* of_user = nullptr;
    try {
        of_user = &user(uid);
    } catch (...) {
        if (account.connections == 0) processes_.erase(process);
        throw;
    }
    ++account.connections;
    ++of_user->connections;
    AccountHold hold;
    hold.accounts_ = this;
    hold.user_ = of_user;
    hold.process_ = &*process;
    return hold;
}

void Accounts::charge_user(uid_t uid, const JobUse& job) {
    const auto found = users_.find(uid);
    UserAccount& account = found != users_.end() ? found->second : others_;
    account.usage.add(job);
    ++account.usage.jobs;
}

UserAccount& Accounts::user(uid_t uid) {
    const auto found = users_.find(uid);
    if (found != users_.end()) return found->second;
    if (users_.size() >= kMaxUsers && !fold_one()) return others_;
    return users_[uid];
}

// Evicts by use, not by age. So a person with many users must use the device with each of them to evict
// others.
bool Accounts::fold_one() {
    auto min = users_.end();
    for (auto it = users_.begin(); it != users_.end(); ++it)
        if (it->second.connections == 0 &&
            (min == users_.end() || it->second.usage.time_ns() < min->second.usage.time_ns()))
            min = it;
    if (min == users_.end()) return false;
    others_.usage += min->second.usage;
    users_.erase(min);
    return true;
}

void Accounts::close(AccountHold& hold, TimePoint now) {
    --hold.user_->connections;
    ProcessAccount& process = hold.process_->second;
    if (--process.connections > 0) return;
    process.ended = now;
    if (++ended_ > kMaxEnded) forget_ended();
}

// The account whose last connection ended first.
void Accounts::forget_ended() {
    processes_.erase(std::min_element(processes_.begin(), processes_.end(), [](const auto& a, const auto& b) {
        return a.second.ended < b.second.ended;  // kNever is the latest time
    }));
    --ended_;
}

}  // namespace tegu::daemon
