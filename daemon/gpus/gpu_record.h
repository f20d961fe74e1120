// SPDX-License-Identifier: Apache-2.0
// GpuRecord: how often a GPU ended the daemon lately, in a file of the state directory. After some failures
// within some minutes the daemon leaves the GPU alone and serves with the CPU, its health degraded. An
// orderly stop or a boot clears the record; without a state directory there is none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegu::daemon {

struct GpuFailure {
    std::uint64_t seconds = 0;  // since boot, suspended time included
    std::string what;           // one line
};

inline constexpr std::size_t kGpuFailures = 3;                // so many of them
inline constexpr std::uint64_t kGpuFailureSeconds = 10 * 60;  // within so long: the GPU is left alone

// Those of `text`, the content of the file, that are of this boot, the newest `most` ones; what cannot be
// read is passed over. Pure.
std::vector<GpuFailure> parse_gpu_failures(const std::string& text, const std::string& boot,
                                           std::size_t most);
// Why the GPU is left alone, or empty. Pure.
std::string reason_against_gpu(const std::vector<GpuFailure>& failures, std::uint64_t now_seconds);

class GpuRecord {
  public:
    // `directory`: empty if there is none. `boot`: an id of this boot.
    GpuRecord(std::string directory, std::string boot);
    // The state directory and boot of this process. Without memory to ask for them: no directory.
    static GpuRecord of_environment() noexcept;

    // Why the GPU is to be left alone, or empty.
    std::string reason() const;
    // To be called before a GPU is opened, and when it is open or the start was called off: one that never
    // gets there counts as a failure.
    void begin(const std::string& what);
    void opened();
    void add(const std::string& what);
    void forget() noexcept;

  private:
    void write(const std::vector<GpuFailure>& failures) const;

    std::string file_;  // empty: nothing is remembered
    std::string boot_;
    std::vector<GpuFailure> failures_;
};

}  // namespace tegu::daemon
