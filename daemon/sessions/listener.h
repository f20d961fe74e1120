// SPDX-License-Identifier: Apache-2.0
// What a daemon starts with: the listening socket, inherited from systemd or bound here, and what systemd
// kept of the daemon before. A socket file that is already there is replaced only if nothing answers on it,
// and what systemd made is never removed.
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
    dev_t device = 0;  // of the socket file that we made; 0: none
    ino_t inode = 0;
};

// Descriptors of the daemon before that the service manager kept come back under the names that these begin.
inline constexpr char kStoredBufferName[] = "tegud-buffer-";
inline constexpr char kStoredTableName[] = "tegud-table-";
inline constexpr char kStoredProbeName[] = "tegud-probe";

// What the service manager calls the socket for metric scrapes: FileDescriptorName= of tegud-metrics.socket.
inline constexpr char kScrapeSocketName[] = "metrics";

struct StoredDescriptors {
    std::vector<PassedFd> known;       // by their names; nothing more is known of them
    std::vector<std::string> surplus;  // names of others that came and are closed: maybe of a newer daemon
};
struct Inherited {
    std::optional<Listener> listener;
    std::optional<Listener> scrapes;  // a listening stream socket of any kind, for metrics
    StoredDescriptors stored;
};
// The socket that the service manager passed, if it passed any, and what it kept. Reads and clears
// $LISTEN_FDS. Descriptors that are neither a listening Unix stream socket nor ours by their name are closed.
// Errors: BadDescriptor if none of those that were passed will do, unless they are for scrapes.
Result<Inherited> inherit_descriptors();

struct ListenerOptions {
    std::string path;
    unsigned mode = 0660;
    int backlog = 1024;
};
// Errors: BadRange (the path is too long), NotFound (no such directory), Unavailable (another daemon answers
//         there), BadRequest (something
// else than a socket is there), Denied, Io. REQUIRES: no other thread runs yet, for the umask is changed for
// a moment.
Result<Listener> bind_listener(const ListenerOptions& options);

// Removes the socket file, if it is still the one that bind_listener made.
void remove_socket_file(Listener& listener);

}  // namespace tegu::daemon
