// SPDX-License-Identifier: Apache-2.0
// The one line that `systemctl status` shows of the daemon: where it serves, what computes, health, load.
// Told again when it has changed, every few seconds at most, on the second that health is judged: nobody is
// woken up for it.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/clock.h"

namespace tegu::daemon {

struct ReportSources;

struct ServiceFacts {
    bool stopping = false;
    std::string socket;
    std::string computes;  // "GPU Orin, memory class C", "cpu avx2, 4 threads"
    std::string health;    // "ok", or the worst reason
    std::uint64_t clients = 0, waiting = 0, running = 0, answered = 0;  // jobs but the first
    bool reload_failed = false;
};
// "serving on /run/tegud/tegud.sock: cpu avx2, 4 threads; health ok; 2 clients, 0 jobs waiting, 1 running,
// 12402 answered". Pure.
std::string service_status(const ServiceFacts& facts);
ServiceFacts service_facts(const ReportSources& sources);

// Io thread.
class ServiceStatus {
  public:
    // The line for READY=1. `reload_failed` stays in it until the next call.
    std::string begin(const ReportSources& sources, bool reload_failed);
    // Tells the service manager if it is time and there is something new.
    void refresh(const ReportSources& sources, TimePoint now);

  private:
    std::string told_;
    TimePoint next_{};
    bool reload_failed_ = false;
};

}  // namespace tegu::daemon
