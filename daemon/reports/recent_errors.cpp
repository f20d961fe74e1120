// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/recent_errors.h"

#include <algorithm>
#include <tuple>

namespace tegu::daemon {
namespace {

// Errors that no client should be able to cause.
bool is_own(Status status) {
    return status == Status::Internal || status == Status::DeviceLost;
}

}  // namespace

void RecentErrors::add(std::int64_t unix_ms, uid_t uid, pid_t pid, std::optional<Operation> operation,
                       Status status, std::string_view field, std::string_view message) {
    if (status == Status::Cancelled || status == Status::ShuttingDown) return;
    RecentError* const entry = entry_for(uid, operation, status);
    if (entry == nullptr) return;
    if (entry->count++ == 0) entry->first_unix_ms = unix_ms;
    entry->last_unix_ms = unix_ms;
    entry->pid = pid;
    entry->message.assign(field);
    if (!field.empty()) entry->message.append(": ");
    entry->message.append(message);
}

RecentError* RecentErrors::entry_for(uid_t uid, std::optional<Operation> operation, Status status) {
    RecentError* const end = entries_.data() + size_;
    RecentError* const found = std::find_if(entries_.data(), end, [&](const RecentError& entry) {
        return entry.uid == uid && entry.status == status && entry.operation == operation;
    });
    if (found != end) return found;
    RecentError* const entry = free_entry(uid, is_own(status));
    if (entry == nullptr) return nullptr;
    entry->count = 0;
    entry->uid = uid;
    entry->operation = operation;
    entry->status = status;
    return entry;
}

std::size_t RecentErrors::count_of(uid_t uid) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size_; ++i) count += entries_[i].uid == uid;
    return count;
}

// A free entry; else the oldest of this user if its entries are at the maximum, else of the user with the
// most. Internal errors are evicted last, and only for internal errors.
RecentError* RecentErrors::free_entry(uid_t uid, bool own) {
    const bool has_share = count_of(uid) >= kMaxOfUser;
    if (!has_share && size_ < kMax) return &entries_[size_++];
    const auto rank = [this](const RecentError& entry) {
        return std::make_tuple(is_own(entry.status), kMax - count_of(entry.uid), entry.last_unix_ms);
    };
    RecentError* first = nullptr;
    for (std::size_t i = 0; i < size_; ++i) {
        RecentError& entry = entries_[i];
        if ((has_share && entry.uid != uid) || (is_own(entry.status) && !own)) continue;
        if (first == nullptr || rank(entry) < rank(*first)) first = &entry;
    }
    return first;
}

std::vector<const RecentError*> RecentErrors::newest_first() const {
    std::vector<const RecentError*> list;
    for (std::size_t i = 0; i < size_; ++i) list.push_back(&entries_[i]);
    std::stable_sort(list.begin(), list.end(), [](const RecentError* a, const RecentError* b) {
        return a->last_unix_ms > b->last_unix_ms;
    });
    return list;
}

void ReloadHistory::add(std::int64_t unix_ms, bool ok, std::string_view message) {
    ReloadResult& entry = entries_[total_++ % kMax];
    entry.unix_ms = unix_ms;
    entry.ok = ok;
    entry.message.assign(message);
}

std::vector<const ReloadResult*> ReloadHistory::newest_first() const {
    std::vector<const ReloadResult*> list;
    for (std::size_t i = 0; i < std::min(total_, kMax); ++i)
        list.push_back(&entries_[(total_ - 1 - i) % kMax]);
    return list;
}

}  // namespace tegu::daemon
