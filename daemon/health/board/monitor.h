// SPDX-License-Identifier: Apache-2.0
// Monitor: reads the board once a second on a separate thread and publishes each reading, so no other thread
// waits for a file. If a read does not return, a new thread replaces the reader. Snapshots name the stuck
// file; it is read again some time after it returned.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "daemon/health/board/sampler.h"

namespace tegu::daemon::health {

struct MonitorOptions {
    std::string state_directory;
    std::chrono::milliseconds interval{1000};  // between readings
    std::chrono::milliseconds deadline{2000};  // of one file
    std::chrono::milliseconds rest{60'000};    // of a file that returned after its deadline
    std::size_t max_stuck = 8;  // stuck files, each blocking a thread; above this, reading stops
};

class Monitor {
  public:
    // `files` must be thread-safe. Fails if no thread can be created.
    static Result<std::unique_ptr<Monitor>> start(std::shared_ptr<Files> files, MonitorOptions options,
                                                  TimeSource times = system_times);
    ~Monitor() { stop(); }
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    // The newest reading; number 0 before the first. Never null. Any thread; waits for no file.
    std::shared_ptr<const Snapshot> snapshot() const;
    // Ends the threads. Detaches a thread whose read does not return within the deadline; it does not access
    // this object.
    void stop();

  private:
    struct Shared;
    class WatchedFiles;

    explicit Monitor(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    static void read_on(const std::shared_ptr<Shared>& shared, std::uint64_t generation);
    static bool publish(const std::shared_ptr<Shared>& shared, std::uint64_t generation, Snapshot&& reading);
    bool start_reader();
    void watch();
    void give_up_read();

    std::shared_ptr<Shared> shared_;
    std::thread reader_;  // of the current generation; owned by the watcher until the watcher ends
    std::thread watcher_;
};

}  // namespace tegu::daemon::health
