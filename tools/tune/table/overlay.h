// SPDX-License-Identifier: Apache-2.0
// Overlay: the file that tegud prefers to all shipped tables, with a backup of the previous one.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace tegu::tune {

class Overlay {
  public:
    // Copies the table to `path` in one step. Errors: NotFound, Denied, Io, with the file;
    // then the file at `path` is as it was.
    static Result<Overlay> install(const std::string& table, const std::string& path);
    // Restores the previous file; removes the file if there was none. Errors: Denied, Io.
    Result<void> restore();

  private:
    Overlay() = default;
    std::string path_;
    std::optional<std::string> before_;
};

}  // namespace tegu::tune
