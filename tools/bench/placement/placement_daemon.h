// SPDX-License-Identifier: Apache-2.0
// A private tegud with a GPU, and one client of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/tegu.hpp"
#include "tools/bench/private_daemon.h"

namespace tegu::bench {

struct PlacementOptions;

class PlacementDaemon {
  public:
    // Returns when it has timed its sample jobs, if it does that. Errors also: Unsupported: no GPU runs jobs.
    static Result<PlacementDaemon> start(const PlacementOptions& options);

    client::Client& client() { return client_; }
    std::string socket_path() const { return daemon_.socket_path(); }
    pid_t pid() const { return daemon_.pid(); }
    // A field of INFO; empty if there is none of that name.
    std::string text(const std::string& name);
    // The counters of STATS that say where jobs went, and why.
    std::vector<std::pair<std::string, std::uint64_t>> placed();

  private:
    PlacementDaemon(PrivateDaemon daemon, client::Client client)
        : daemon_(std::move(daemon)), client_(std::move(client)) {}
    PrivateDaemon daemon_;
    client::Client client_;
};

// Puts the client, the io threads and the threads of the GPUs on cores of their own, if the machine has
// enough. The cores are the same for all daemons. For those that are ready; a process that is started later
// would inherit it.
void pin_threads(const std::vector<PlacementDaemon>& daemons);

}  // namespace tegu::bench
