// SPDX-License-Identifier: Apache-2.0
#include "daemon/service/watchdog.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/log.h"
#include "daemon/gpus/gpu_record.h"
#include "daemon/service/events.h"
#include "daemon/service/journal.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr auto kShortestTurn = std::chrono::milliseconds(50);
constexpr auto kLastWords = std::chrono::milliseconds(100);  // for the journal to read them
constexpr auto kManager = std::chrono::seconds(1);           // for the service manager to end the process

// For the signal handler, which cannot access the object.
std::atomic<std::int64_t> last_turn_ms{0};
std::atomic<std::int64_t> late_ms{0};

std::int64_t monotonic_ms() {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Makes "the io thread hangs: its loop has not turned for 31 s". Uses no library function that may take a
// lock.
void say_that_the_loop_hangs(std::int64_t ms) {
    char text[128] = "the io thread hangs: its loop has not turned for ";
    char digits[24];
    std::size_t end = std::char_traits<char>::length(text), count = 0;
    for (std::int64_t rest = ms / 1000; count == 0 || rest > 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    while (count > 0) text[end++] = digits[--count];
    text[end++] = ' ';
    text[end++] = 's';
    text[end] = '\0';
    log_from_signal(events::kHang, text);
}

// The service manager sends SIGABRT after a missed keep-alive. If another process sends it, the loop may
// still run.
extern "C" void on_abort(int number) {
    const std::int64_t silent = monotonic_ms() - last_turn_ms.load();
    if (silent > late_ms.load()) say_that_the_loop_hangs(silent);
    (void)std::raise(number);  // again, with the default action: SA_RESETHAND
}

void name_the_loop_on_abort(Nanoseconds turn) {
    late_ms = 2 * std::chrono::duration_cast<std::chrono::milliseconds>(turn).count();
    last_turn_ms = monotonic_ms();
    struct sigaction action {};
    action.sa_handler = &on_abort;
    action.sa_flags = SA_RESETHAND;
    (void)::sigaction(SIGABRT, &action, nullptr);
}

double seconds(Nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

void Watchdog::start(std::vector<Part> parts) {
    const Result<std::uint64_t> wanted =
        watchdog_interval_ns(std::getenv("WATCHDOG_USEC"), std::getenv("WATCHDOG_PID"), ::getpid());
    if (!wanted) {
        log(LogLevel::Warning,
            "no watchdog: " + wanted.error().message + ", which would be " + wanted.error().allowed,
            {{events::kMessageId, events::kEnvironment}});
        return;
    }
    if (*wanted == 0 || !has_service_manager()) return;
    parts_ = std::move(parts);
    judge_.emplace(parts_.size());
    interval_ = Nanoseconds(*wanted);
    turn_ = std::max<Nanoseconds>(interval_ / WatchdogJudge::kTurns, kShortestTurn);
    told_ = Clock::now();
    name_the_loop_on_abort(turn_);
    wait(turn_);
}

double Watchdog::interval_seconds() const {
    return seconds(interval_);
}

double Watchdog::worst_gap_seconds() const {
    return seconds(worst_gap_);
}

void Watchdog::wait(Nanoseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) turn();
    });
}

void Watchdog::turn() {
    last_turn_ms = monotonic_ms();
    try {
        std::vector<bool> signs;
        for (const Part& part : parts_) signs.push_back(part.executor->take_heartbeat());
        const WatchdogJudge::Verdict verdict = judge_->turn(signs);
        if (verdict.hangs || given_up_ > 0) return give_up(parts_[verdict.hangs.value_or(0)]);
        for (const std::size_t part : verdict.ask) parts_[part].executor->probe();
        if (verdict.all_well) note_alive(Clock::now());
    } catch (const std::bad_alloc&) {
        // Sends no keep-alive this time.
    }
    wait(turn_);
}

void Watchdog::note_alive(TimePoint now) {
    if (!notify_alive()) return;
    worst_gap_ = std::max(worst_gap_, Nanoseconds(now - told_));
    told_ = now;
}

// Writes the log first, so that it is read before the process ends. Then tells the service manager, which
// reports the cause. Calls abort() if the manager does not react.
void Watchdog::give_up(const Part& part) {
    switch (given_up_++) {
        case 0:
            if (part.is_gpu) GpuRecord::of_environment().add("it hung");
            log(LogLevel::Error,
                part.name + " hangs: no sign of life for " +
                    std::to_string(static_cast<std::uint64_t>(interval_seconds())) +
                    " s, although it was asked for one; the daemon ends, and clients send their jobs again",
                {{events::kMessageId, events::kHang}, {"EXECUTOR", part.name}});
            return wait(kLastWords);
        case 1: notify_hanging(); return wait(kManager);
        default: std::abort();
    }
}

}  // namespace tegu::daemon
