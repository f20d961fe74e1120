// SPDX-License-Identifier: Apache-2.0
// The differences between GPU architectures, for launches and for device code. This file alone lists them.
// C++14.
#pragma once

#include <cstddef>

// 87 in code for sm_87; 0 in code for the host.
#if defined(__CUDA_ARCH__)
#define TEGU_ARCHITECTURE (__CUDA_ARCH__ / 10)
#else
#define TEGU_ARCHITECTURE 0
#endif

// Instructions that the compiled architecture has.
#define TEGU_HAS_DOT_PRODUCTS (TEGU_ARCHITECTURE >= 61)      // of four bytes, of two halves
#define TEGU_HAS_GRID_FENCES (TEGU_ARCHITECTURE >= 70)       // that order no more than requested
#define TEGU_HAS_LANE_MATCH (TEGU_ARCHITECTURE >= 70)        // equal words of a warp
#define TEGU_HAS_LANE_MINIMUM (TEGU_ARCHITECTURE >= 80)      // the smallest word of a warp
#define TEGU_HAS_PACKED_HALVES (TEGU_ARCHITECTURE >= 90)     // minimum and maximum of two halves
#define TEGU_HAS_DEPENDENT_LAUNCH (TEGU_ARCHITECTURE >= 90)  // see launch_pdl.cuh

namespace tegu {
namespace cuda {

// A block may use all registers of a multiprocessor divided by this. Kernels that need many registers bound
// their threads by it.
constexpr unsigned blocks_for_registers(unsigned compute_capability) {
    return compute_capability < 70 ? 2 : 1;
}
// Shared memory that the device reserves for each block.
constexpr std::size_t reserved_shared_bytes(unsigned compute_capability) {
    return compute_capability >= 80 ? 1 << 10 : 0;
}
// Returns whether a launch may begin before the previous one ends (programmatic dependent launch).
constexpr bool has_dependent_launch(unsigned compute_capability) {
    return compute_capability >= 90;
}

// The values of the compiled architecture.
#if TEGU_ARCHITECTURE != 0
constexpr unsigned kBlocksForRegisters = blocks_for_registers(TEGU_ARCHITECTURE);
#else
constexpr unsigned kBlocksForRegisters = 1;
#endif

}  // namespace cuda
}  // namespace tegu
