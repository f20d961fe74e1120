// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/monitor.h"

#include <pthread.h>

#include <cerrno>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

namespace tegu::daemon::health {

// State shared by the threads; each holds a reference, because a thread may outlive the monitor.
struct Monitor::Shared {
    std::shared_ptr<Files> files;
    MonitorOptions options;
    TimeSource times;

    std::mutex mutex;  // guards all below
    std::condition_variable changed;
    bool stopping = false;
    std::uint64_t generation = 0;  // of the reader that counts; others were given up
    bool reader_ended = true;
    std::string path;  // that the reader reads now; empty between files
    std::uint64_t since_ns = 0;
    std::map<std::string, std::uint64_t> stuck;    // since when
    std::map<std::string, std::uint64_t> resting;  // until when
    std::uint64_t readings = 0;
    std::shared_ptr<const Snapshot> snapshot = std::make_shared<Snapshot>();

    std::vector<StuckRead> stuck_reads() const {
        std::vector<StuckRead> reads;
        for (const auto& [name, since] : stuck) reads.push_back({name, since});
        return reads;
    }
    bool wanted(std::uint64_t reader) const { return !stopping && generation == reader; }
};

// The files of a reader: stuck files fail at once, and Shared records the file being read.
class Monitor::WatchedFiles : public Files {
  public:
    WatchedFiles(std::shared_ptr<Shared> shared, std::uint64_t generation)
        : shared_(std::move(shared)), generation_(generation) {}

    Value<std::string> read(const std::string& path, std::size_t limit, Longer longer) override {
        if (!begin(path)) return unanswered(path);
        Value<std::string> text = shared_->files->read(path, limit, longer);
        end(path);
        return text;
    }
    std::vector<std::string> list(const std::string& path) override {
        if (!begin(path)) return {};
        std::vector<std::string> names = shared_->files->list(path);
        end(path);
        return names;
    }
    Value<DiskSpace> space(const std::string& path) override {
        if (!begin(path)) return unanswered(path);
        const Value<DiskSpace> space = shared_->files->space(path);
        end(path);
        return space;
    }

  private:
    static Unknown unanswered(const std::string& path) {
        return {Cause::TimedOut, path + ": an earlier read has not returned in time"};
    }
    bool begin(const std::string& path) {
        const std::uint64_t now_ns = shared_->times().monotonic_ns;
        const std::lock_guard<std::mutex> lock(shared_->mutex);
        if (!shared_->wanted(generation_) || shared_->stuck.count(path) != 0) return false;
        const auto resting = shared_->resting.find(path);
        if (resting != shared_->resting.end()) {
            if (now_ns < resting->second) return false;
            shared_->resting.erase(resting);
        }
        shared_->path = path;
        shared_->since_ns = now_ns;
        return true;
    }
    void end(const std::string& path) {
        const std::uint64_t now_ns = shared_->times().monotonic_ns;
        const std::lock_guard<std::mutex> lock(shared_->mutex);
        if (shared_->generation == generation_) {
            shared_->path.clear();
            return;
        }
        const auto rest_ns =
            std::chrono::duration_cast<std::chrono::nanoseconds>(shared_->options.rest).count();
        shared_->stuck.erase(path);
        shared_->resting[path] = now_ns + static_cast<std::uint64_t>(rest_ns);
        shared_->changed.notify_all();
    }

