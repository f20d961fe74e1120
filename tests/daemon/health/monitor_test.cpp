// SPDX-License-Identifier: Apache-2.0
// The threads: readings go on beside a read that does not return, and nothing waits for it.
#include "daemon/health/board/monitor.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>

#include "daemon/health/assessment.h"
#include "tests/daemon/health/board_tree.h"

namespace tegu::daemon::health {
namespace {

using namespace std::chrono_literals;

constexpr char kGpuTemperature[] = "sys/class/thermal/thermal_zone1/temp";
constexpr char kCpuTemperature[] = "sys/class/thermal/thermal_zone0/temp";

// Files of which some sleep in their read until they are let go.
class SleepingFiles : public Files {
  public:
    explicit SleepingFiles(Files& files) : files_(files) {}

    void put_to_sleep(const std::string& path) {
        const std::lock_guard<std::mutex> lock(mutex_);
        asleep_.insert(path);
    }
    void wake(const std::string& path) {
        const std::lock_guard<std::mutex> lock(mutex_);
        asleep_.erase(path);
        changed_.notify_all();
    }
    Value<std::string> read(const std::string& path, std::size_t limit, Longer longer) override {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            changed_.wait(lock, [&] { return asleep_.count(path) == 0; });
        }
        return files_.read(path, limit, longer);
    }
    std::vector<std::string> list(const std::string& path) override { return files_.list(path); }
    Value<DiskSpace> space(const std::string& path) override { return files_.space(path); }

  private:
    Files& files_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<std::string> asleep_;
};

MonitorOptions quick() {
    MonitorOptions options;
    options.state_directory = "/var/lib/tegud";
    options.interval = 5ms;
    options.deadline = 1s;  // no file that answers is late on a busy machine
    options.rest = 20ms;
    return options;
}

// Looks until it holds; long enough for a slow machine, and then it fails.
bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 12000; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

class MonitorOfOrin : public testing::Test {
  protected:
    void start(const MonitorOptions& options) {
        Result<std::unique_ptr<Monitor>> started = Monitor::start(files_, options);
        ASSERT_TRUE(started.ok());
        monitor_ = std::move(*started);
    }
    // All threads that read have ended.
    bool all_readers_ended() {
        return eventually([this] { return files_.use_count() == 1; });
    }
    static Value<double> temperature_in(const Snapshot& snapshot, std::size_t zone) {
        return zone < snapshot.thermal.zones.size() ? snapshot.thermal.zones[zone].temperature_celsius
                                                    : Value<double>();
    }
    Value<double> temperature(std::size_t zone) const { return temperature_in(*monitor_->snapshot(), zone); }

    BoardTree tree_{"orin-nano"};
    std::shared_ptr<SleepingFiles> files_ = std::make_shared<SleepingFiles>(tree_.files());
    std::unique_ptr<Monitor> monitor_;
};

TEST_F(MonitorOfOrin, PublishesOneReadingAfterAnother) {
    start(quick());
    EXPECT_NE(monitor_->snapshot(), nullptr);
    std::shared_ptr<const Snapshot> held;
    ASSERT_TRUE(eventually([&] {
        held = monitor_->snapshot();
        return held->number >= 3 && held->stuck.empty() && held->board.l4t.known();
    }));
    EXPECT_EQ(*held->board.l4t, "36.4.4");
    const std::uint64_t number = held->number;
    ASSERT_TRUE(eventually([&] { return monitor_->snapshot()->number > number; }));
    EXPECT_EQ(held->number, number) << "what was published does not change";
    monitor_->stop();
    EXPECT_NE(monitor_->snapshot(), nullptr);
    monitor_.reset();
    EXPECT_TRUE(all_readers_ended());
}

TEST_F(MonitorOfOrin, ReadsAllElseWhileAFileDoesNotAnswer) {
    start(quick());
    ASSERT_TRUE(eventually([&] { return temperature(1).known(); }));
    files_->put_to_sleep(kGpuTemperature);
    ASSERT_TRUE(eventually([&] { return !monitor_->snapshot()->stuck.empty(); }));
    const std::uint64_t number = monitor_->snapshot()->number;
    std::shared_ptr<const Snapshot> snapshot;
    ASSERT_TRUE(eventually([&] {  // others may be late for a moment
        snapshot = monitor_->snapshot();
        return snapshot->number > number + 2 && snapshot->stuck.size() == 1 &&
               temperature_in(*snapshot, 0).known();
    }));
    EXPECT_EQ(snapshot->stuck[0].path, kGpuTemperature);
    ASSERT_FALSE(temperature_in(*snapshot, 1).known());
    EXPECT_EQ(temperature_in(*snapshot, 1).unknown().cause, Cause::TimedOut);

    Times later = system_times();
    later.monotonic_ns = snapshot->stuck[0].since_ns + 7'000'000'000;
    const Assessment assessment = assess(*snapshot, {}, later, {});
    ASSERT_EQ(assessment.reasons.size(), 1u);
    EXPECT_EQ(assessment.reasons[0].code, Code::ReadStuck);
    EXPECT_EQ(assessment.reasons[0].sentence,
              "the read of sys/class/thermal/thermal_zone1/temp has not returned for 7 s");

    files_->wake(kGpuTemperature);
    EXPECT_TRUE(eventually([&] { return temperature(1).known() && monitor_->snapshot()->stuck.empty(); }));
    monitor_.reset();
    EXPECT_TRUE(all_readers_ended());
}

TEST_F(MonitorOfOrin, StopsBesideAReadThatDoesNotReturn) {
    files_->put_to_sleep(kGpuTemperature);
    MonitorOptions options = quick();
    start(options);
    ASSERT_TRUE(eventually([&] { return !monitor_->snapshot()->stuck.empty(); }));
    monitor_.reset();  // would not come back if it waited
    EXPECT_GT(files_.use_count(), 1) << "the thread is still in the file";
    files_->wake(kGpuTemperature);
    EXPECT_TRUE(all_readers_ended());
}

TEST_F(MonitorOfOrin, StopsInTheMiddleOfAReadThatIsNotLateYet) {
    files_->put_to_sleep(kCpuTemperature);
    MonitorOptions options = quick();
    options.deadline = 300ms;
    start(options);
    std::this_thread::sleep_for(50ms);  // into the file, most likely; the rest of the test holds without it
    monitor_.reset();
    files_->wake(kCpuTemperature);
    EXPECT_TRUE(all_readers_ended());
}

TEST_F(MonitorOfOrin, ReadsNothingMoreWhenTooManyFilesAreStuckAndComesBack) {
    files_->put_to_sleep(kCpuTemperature);
    files_->put_to_sleep(kGpuTemperature);
    MonitorOptions options = quick();
    options.max_stuck = 2;
    start(options);
    ASSERT_TRUE(eventually([&] { return monitor_->snapshot()->stuck.size() == 2; }));
    files_->wake(kCpuTemperature);
    ASSERT_TRUE(eventually([&] { return temperature(0).known(); }));
    EXPECT_TRUE(eventually([&] { return monitor_->snapshot()->stuck.size() == 1; }));
    files_->wake(kGpuTemperature);
    EXPECT_TRUE(eventually([&] { return monitor_->snapshot()->stuck.empty() && temperature(1).known(); }));
    monitor_.reset();
    EXPECT_TRUE(all_readers_ended());
}

}  // namespace
}  // namespace tegu::daemon::health
