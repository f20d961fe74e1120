// SPDX-License-Identifier: Apache-2.0
// MovingTime: a moving average of a repeated time on a logarithmic scale, so that slow outliers weigh no more
// than fast ones. The first measurements move it by at most a factor of 16, later ones by 2. Pure.
#pragma once

#include <algorithm>
#include <cmath>

namespace tegu::daemon {

class MovingTime {
  public:
    explicit MovingTime(double initial) : value_(initial) {}
    double value() const { return value_; }

    // REQUIRES: measured > 0.
    void add(double measured) {
        const double max = seen_ < kFirst ? 4 : 1;
        const double octaves = std::clamp(std::log2(measured / value_), -max, max);
        value_ *= std::exp2(octaves * std::max(kNewest, 1.0 / (seen_ + 1)));
        if (seen_ < kMax) ++seen_;
    }

  private:
    static constexpr double kNewest = 0.125;  // minimum weight of the newest
    static constexpr unsigned kFirst = 4, kMax = 64;
    double value_;
    unsigned seen_ = 0;
};

}  // namespace tegu::daemon
