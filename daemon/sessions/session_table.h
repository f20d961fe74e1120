// SPDX-License-Identifier: Apache-2.0
// SessionTable: the open sessions, by number. Numbers increase and are unique. Io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "daemon/sessions/session.h"

namespace tegu::daemon {

class SessionTable {
  public:
    using Sessions = std::map<std::uint64_t, std::shared_ptr<Session>>;

    // `ended` is called after a session is removed; it must not close another one.
    explicit SessionTable(std::function<void()> ended) : ended_(std::move(ended)) {}

    std::uint64_t next_number() { return ++last_number_; }
    void add(std::shared_ptr<Session> session) { sessions_.emplace(session->number(), std::move(session)); }
    void remove(std::uint64_t number) {
        sessions_.erase(number);
        ended_();
    }
    const Sessions& all() const { return sessions_; }

    // Calls `function` with every session; it may close any of them.
    template <class Function>
    void for_each(Function&& function) const {
        for (auto it = sessions_.begin(); it != sessions_.end();) {
            const std::shared_ptr<Session> session = it->second;
            function(*session);
            it = sessions_.upper_bound(session->number());
        }
    }

  private:
    const std::function<void()> ended_;
    Sessions sessions_;
    std::uint64_t last_number_ = 0;
};

}  // namespace tegu::daemon
