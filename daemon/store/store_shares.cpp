// SPDX-License-Identifier: Apache-2.0
#include "daemon/store/store_shares.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace tegu::daemon {
namespace {

// The buffers that a user would keep, while the shares are computed.
struct Plan {
    std::set<std::uint64_t>::const_reverse_iterator newest;
    std::size_t kept, waiting;
};

}  // namespace

void StoreShares::add_waiting(uid_t uid, std::uint64_t number) {
    if (users_[uid].waiting.insert(number).second) ++waiting_;
}

void StoreShares::add_kept(uid_t uid, std::uint64_t number) {
    if (users_[uid].kept.insert(number).second) ++kept_;
}

// Moves a node of the set, so it needs no memory.
void StoreShares::keep(uid_t uid, std::uint64_t number) noexcept {
    const auto user = users_.find(uid);
    assert(user != users_.end() && user->second.waiting.count(number) == 1);
    user->second.kept.insert(user->second.waiting.extract(number));
    --waiting_;
    ++kept_;
}

void StoreShares::wait_again(uid_t uid, std::uint64_t number) noexcept {
    const auto user = users_.find(uid);
    assert(user != users_.end() && user->second.kept.count(number) == 1);
    user->second.waiting.insert(user->second.kept.extract(number));
    --kept_;
    ++waiting_;
}

void StoreShares::remove(uid_t uid, std::uint64_t number) noexcept {
    const auto user = users_.find(uid);
    if (user == users_.end()) return;
    kept_ -= user->second.kept.erase(number);
    waiting_ -= user->second.waiting.erase(number);
    if (user->second.kept.empty() && user->second.waiting.empty()) users_.erase(user);
}

StoreShares::Users::const_iterator StoreShares::poorest() const {
    auto found = users_.end();
    for (auto it = users_.begin(); it != users_.end(); ++it)
        if (!it->second.waiting.empty() &&
            (found == users_.end() || it->second.kept.size() < found->second.kept.size()))
            found = it;
    return found;
}

std::optional<std::uint64_t> StoreShares::next() const {
    const auto user = poorest();
    if (user == users_.end()) return std::nullopt;
    return *user->second.waiting.begin();
}

std::optional<std::size_t> StoreShares::fewest_kept() const {
    const auto user = poorest();
    if (user == users_.end()) return std::nullopt;
    return user->second.kept.size();
}

std::vector<std::uint64_t> StoreShares::to_give_up(std::size_t max) const {
    std::vector<Plan> plans;
    for (const auto& each : users_)
        plans.push_back({each.second.kept.rbegin(), each.second.kept.size(), each.second.waiting.size()});
    std::vector<std::uint64_t> numbers;
    while (numbers.size() < max) {
        Plan *rich = nullptr, *poor = nullptr;
        for (Plan& plan : plans) {
            if (rich == nullptr || plan.kept > rich->kept) rich = &plan;
            if (plan.waiting > 0 && (poor == nullptr || plan.kept < poor->kept)) poor = &plan;
        }
        if (poor == nullptr || rich->kept < poor->kept + 2) break;
        numbers.push_back(*rich->newest++);
        --rich->kept;
        ++poor->kept;
        --poor->waiting;
    }
    return numbers;
}

}  // namespace tegu::daemon
