// SPDX-License-Identifier: Apache-2.0
// The log sink under systemd: the journal's own protocol, so that fields stay fields. Elsewhere base/log.h writes lines to stderr.
#pragma once

namespace tegu::daemon {

// Sends the log to the journal if stderr is connected to it ($JOURNAL_STREAM names that very stream); returns whether it is.
bool log_to_journal();

// For the last words of the process: the log goes to the journal as lines on stderr. journald looks up the unit of a message of its own
// protocol by pid when it comes to read it, and for a process that has ended by then finds none, so `journalctl -u` would miss
// why it ended; whose a line is it knows from the stream. Does nothing unless log_to_journal() did.
void log_to_journal_as_lines();

}  // namespace tegu::daemon
