// SPDX-License-Identifier: Apache-2.0
// Files: reads the kernel's small text files about the board, below one root, so tests use a tree of
// fixtures. Opening never blocks, only regular files are read, and sizes are bounded. Drivers may still block
// in read(2); monitor.h handles that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/health/board/value.h"

namespace tegu::daemon::health {

struct DiskSpace {
    std::uint64_t total_bytes = 0;
    std::uint64_t available_bytes = 0;  // to this user
};

enum class Longer { Refuse, Cut };  // handling of a file over the size limit

// Paths are relative to the root, without a leading slash: "sys/class/thermal". Safe from any thread.
class Files {
  public:
    virtual ~Files() = default;
    // The content, including NUL bytes.
    virtual Value<std::string> read(const std::string& path, std::size_t limit, Longer longer) = 0;
    // Names in a directory, "zone2" before "zone10"; empty if it cannot be listed. Skips hidden names and
    // names with non-printable or non-ASCII characters. Reads at most 4096 names.
    virtual std::vector<std::string> list(const std::string& path) = 0;
    // Free and total bytes of the file system of a directory.
    virtual Value<DiskSpace> space(const std::string& path) = 0;
};

class SystemFiles : public Files {
  public:
    // `root` is a directory: "/" except in tests.
    static Result<SystemFiles> open(const std::string& root);
    Value<std::string> read(const std::string& path, std::size_t limit, Longer longer) override;
    std::vector<std::string> list(const std::string& path) override;
    Value<DiskSpace> space(const std::string& path) override;

  private:
    explicit SystemFiles(Fd root) : root_(std::move(root)) {}
    Fd root_;
};

// Why a call on `path` failed.
Unknown unknown_of(const std::string& path, int os_code);

}  // namespace tegu::daemon::health