    std::shared_ptr<Shared> shared_;
    const std::uint64_t generation_;
};

Result<std::unique_ptr<Monitor>> Monitor::start(std::shared_ptr<Files> files, MonitorOptions options,
                                                TimeSource times) {
    auto shared = std::make_shared<Shared>();
    shared->files = std::move(files);
    shared->options = std::move(options);
    shared->times = std::move(times);
    std::unique_ptr<Monitor> monitor(new Monitor(std::move(shared)));
    {
        const std::lock_guard<std::mutex> lock(monitor->shared_->mutex);
        if (!monitor->start_reader()) return io_error("start a thread", EAGAIN);
    }
    try {
        monitor->watcher_ = std::thread([raw = monitor.get()] { raw->watch(); });
        (void)::pthread_setname_np(monitor->watcher_.native_handle(), "tegud-watch");
    } catch (const std::system_error& error) {
        return io_error("start a thread", error.code().value());
    }
    return monitor;
}

std::shared_ptr<const Snapshot> Monitor::snapshot() const {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    return shared_->snapshot;
}

// Reader: publishes a reading and waits for the next interval. False if the reader must end.
bool Monitor::publish(const std::shared_ptr<Shared>& shared, std::uint64_t generation, Snapshot&& reading) {
    auto snapshot = std::make_shared<Snapshot>(std::move(reading));
    std::unique_lock<std::mutex> lock(shared->mutex);
    if (!shared->wanted(generation)) return false;
    snapshot->number = ++shared->readings;
    snapshot->stuck = shared->stuck_reads();
    shared->snapshot = std::move(snapshot);
    return !shared->changed.wait_for(lock, shared->options.interval,
                                     [&] { return !shared->wanted(generation); });
}

// A reader thread: takes readings until it must end.
void Monitor::read_on(const std::shared_ptr<Shared>& shared, std::uint64_t generation) {
    try {
        WatchedFiles files(shared, generation);
        Sampler sampler(files, shared->options.state_directory, shared->times);
        while (publish(shared, generation, sampler.sample())) {
        }
    } catch (const std::bad_alloc&) {
        // Ends; the watcher starts another one a moment later.
    }
    const std::lock_guard<std::mutex> lock(shared->mutex);
    if (shared->generation == generation) shared->reader_ended = true;
    shared->changed.notify_all();
}

// REQUIRES: the lock is held; called by the watcher once it runs. If no thread can be created, it is retried
// later.
bool Monitor::start_reader() {
    const std::uint64_t generation = ++shared_->generation;
    shared_->path.clear();
    try {
        reader_ = std::thread([shared = shared_, generation] { read_on(shared, generation); });
    } catch (const std::exception&) {  // no thread or no memory
        return false;
    }
    (void)::pthread_setname_np(reader_.native_handle(), "tegud-health");
    shared_->reader_ended = false;
    return true;
}

// Watcher, with the lock held: abandons a reader whose read exceeds the deadline; the reader ends after the
// read returns. Steps that fail on out of memory are retried later.
void Monitor::give_up_read() {
    try {
        shared_->stuck[shared_->path] = shared_->since_ns;
        ++shared_->generation;
        shared_->path.clear();
        reader_.detach();
        auto snapshot = std::make_shared<Snapshot>(*shared_->snapshot);
        snapshot->stuck = shared_->stuck_reads();
        shared_->snapshot = std::move(snapshot);
    } catch (const std::bad_alloc&) {
    }
}

void Monitor::watch() {
    const auto deadline_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(shared_->options.deadline).count());
    std::unique_lock<std::mutex> lock(shared_->mutex);
    while (!shared_->stopping) {
        const std::uint64_t now_ns = shared_->times().monotonic_ns;
        if (reader_.joinable() && !shared_->path.empty() && now_ns - shared_->since_ns >= deadline_ns)
            give_up_read();
        if (reader_.joinable() && shared_->reader_ended) reader_.join();
        if (!reader_.joinable() && shared_->stuck.size() < shared_->options.max_stuck) (void)start_reader();
        shared_->changed.wait_for(lock, shared_->options.deadline / 4);
    }
}

void Monitor::stop() {
    {
        const std::lock_guard<std::mutex> lock(shared_->mutex);
        shared_->stopping = true;
        shared_->changed.notify_all();
    }
    if (watcher_.joinable()) watcher_.join();
    if (!reader_.joinable()) return;  // not owned by the watcher any more
    std::unique_lock<std::mutex> lock(shared_->mutex);
    const bool ended =
        shared_->changed.wait_for(lock, shared_->options.deadline, [this] { return shared_->reader_ended; });
    lock.unlock();
    ended ? reader_.join() : reader_.detach();
}

}  // namespace tegu::daemon::health
