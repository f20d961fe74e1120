// SPDX-License-Identifier: Apache-2.0
// CopyModel: predicts the time of a copy between host and GPU. Initial values are a fixed time and a speed;
// measured copies correct them by size. Pure; io thread only.
#pragma once

#include <cstdint>

#include "daemon/placement/correction_curve.h"

namespace tegu::daemon {

class CopyModel {
  public:
    // `bytes`: total of one job; 0 takes no time.
    std::uint64_t predict_ns(std::uint64_t bytes) const;
    void learn(std::uint64_t bytes, std::uint64_t copy_ns);

    double gb_per_s() const;  // of large copies
    bool is_measured() const { return !curve_.empty(); }

  private:
    CorrectionCurve curve_;
};

}  // namespace tegu::daemon
