// SPDX-License-Identifier: Apache-2.0
// Measuring: the opened resources of a measuring command: the machine, its pace, the tables in force, and the
// watch on tegud.
#pragma once

#include <memory>

#include "tools/tune/commands.h"
#include "tools/tune/measure/board_pace.h"
#include "tools/tune/run/session.h"
#include "tools/tune/tegud/tegud_watch.h"

namespace tegu::tune {

class Measuring {
  public:
    // Reports missing services and disturbances. Errors: those of Machine::open(). `reporter` outlives it.
    static Result<std::unique_ptr<Measuring>> open(const MeasureOptions& options, Reporter& reporter);
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;

    Machine& machine() { return *machine_; }
    Pace& pace() { return *pace_; }
    const SessionMachine& session_machine() const { return session_; }

  private:
    Measuring() = default;
    void tie();

    std::unique_ptr<Machine> machine_;
    board::BoardWatch* watch_ = nullptr;  // pace_'s
    std::unique_ptr<BoardPace> pace_;
    std::unique_ptr<TegudWatch> tegud_;
    tuning::DeviceTuning known_;
    SessionMachine session_;
};

}  // namespace tegu::tune
