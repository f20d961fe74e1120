// SPDX-License-Identifier: Apache-2.0
// 128-bit integers under names that -Wpedantic accepts.
#pragma once

namespace tegu::kernels {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace tegu::kernels
