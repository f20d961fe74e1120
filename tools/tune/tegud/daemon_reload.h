// SPDX-License-Identifier: Apache-2.0
// Daemon: reloads the tables of this machine's tegud.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "client/tegu.hpp"

namespace tegu::tune {

class Daemon {
  public:
    // `socket` empty: the one that clients use. Errors: NotFound (none runs), and those of a connection.
    static Result<Daemon> find(const std::string& socket, const std::string& sysroot);

    std::string name() const { return "tegud (pid " + std::to_string(pid_) + ")"; }
    const std::string& overlay() const { return overlay_; }  // path of the overlay; empty: none
    // Reloads settings and tables, through systemd if it started the daemon, else with SIGHUP. Returns after
    // the reload. Errors: Denied, DeadlineExceeded (no sign of a reload), Unavailable.
    Result<void> reload();

  private:
    explicit Daemon(client::Client connected) : client_(std::move(connected)) {}
    Result<std::uint64_t> loads();
    Result<void> signal() const;

    client::Client client_;
    std::uint64_t pid_ = 0;
    bool has_systemd_ = false;
    std::string overlay_, sysroot_;
};

}  // namespace tegu::tune
