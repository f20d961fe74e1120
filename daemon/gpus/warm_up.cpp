// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/warm_up.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/log.h"
#include "daemon/service/events.h"
#include "daemon/service/journal.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {
namespace {

constexpr auto kMore = std::chrono::seconds(15);

std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler of signals writes it");

extern "C" void on_stop(int number) {
    stop_signal = number;
}

}  // namespace

// An ignored signal stays ignored.
WarmUp::WarmUp(std::function<void()> before_stop, std::chrono::milliseconds longest)
    : longest_(longest), before_stop_(std::move(before_stop)) {
    stop_signal = 0;
    struct sigaction action {};
    action.sa_handler = &on_stop;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kStops.size(); ++i) {
        (void)::sigaction(kStops[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) (void)::sigaction(kStops[i], &action, nullptr);
    }
}

WarmUp::~WarmUp() {
    leave_signals();
}

void WarmUp::leave_signals() const {
    for (std::size_t i = 0; i < kStops.size(); ++i) (void)::sigaction(kStops[i], &before_[i], nullptr);
}

void WarmUp::finish() {
    leave_signals();
    end_if_stopped();
}

void WarmUp::report_long_step(const std::string& what) const {
    end_if_stopped();
    const auto waited = Clock::now() - begin_;
    if (waited > longest_) return;
    notify_warming_up(static_cast<std::uint64_t>(std::chrono::microseconds(kMore).count()),
                      "starting: " + what + ", for " +
                          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(waited).count()) +
                          " s so far");
}

// Ends by the received signal, so that the parent process sees the cause.
void WarmUp::end_if_stopped() const {
    const int number = stop_signal;
    if (number == 0) return;
    if (Clock::now() - begin_ <= longest_) before_stop_();
    log(LogLevel::Info, "stopped while it waited for a GPU", {{events::kMessageId, events::kStopped}});
    finish_journal();
    (void)std::signal(number, SIG_DFL);
    (void)std::raise(number);
    ::_exit(128 + number);  // it is blocked
}

}  // namespace tegu::daemon
