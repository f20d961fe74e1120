// SPDX-License-Identifier: Apache-2.0
// SessionServices: the parts of the daemon that sessions use. Every part outlives the sessions. Io thread.
#pragma once

#include "daemon/service/stop_state.h"

namespace tegu::daemon {

class BoardHealth;
class DescriptorStore;
class Quotas;
class SessionTable;
struct BufferServices;
struct ConnectionShared;
struct DaemonRecord;
struct JobServices;
struct ReportSources;

struct SessionServices {
    ConnectionShared& connections;  // with the settings in force
    Quotas& quotas;
    BufferServices& buffers;
    DescriptorStore& store;
    JobServices& jobs;
    SessionTable& sessions;
    DaemonRecord& record;
    const BoardHealth& health;     // HEALTH
    const ReportSources& reports;  // INFO and STATS
    const StopState& stop;
};

}  // namespace tegu::daemon
