// SPDX-License-Identifier: Apache-2.0
// Loads modules. One that has run code of CUDA is never unloaded.
#pragma once

#include <string>

#include "base/result.h"
#include "kernels/module/abi.h"

namespace tegu::module {

// Loads the file and returns its table, which is complete and of this revision. Errors: Unavailable, with the
// reason: those of check_module_file(), a library that it needs is missing, it is no module, or of another
// version. A thread that may call CUDA.
Result<const tegu_module*> load_module(const std::string& path);

}  // namespace tegu::module
