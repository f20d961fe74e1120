// SPDX-License-Identifier: Apache-2.0
// The reply to KERNELS, from data that the first GPU's thread collected when it opened the device. Makes no
// CUDA call.
#pragma once

#include "daemon/gpus/gpus.h"
#include "wire/messages.h"

namespace tegu::daemon {

// The part of the list from `first` on that fits a message; its texts point into `gpus`. Io thread.
wire::KernelsReply kernels_reply(const Gpus& gpus, std::uint32_t first);

}  // namespace tegu::daemon
