// SPDX-License-Identifier: Apache-2.0
// A private tegud on a socket in a new temporary folder, without the system's settings file. The destructor
// stops it and removes the folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/tegu/expected.hpp"

namespace tegu::bench {

// An error of a private daemon's client.
inline Error from(const client::Error& error) {
    return make_error(static_cast<Status>(error.status), std::string("the private daemon: ") + error.message);
}

class PrivateDaemon {
  public:
    // Starts the program and waits until it reports readiness; `executor`: more lines of that section of its
    // settings; `variables`: of its environment, "NAME=value", besides the few that it inherits. Errors: Io,
    // Unavailable with its output.
    static Result<PrivateDaemon> start(const std::string& program, unsigned threads,
                                       const std::string& executor = "",
                                       const std::vector<std::string>& variables = {});
    ~PrivateDaemon();
    PrivateDaemon(PrivateDaemon&& other) noexcept;
    PrivateDaemon& operator=(PrivateDaemon&& other) noexcept;

    std::string socket_path() const { return folder_ + "/tegud.sock"; }
    pid_t pid() const { return pid_; }
    double ready_ns() const { return ready_ns_; }  // from its start to READY=1
    std::uint64_t cpu_ns() const;                  // of all its threads so far
    double resident_mb() const;                    // 1 MB = 1e6 B

  private:
    PrivateDaemon() = default;
    std::string folder_;
    pid_t pid_ = -1;
    double ready_ns_ = 0;
};

}  // namespace tegu::bench
