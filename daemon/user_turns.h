// SPDX-License-Identifier: Apache-2.0
// UserTurns: a queue of items with round robin over users. An item waits for at most one item of each other
// user per turn, however many they have.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <list>
#include <utility>

namespace tegu::daemon {

// Not thread-safe. Only one_of() allocates.
template <class T>
class UserTurns {
  public:
    // Items by user, in the order of their turns; no user's list is empty.
    using Users = std::list<std::pair<uid_t, std::list<T>>>;

    // One item, ready for add().
    static Users one_of(uid_t uid, T item) {
        Users one(1);
        one.front().first = uid;
        one.front().second.push_back(std::move(item));
        return one;
    }

    bool empty() const { return users_.empty(); }
    // Appends the item of `one` to its user's list; a new user goes last. Empties `one`.
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
    // The next item. REQUIRES: !empty().
    T& front() { return users_.front().second.front(); }
    // Ends the turn; the item and its user go last. REQUIRES: !empty().
    void pass() noexcept {
        std::list<T>& mine = users_.front().second;
        mine.splice(mine.end(), mine, mine.begin());
        users_.splice(users_.end(), users_, users_.begin());
    }
    // Removes the next item and ends the turn. REQUIRES: !empty().
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
