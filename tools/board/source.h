// SPDX-License-Identifier: Apache-2.0
// Sources of the readers of tools/board: a root folder for all kernel files, and the GPU's management
// library. Tests use a tree of fixtures and a test library.
#pragma once

#include <string>

namespace tegu::board {

struct BoardSource {
    std::string root = "/";
    std::string nvml = "libnvidia-ml.so.1";  // for dlopen(); empty: none
    std::string gpu_address;                 // "00000000:9B:00.0"; empty: the first GPU of the library
};

// The PCI address of the CUDA device `ordinal`; empty: it has none (integrated GPU), or this program was
// built without CUDA.
std::string gpu_address(int ordinal);

}  // namespace tegu::board
