// SPDX-License-Identifier: Apache-2.0
// UserTurns: items that wait, taken from one user after the other. So an item waits for one item of each
// other user, however many items those have.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <list>
#include <utility>

namespace tegu::daemon {

// Not thread-safe. No function but one_of() allocates.
template <class T>
class UserTurns {
  public:
    // Items of users, in the order of their turns; no user's list is empty.
    using Users = std::list<std::pair<uid_t, std::list<T>>>;

    // One item, ready for add().
    static Users one_of(uid_t uid, T item) {
        Users one(1);
        one.front().first = uid;
        one.front().second.push_back(std::move(item));
        return one;
    }

    bool empty() const { return users_.empty(); }
    // Adds the item of `one` behind its user's others; a user without any comes last. Empties `one`.
    void add(Users& one) noexcept {
        const uid_t uid = one.front().first;
        const auto found =
            std::find_if(users_.begin(), users_.end(), [uid](const auto& user) { return user.first == uid; });
        if (found == users_.end())
            users_.splice(users_.end(), one);
        else
            found->second.splice(found->second.end(), one.front().second);
        one.clear();
    }
    // The item whose turn it is. REQUIRES: !empty().
    T& front() { return users_.front().second.front(); }
    // Ends the turn; the item becomes the last of its user. REQUIRES: !empty().
    void pass() noexcept {
        std::list<T>& mine = users_.front().second;
        mine.splice(mine.end(), mine, mine.begin());
        users_.splice(users_.end(), users_, users_.begin());
    }
    // Takes the item out, which ends the turn. REQUIRES: !empty().
    std::list<T> take() noexcept {
        std::list<T>& mine = users_.front().second;
        std::list<T> taken;
        taken.splice(taken.end(), mine, mine.begin());
        if (mine.empty())
            users_.pop_front();
        else
            users_.splice(users_.end(), users_, users_.begin());
        return taken;
    }
    void swap(UserTurns& other) noexcept { users_.swap(other.users_); }

  private:
    Users users_;
};

}  // namespace tegu::daemon
