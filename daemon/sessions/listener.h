// SPDX-License-Identifier: Apache-2.0
// The descriptors at the start: the listening socket, inherited from systemd or bound here, and descriptors
// that systemd kept. An existing socket file is replaced only if no process answers on it. Files that systemd
// created are never removed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/sessions/passed_descriptors.h"

namespace tegu::daemon {

struct Listener {
    Fd fd;  // listening, non-blocking
    std::string path;
    bool inherited = false;
    dev_t device = 0;  // of the socket file that this process created; 0: none
    ino_t inode = 0;
};

// Name prefixes of descriptors of the previous daemon that the service manager kept.
inline constexpr char kStoredBufferName[] = "tegud-buffer-";
inline constexpr char kStoredTableName[] = "tegud-table-";
inline constexpr char kStoredProbeName[] = "tegud-probe";

// Name of the socket for metric scrapes: FileDescriptorName= of tegud-metrics.socket.
inline constexpr char kScrapeSocketName[] = "metrics";

struct StoredDescriptors {
    std::vector<PassedFd> known;  // matched by name only; the content is unchecked
    std::vector<std::string>
        surplus;  // names of other descriptors, which are closed; possibly of a newer daemon
};
struct Inherited {
    std::optional<Listener> listener;
    std::optional<Listener> scrapes;  // a listening stream socket of any kind, for metrics
    StoredDescriptors stored;
};
// Takes the socket that the service manager passed, if any, and the kept descriptors. Reads and clears
// $LISTEN_FDS. Closes descriptors that are neither a listening Unix stream socket nor known by name. Errors:
// BadDescriptor if none of the passed ones is usable, unless they are for scrapes.
Result<Inherited> inherit_descriptors();

struct ListenerOptions {
    std::string path;
    unsigned mode = 0660;
    int backlog = 1024;
};
// Errors: BadRange (the path is too long), NotFound (no such directory), Unavailable (another daemon answers
// there), BadRequest (the path is not a socket), Denied, Io. REQUIRES: no other thread runs yet, because the
// umask changes temporarily.
Result<Listener> bind_listener(const ListenerOptions& options);

// Removes the socket file if it is still the one that bind_listener created.
void remove_socket_file(Listener& listener);

}  // namespace tegu::daemon
