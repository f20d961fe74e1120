// SPDX-License-Identifier: Apache-2.0
// BoardPace: reads from sensors whether this machine runs at full speed. Heat and low voltage slow a board
// down temporarily, which invalidates measurements. A power limit is permanent and reported once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "tools/board/watch.h"
#include "tools/tune/measure/class_meter.h"

namespace tegu::tune {

class BoardPace final : public Pace {
  public:
    // `watch` may be null: nothing is known, so nothing is slow. `say` gets one line at a time. `interrupted`
    // outlives it. `patience_seconds`: how long one recover() waits at most.
    BoardPace(std::unique_ptr<board::BoardWatch> watch, std::function<void(const std::string&)> say,
              const std::atomic<bool>& interrupted, double patience_seconds);

    std::string slowed_by() override;
    bool recover(const std::string& why) override;

  private:
    std::unique_ptr<board::BoardWatch> watch_;
    std::function<void(const std::string&)> say_;
    const std::atomic<bool>& interrupted_;
    const double patience_seconds_;
    bool power_told_ = false;
};

}  // namespace tegu::tune
