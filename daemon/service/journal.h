// SPDX-License-Identifier: Apache-2.0
// The log sink under systemd: the journal's own protocol, so that fields stay fields. Elsewhere base/log.h
// writes lines to stderr. The datagrams are sent here, not by libsystemd: a journal that does not read would
// stop the thread that logs, and with it the daemon. What the journal does not take at once is dropped and
// counted, and the next message that it takes is followed by the count.
#pragma once

#include <cstddef>

namespace tegu::daemon {

// Sends the log to the journal if stderr is connected to it ($JOURNAL_STREAM names that very stream); returns
// whether it is.
bool log_to_journal();

// Before the process ends: waits, for half a second at most, until the journal has read what was sent. It
// looks up the unit of a message by pid when it reads it, and for a process that has ended by then finds
// none: `journalctl -u` would not show why it ended. Does nothing unless log_to_journal() did.
void finish_journal();

// One error from a signal handler, to where the log goes; takes no lock and no memory. `message_id` may be
// null; `text`: one line.
void log_from_signal(const char* message_id, const char* text) noexcept;

}  // namespace tegu::daemon
