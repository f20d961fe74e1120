// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/buffer_services.h"

#include <utility>

#include "daemon/buffers/foreign_fd.h"

namespace tegu::daemon {

BufferServices::BufferServices(const config::Settings::Limits& limits, std::uint64_t descriptors,
                               const std::function<void()>& wake, std::function<void()> poll_soon)
    : quotas(limits, descriptors, [] { return foreign_waiting(); }),
      sealer("tegud-sealer", wake),
      pages("tegud-pages", wake),
      endings(std::move(poll_soon)) {}

void BufferServices::stop() {
    endings.stop();
    sealer.stop();
    pages.stop();
}

}  // namespace tegu::daemon
