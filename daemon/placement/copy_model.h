// SPDX-License-Identifier: Apache-2.0
// CopyModel: how long it takes to copy bytes between the host and a GPU: a fixed time and a time for each
// byte, both learnt from the copies that jobs make. Pure. Io thread only.
#pragma once

#include <cstdint>

#include "daemon/placement/moving_time.h"

namespace tegu::daemon {

class CopyModel {
  public:
    static constexpr std::uint64_t kSmallBytes = 64 << 10;  // up to here a copy tells the fixed time,
    static constexpr std::uint64_t kLargeBytes = 1 << 20;   // and from here on the time for a byte

    // `bytes`: all that one job copies; 0 takes no time.
    std::uint64_t predict_ns(std::uint64_t bytes) const;
    void learn(std::uint64_t bytes, std::uint64_t copy_ns);

    double gb_per_s() const { return 1 / byte_ns_.value(); }
    bool is_measured() const { return byte_ns_.seen() > 0; }

  private:
    // Until something was copied: what memory of a small board does.
    MovingTime fixed_ns_{10000};
    MovingTime byte_ns_{0.25};
};

}  // namespace tegu::daemon
