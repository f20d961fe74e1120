// SPDX-License-Identifier: Apache-2.0
// The revision of all that crosses the border of a module: the operations with their parameters, the layout
// of the launch policies, and the revisions of the kernels. A module of another revision is refused.
#pragma once

#include <cstdint>

namespace tegu::module {

// A hash, the same in every build of the same sources. Any thread.
std::uint64_t layout_revision();

}  // namespace tegu::module
