// SPDX-License-Identifier: Apache-2.0
// HelperThread: runs slow system calls, so that the io thread never waits for them. Examples: sealing a
// memfd, allocating and freeing the pages of a large buffer. The io thread completes each finished task and
// alone touches charges, sessions and buffers.
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
        // Helper thread: system calls on data that only this task owns. Must not throw. More: called again at
        // the task's next turn.
        std::function<Progress()> work;
        std::function<void()> done;  // on the io thread, from run_done(); may be empty
    };
    using Turn = UserTurns<Task>::Users;

    // The helper thread calls `wake` when finished tasks wait for run_done(); it must only signal the io
    // thread. `name`: thread name, up to 15 characters.
    HelperThread(const char* name, std::function<void()> wake);
    ~HelperThread() { stop(); }

    // Appends a task to the queue. After stop(): false, and the task is untouched. Callers bound the queue:
    // each task holds a buffer charge or is the only one of its kind.
    bool submit(Task& task);
    // A task of a user, for submit_turn().
    static Turn turn_of(uid_t uid, Task task) { return UserTurns<Task>::one_of(uid, std::move(task)); }
    // Queues the task of `turn`: round robin over users, then over the tasks of each user. One turn is one
    // call of work(). Turns alternate with the tasks of submit(). Allocates nothing. After stop(): false, and
    // `turn` is untouched.
    bool submit_turn(Turn& turn);
    // Calls done() of each finished task. Returns whether there were any. Io thread.
    bool run_done();
    bool idle() const;
    // Waits for the current call of work() and drops all waiting tasks. Io thread.
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
    std::list<Task> waiting_;  // lists: moving a task allocates nothing
    UserTurns<Task> turns_;    // the first one stays here while it runs
    bool running_ = false;
    bool turn_is_next_ = true;  // if both wait
    std::list<Task> done_;
    bool stopping_ = false;

    std::thread thread_;  // last member: starts after the others are initialized
};

}  // namespace tegu::daemon
