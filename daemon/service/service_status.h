// SPDX-License-Identifier: Apache-2.0
// The status line for `systemctl status`: socket, backend, health, load. Sent again after a change, at most
// every few seconds. It runs with the health assessment, so it causes no extra wake-up.
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
    // Returns the line for READY=1. `reload_failed` stays in the line until the next call.
    std::string begin(const ReportSources& sources, bool reload_failed);
    // Sends the line if it has changed and the pause is over.
    void refresh(const ReportSources& sources, TimePoint now);

  private:
    std::string told_;
    TimePoint next_{};
    bool reload_failed_ = false;
};

}  // namespace tegu::daemon
