// SPDX-License-Identifier: Apache-2.0
// The listening socket: inherited from systemd, or bound here. A socket file that is already there is replaced only if nothing
// answers on it, and what systemd made is never removed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace tegu::daemon {

struct Listener {
    Fd fd;  // listening, non-blocking
    std::string path;
    bool inherited = false;
    dev_t device = 0;  // of the socket file that we made; 0: none
    ino_t inode = 0;
};

// What the service manager calls the socket on which scrapes are answered: FileDescriptorName= of tegud-metrics.socket.
inline constexpr char kScrapeSocketName[] = "metrics";

struct Inherited {
    std::optional<Listener> listener;
    std::optional<Listener> scrapes;  // a listening stream socket of any kind, for metrics
};
// The sockets that the service manager passed, if it passed any. Reads and clears $LISTEN_FDS. Descriptors that are no listening
// Unix stream socket are closed. Errors: BadDescriptor if none of those that were passed will do, unless they are for scrapes.
Result<Inherited> inherit_descriptors();

struct ListenerOptions {
    std::string path;
    unsigned mode = 0660;
    int backlog = 1024;
};
// Errors: BadRange (the path is too long), NotFound (no such directory), Unavailable (another daemon answers there), BadRequest (something
// else than a socket is there), Denied, Io. REQUIRES: no other thread runs yet, for the umask is changed for a moment.
Result<Listener> bind_listener(const ListenerOptions& options);

// Removes the socket file, if it is still the one that bind_listener made.
void remove_socket_file(Listener& listener);

}  // namespace tegu::daemon
