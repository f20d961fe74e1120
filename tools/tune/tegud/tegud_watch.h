// SPDX-License-Identifier: Apache-2.0
// TegudWatch: detects a tegud of this machine that computes while the tuner measures. Its jobs use cores,
// memory and the GPU. An idle one uses only memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tegu::tune {

class TegudWatch {
  public:
    // `socket` empty: the one that clients use. Starts no daemon: without a named socket, it searches the
    // processes for one first. `sysroot`: where proc is.
    static TegudWatch open(const std::string& socket, const std::string& sysroot);
    TegudWatch(TegudWatch&&) noexcept;
    TegudWatch& operator=(TegudWatch&&) noexcept;
    ~TegudWatch();

    bool is_there() const;
    // "tegud (pid 71) runs here, with 2 other connections: ..."; empty: none does.
    std::string warning() const;
    // Jobs that it has run since the last call, or since open().
    std::uint64_t jobs_since();

  private:
    struct State;
    TegudWatch();
    std::unique_ptr<State> state_;  // null: no daemon
};

}  // namespace tegu::tune
