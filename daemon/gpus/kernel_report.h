// SPDX-License-Identifier: Apache-2.0
// The reply to KERNELS: what the thread of the first GPU found when it opened the device. Asking for it asks
// CUDA nothing.
#pragma once

#include "daemon/gpus/gpus.h"
#include "wire/messages.h"

namespace tegu::daemon {

// The part of the list from `first` on that a message holds; its texts are those of `gpus`. Io thread.
wire::KernelsReply kernels_reply(const Gpus& gpus, std::uint32_t first);

}  // namespace tegu::daemon
