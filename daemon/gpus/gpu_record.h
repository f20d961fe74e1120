// SPDX-License-Identifier: Apache-2.0
// GpuRecord: recent GPU failures that ended the daemon, in a file of the state directory. After kGpuFailures
// within kGpuFailureSeconds the daemon does not use the GPU, and its health is degraded. An orderly stop or a
// boot clears the record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegu::daemon {

struct GpuFailure {
    std::uint64_t seconds = 0;  // since boot, suspended time included
    std::string what;           // one line
};

inline constexpr std::size_t kGpuFailures = 3;                // this number of failures
inline constexpr std::uint64_t kGpuFailureSeconds = 10 * 60;  // within this time: the GPU is not used

// Parses the file content `text`: the newest failures of this boot, at most `max`. Skips malformed lines.
// Pure.
std::vector<GpuFailure> parse_gpu_failures(const std::string& text, const std::string& boot, std::size_t max);
// Why the GPU is not used, or empty. Pure.
std::string reason_against_gpu(const std::vector<GpuFailure>& failures, std::uint64_t now_seconds);

class GpuRecord {
  public:
    // `directory`: empty for no record. `boot`: id of this boot.
    GpuRecord(std::string directory, std::string boot);
    // Uses the state directory and boot id of this process. On out of memory: no directory.
    static GpuRecord of_environment() noexcept;

    // Why the GPU must not be used, or empty.
    std::string reason() const;
    // Call begin() before a GPU is opened, and opened() when it is open or the start was cancelled. A missing
    // opened() counts as a failure.
    void begin(const std::string& what);
    void opened();
    void add(const std::string& what);
    void forget() noexcept;

  private:
    void write(const std::vector<GpuFailure>& failures) const;

    std::string file_;  // empty: no record
    std::string boot_;
    std::vector<GpuFailure> failures_;
};

}  // namespace tegu::daemon
