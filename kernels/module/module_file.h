// SPDX-License-Identifier: Apache-2.0
// The files of modules: where they are, and whether one may be loaded at all. Loading runs code of the file,
// and a file that is cut short would end the process, so both are judged before.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tegu::module {

struct ModuleFile {
    std::string path;
    unsigned toolkit = 0;  // the major version in its name

    std::string name() const { return path.substr(path.rfind('/') + 1); }
};

// The files tegu-cuda-<number>.so in the folders, the highest number first; of equal ones that of the first
// folder. The paths are without links; folders that are missing are skipped.
std::vector<ModuleFile> find_modules(const std::vector<std::string>& folders);

// Ok for a complete shared object for this processor, in a regular file. The file and all folders above it
// belong to root or to this process's user, and no other user may write them; but sticky folders of root such
// as /tmp are allowed above the first. Errors: Unavailable, with the reason.
Result<void> check_module_file(const std::string& path);

}  // namespace tegu::module
