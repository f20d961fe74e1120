// SPDX-License-Identifier: Apache-2.0
#include "daemon/helper_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

namespace tegu::daemon {
namespace {

void run_until_idle(HelperThread& helper) {
    while (!helper.idle()) {
        helper.run_done();
        ::usleep(200);
    }
}

// A task that holds the helper until it is let go.
struct Gate {
    std::promise<void> reached, opened;
    HelperThread::Task task() {
        HelperThread::Task task;
        task.work = [this] {
            reached.set_value();
            opened.get_future().wait();
        };
        return task;
    }
};

TEST(HelperThread, WorkRunsElsewhereAndItsEndHere) {
    std::atomic<int> woken{0};
    HelperThread helper("test", [&] { ++woken; });
    std::thread::id work, done;
    HelperThread::Task task;
    task.work = [&] { work = std::this_thread::get_id(); };
    task.done = [&] { done = std::this_thread::get_id(); };
    ASSERT_TRUE(helper.submit(task, HelperThread::Turn::Last));
    run_until_idle(helper);
    EXPECT_EQ(std::this_thread::get_id(), done);
    EXPECT_NE(std::this_thread::get_id(), work);
    EXPECT_NE(std::thread::id(), work);
    EXPECT_FALSE(helper.run_done());
    helper.stop();
    EXPECT_EQ(1, woken.load());
}

TEST(HelperThread, FirstGoesBeforeLast) {
    HelperThread helper("test", [] {});
    Gate gate;
    HelperThread::Task first = gate.task();
    ASSERT_TRUE(helper.submit(first, HelperThread::Turn::Last));
    gate.reached.get_future().wait();
    std::vector<int> order;
    for (const int number : {1, 2, 3, 4}) {
        HelperThread::Task task;
        task.work = [&order, number] { order.push_back(number); };
        ASSERT_TRUE(
            helper.submit(task, number % 2 == 0 ? HelperThread::Turn::First : HelperThread::Turn::Last));
    }
    gate.opened.set_value();
    run_until_idle(helper);
    EXPECT_EQ((std::vector<int>{4, 2, 1, 3}), order);
}

TEST(HelperThread, StopDropsWhatWaitsAndRefusesMore) {
    auto owned = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = owned;

    Gate gate;
    HelperThread helper("test", [] {});
    HelperThread::Task first = gate.task();
    ASSERT_TRUE(helper.submit(first, HelperThread::Turn::Last));
    gate.reached.get_future().wait();
    HelperThread::Task second;
    second.work = [owned] {};

    owned.reset();
    ASSERT_TRUE(helper.submit(second, HelperThread::Turn::Last));
    gate.opened.set_value();
    helper.stop();
    helper.run_done();
    EXPECT_TRUE(watched.expired());
    HelperThread::Task late;
    late.work = [] {};
    EXPECT_FALSE(helper.submit(late, HelperThread::Turn::First));
    EXPECT_TRUE(static_cast<bool>(late.work)) << "a refused task is untouched";
}

}  // namespace
}  // namespace tegu::daemon
