// SPDX-License-Identifier: Apache-2.0
// The log sink under systemd: the journal's own protocol, so that fields stay fields. Elsewhere base/log.h writes lines to stderr.
#pragma once

namespace tegu::daemon {

// Sends the log to the journal if stderr is connected to it ($JOURNAL_STREAM names that very stream); returns whether it is.
bool log_to_journal();

}  // namespace tegu::daemon
