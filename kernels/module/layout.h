// SPDX-License-Identifier: Apache-2.0
// The revision of what crosses the border of a module: operations with their parameters, statistics, launch
// policies, and the revisions of the kernels. A change of other numbers, such as those of element types and
// statuses, raises TEGU_MODULE_ABI.
#pragma once

#include <cstdint>

namespace tegu::module {

// A hash, the same in every build of the same sources. Any thread.
std::uint64_t layout_revision();

}  // namespace tegu::module
