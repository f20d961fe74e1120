// SPDX-License-Identifier: Apache-2.0
// EnergyMeter: the energy between two moments. Uses the energy counter of the GPU's driver, or a thread that
// integrates the power of the board's rails at 20 readings a second. Inaccurate below half a second.
#pragma once

#include <memory>
#include <optional>

#include "tools/board/watch.h"

namespace tegu::board {

constexpr double kMinEnergySeconds = 0.5;  // between start() and stop(), for a number that means something

class EnergyMeter {
  public:
    // REQUIRES: `watch` outlives it.
    explicit EnergyMeter(BoardWatch& watch);
    ~EnergyMeter();
    EnergyMeter(const EnergyMeter&) = delete;
    EnergyMeter& operator=(const EnergyMeter&) = delete;

    void start();
    // Joules since start(); empty: this board does not tell, or a reading failed. REQUIRES: start() was
    // called before.
    std::optional<double> stop();

  private:
    struct Sampling;
    void sample();
    BoardWatch& watch_;
    const EnergySource source_;
    std::optional<double> counter_;  // of the GPU, at start()
    std::unique_ptr<Sampling> sampling_;
};

}  // namespace tegu::board
