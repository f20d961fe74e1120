// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#include "tools/board/source.h"

namespace tegu::board {

std::string gpu_address(int) {
    return {};
}

}  // namespace tegu::board
