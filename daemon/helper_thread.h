// SPDX-License-Identifier: Apache-2.0
// HelperThread: runs system calls that may take long, so that the io thread never waits for them. Examples
// are sealing a memfd, making the pages of a large buffer and giving them back. A finished task returns to
// the io thread, which alone touches charges, sessions and buffers.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "daemon/user_turns.h"

namespace tegu::daemon {

class HelperThread {
  public:
    enum class Progress { Done, More };
    struct Task {
        // On the helper's thread: system calls on what the task alone owns. Must not throw. More: it is
        // called again at the next turn of the task.
        std::function<Progress()> work;
        std::function<void()> done;  // on the io thread, from run_done(); may be empty
    };
    using Turn = UserTurns<Task>::Users;

    // `wake` is called on the helper's thread when finished tasks wait for run_done(); it must only pass the
    // word on. `name`: of the thread, up to 15 characters.
    HelperThread(const char* name, std::function<void()> wake);
    ~HelperThread() { stop(); }

    // Queues a task behind those that were submitted before. False, and the task untouched, after stop().
    // The callers bound the queue: each task holds a charge of a buffer or is the only one of its kind.
    bool submit(Task& task);
    // A task of a user, for submit_turn().
    static Turn turn_of(uid_t uid, Task task) { return UserTurns<Task>::one_of(uid, std::move(task)); }
    // Queues the task of `turn`; users take turns, and so do the tasks of one user. One turn is one call of
    // work(). These turns alternate with the tasks of submit(). Allocates nothing. False, and `turn`
    // untouched, after stop().
    bool submit_turn(Turn& turn);
    // Calls done() of the tasks that are finished. Returns whether there were any. Io thread.
    bool run_done();
    bool idle() const;
    // Waits for the call of work() at hand and drops the tasks that wait. Io thread.
    void stop();

  private:
    void loop();
    bool waits() const { return !waiting_.empty() || !turns_.empty(); }
    void run_next(std::unique_lock<std::mutex>& lock);
    void run_turn(std::unique_lock<std::mutex>& lock);
    void end(std::list<Task> task, std::unique_lock<std::mutex>& lock);

    std::function<void()> wake_;
    mutable std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::list<Task> waiting_;  // lists: tasks move between them without an allocation that could fail
    UserTurns<Task> turns_;    // the first one stays here while it runs
    bool running_ = false;
    bool turn_is_next_ = true;  // if both wait
    std::list<Task> done_;
    bool stopping_ = false;

    std::thread thread_;  // last: starts when all else is there
};

}  // namespace tegu::daemon
