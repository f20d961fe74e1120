// SPDX-License-Identifier: Apache-2.0
// CopyModel: predicts how long a copy between the host and a GPU takes. It begins with a fixed time and a
// speed; measured copies correct them by size. Pure; io thread only.
#pragma once

#include <cstdint>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {

class CopyModel {
  public:
    // `bytes`: all that one job copies; 0 takes no time.
    std::uint64_t predict_ns(std::uint64_t bytes) const;
    void learn(std::uint64_t bytes, std::uint64_t copy_ns);

    double gb_per_s() const;  // of large copies
    bool is_measured() const { return !curve_.empty(); }

  private:
    CorrectionCurve curve_;
};

}  // namespace tegu::daemon
