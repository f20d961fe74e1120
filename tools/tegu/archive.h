// SPDX-License-Identifier: Apache-2.0
// Inputs that may lie in an archive: "x.npz:name" is the member name.npy of x.npz, "x.npz" its only member.
#pragma once

#include <string>

#include "tools/tegu/source.h"

namespace tegu {
namespace cli {

// As Source::open(). Of an archive the bytes of the member: a stored one where it lies, a deflated one
// inflated into memory. `raw`: the file is taken as it is.
Expected<Source> open_input(const std::string& path, bool raw, Progress& progress);

}  // namespace cli
}  // namespace tegu
