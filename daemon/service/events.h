// SPDX-License-Identifier: Apache-2.0
// Message ids of events that an operator can look up: `journalctl -x` shows an explanation and a remedy
// beside the message. The ids are unique to this project and never change their meaning. systemd/tegu.catalog
// holds the texts.
#pragma once

#include "base/log.h"

namespace tegu::daemon::events {

inline constexpr std::string_view kMessageId = kMessageIdField;

inline constexpr char kReady[] = "775a9bc7a1f64562a2a46927cbedb3af";
inline constexpr char kStopped[] = "c5eac6be9d154f199d9dc583aec7aa46";
inline constexpr char kCannotStart[] = "10048271da5746ba8bb068491f8b276f";
inline constexpr char kReloaded[] = "d7e1bbc9accd40d29c22fec2a36de076";
inline constexpr char kReloadRefused[] = "f79a863073b24ce686970bff38cca322";
inline constexpr char kFatal[] = "4316a224a7364e4ba993427e1b490d16";
inline constexpr char kNoGpu[] = "936ff239e5aa438fa1289d4a3cba2496";
inline constexpr char kHang[] = "2e33a79dcf904dd59be8a17513c7ef9b";
inline constexpr char kHealth[] = "80f5ce1ab2ab4106a59a9899617384fa";
inline constexpr char kEnvironment[] = "944e721dcdac4953883f93083cee80e4";

}  // namespace tegu::daemon::events
