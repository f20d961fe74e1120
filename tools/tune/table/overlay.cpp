// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/overlay.h"

#include <unistd.h>

#include <cerrno>

#include "config/tuning_load.h"
#include "tools/tune/table/files.h"

namespace tegu::tune {

Result<Overlay> Overlay::install(const std::string& table, const std::string& path) {
    const Result<std::string> bytes = read_file(table, config::kMaxTuningFileBytes);
    if (!bytes) return bytes.error();
    Overlay overlay;
    overlay.path_ = path;
    Result<std::string> before = read_file(path, config::kMaxTuningFileBytes);
    if (!before && before.error().status != Status::NotFound) return std::move(before).error();
    if (before) overlay.before_ = std::move(*before);
    Result<void> replaced = replace_file(path, *bytes);
    if (!replaced) {
        (void)overlay.restore();  // the last step of an installation may fail when the file is there
        return std::move(replaced).error();
    }
    return Result<Overlay>(std::move(overlay));
}

Result<void> Overlay::restore() {
    if (before_) return replace_file(path_, *before_);
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return io_error(path_, errno);
    return sync_folder_of(path_);
}

}  // namespace tegu::tune
