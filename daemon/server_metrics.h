// SPDX-License-Identifier: Apache-2.0
// What the daemon does, as metrics of Prometheus. Labels are operations and statuses, never clients: a name for each process that ever connected would
// fill the memory of whoever scrapes it.
#pragma once

#include "daemon/health/exposition.h"

namespace tegu::daemon {

class Server;

void add_server_metrics(const Server& server, health::Exposition& out);

}  // namespace tegu::daemon
