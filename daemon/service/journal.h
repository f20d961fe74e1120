// SPDX-License-Identifier: Apache-2.0
// The log sink under systemd: the journal's native protocol, which keeps fields. Sends never block, unlike
// libsystemd's, so a stalled journal cannot block the daemon. Messages that do not fit are dropped and
// counted; the count follows the next message.
#pragma once

#include <cstddef>

namespace tegu::daemon {

// Sends the log to the journal if $JOURNAL_STREAM names the stream of stderr; returns whether it does.
bool log_to_journal();

// Call before the process ends: waits at most half a second until the journal has read all messages. The
// journal looks up a message's unit by pid when it reads it. After the process has ended it finds no unit,
// and `journalctl -u` omits the message. No effect unless log_to_journal() returned true.
void finish_journal();

// Logs one error from a signal handler; takes no lock and allocates nothing. `message_id` may be null;
// `text`: one line.
void log_from_signal(const char* message_id, const char* text) noexcept;

}  // namespace tegu::daemon
