// SPDX-License-Identifier: Apache-2.0
// Integers of 128 bits under names that -Wpedantic takes.
#pragma once

namespace tegu::kernels {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace tegu::kernels
