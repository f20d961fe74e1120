// SPDX-License-Identifier: Apache-2.0
#include "daemon/helper_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>

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
            return HelperThread::Progress::Done;
        };
        return task;
    }
};

TEST(HelperThread, WorkRunsElsewhereAndItsEndHere) {
    std::atomic<int> woken{0};
    HelperThread helper("test", [&] { ++woken; });
    std::thread::id work, done;
    HelperThread::Task task;
    task.work = [&] {
        work = std::this_thread::get_id();
        return HelperThread::Progress::Done;
    };
    task.done = [&] { done = std::this_thread::get_id(); };
    ASSERT_TRUE(helper.submit(task));
    run_until_idle(helper);
    EXPECT_EQ(std::this_thread::get_id(), done);
    EXPECT_NE(std::this_thread::get_id(), work);
    EXPECT_NE(std::thread::id(), work);
    EXPECT_FALSE(helper.run_done());
    helper.stop();
    EXPECT_EQ(1, woken.load());
}

// A task of `slices` calls of work(), each of which adds its name to `order`.
HelperThread::Task sliced(std::string& order, char name, int slices) {
    HelperThread::Task task;
    task.work = [&order, name, left = slices]() mutable {
        order += name;
        return --left > 0 ? HelperThread::Progress::More : HelperThread::Progress::Done;
    };
    return task;
}

TEST(HelperThread, UsersTakeTurnsAndSoDoTheTasksOfOne) {
    HelperThread helper("test", [] {});
    Gate gate;
    HelperThread::Task first = gate.task();
    ASSERT_TRUE(helper.submit(first));
    gate.reached.get_future().wait();
    std::string order;
    int done = 0;
    const auto add = [&](uid_t uid, char name, int slices) {
        HelperThread::Task task = sliced(order, name, slices);
        task.done = [&] { ++done; };
        HelperThread::Turn turn = HelperThread::turn_of(uid, std::move(task));
        EXPECT_TRUE(helper.submit_turn(turn));
    };
    add(1, 'a', 3);
    add(1, 'b', 2);
    add(2, 'C', 4);
    gate.opened.set_value();
    run_until_idle(helper);
    EXPECT_EQ("aCbCaCbCa", order);
    EXPECT_EQ(3, done);
}

TEST(HelperThread, TurnsAlternateWithTasks) {
    HelperThread helper("test", [] {});
    Gate gate;
    HelperThread::Task first = gate.task();
    ASSERT_TRUE(helper.submit(first));
    gate.reached.get_future().wait();
    std::string order;
    for (const char name : {'1', '2', '3'}) {
        HelperThread::Task task = sliced(order, name, 1);
        ASSERT_TRUE(helper.submit(task));
    }
    HelperThread::Turn turn = HelperThread::turn_of(1, sliced(order, 'a', 4));
    ASSERT_TRUE(helper.submit_turn(turn));
    gate.opened.set_value();
    run_until_idle(helper);
    EXPECT_EQ("a1a2a3a", order);
}

TEST(HelperThread, StopEndsATaskBetweenTwoSlices) {
    auto owned = std::make_shared<std::atomic<int>>(0);
    HelperThread helper("test", [] {});
    HelperThread::Task task;
    task.work = [owned] {
        ++*owned;
        return HelperThread::Progress::More;
    };
    task.done = [] { ADD_FAILURE() << "it never ends by itself"; };
    HelperThread::Turn turn = HelperThread::turn_of(1, std::move(task));
    ASSERT_TRUE(helper.submit_turn(turn));
    while (*owned < 3) ::usleep(200);
    helper.stop();
    helper.run_done();
    EXPECT_EQ(1, owned.use_count());
    HelperThread::Turn late = HelperThread::turn_of(1, HelperThread::Task());
    EXPECT_FALSE(helper.submit_turn(late));
    EXPECT_EQ(1u, late.size()) << "a refused turn is untouched";
}

TEST(HelperThread, StopDropsWhatWaitsAndRefusesMore) {
    auto owned = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = owned;

    Gate gate;
    HelperThread helper("test", [] {});
    HelperThread::Task first = gate.task();
    ASSERT_TRUE(helper.submit(first));
    gate.reached.get_future().wait();
    HelperThread::Task second;
    second.work = [owned] { return HelperThread::Progress::Done; };

    owned.reset();
    ASSERT_TRUE(helper.submit(second));
    gate.opened.set_value();
    helper.stop();
    helper.run_done();
    EXPECT_TRUE(watched.expired());
    HelperThread::Task late;
    late.work = [] { return HelperThread::Progress::Done; };
    EXPECT_FALSE(helper.submit(late));
    EXPECT_TRUE(static_cast<bool>(late.work)) << "a refused task is untouched";
}

}  // namespace
}  // namespace tegu::daemon
