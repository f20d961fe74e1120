// SPDX-License-Identifier: Apache-2.0
// HelperThread: a thread for system calls that may take long, so that the io thread never waits in them:
// sealing a memfd whose pages are pinned; making the pages of large buffers and giving them back. A task
// comes back to the io thread with all that it owns, so what is counted there (charges, sessions, buffers) is
// never touched here.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace tegu::daemon {

class HelperThread {
  public:
    struct Task {
        // on the helper's thread: system calls on what the task alone owns; must not throw
        std::function<void()> work;
        std::function<void()> done;  // on the io thread, from run_done(); may be empty
    };
    enum class Turn { First, Last };

    // `wake` is called on the helper's thread when done tasks wait to be taken; it must only pass the word
    // on. `name`: of the thread, up to 15 characters.
    HelperThread(const char* name, std::function<void()> wake);
    ~HelperThread() { stop(); }

    // False, and the task untouched, after stop(). The queue is as long as its callers let it be: each task
    // holds a charge of a buffer or is the only one of its connection.
    bool submit(Task& task, Turn turn);
    // Ends what done tasks are about. Returns whether there were any. Io thread.
    bool run_done();
    bool idle() const;
    // Waits for the task at hand and drops those that wait. Io thread.
    void stop();

  private:
    void loop();

    std::function<void()> wake_;
    mutable std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::list<Task> waiting_;  // lists: tasks move between them without an allocation that could fail
    std::list<Task> running_;
    std::list<Task> done_;
    bool stopping_ = false;

    std::thread thread_;  // last: starts when all else is there
};

}  // namespace tegu::daemon
