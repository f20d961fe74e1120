// SPDX-License-Identifier: Apache-2.0
// The types of a kernel launch for host code: shape, stream and status, without a CUDA header. So all code
// above the `.cu` files compiles without the toolkit. C++14: device code includes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/execution/cuda/architecture.h"

struct CUstream_st;

namespace tegu {
namespace cuda {

using Stream = ::CUstream_st*;  // a cudaStream_t; not owned
using LaunchStatus = int;       // a cudaError_t; 0 is success

// static and dynamic shared memory that a block has on any device without a request
constexpr std::size_t kPlainSharedBytes = 48 << 10;

constexpr std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) {
    return a / b + (a % b != 0);
}
constexpr std::uint64_t up_to_power_of_two(std::uint64_t value) {
    std::uint64_t power = 1;
    while (power < value) power *= 2;
    return power;
}
// Threads of a block for `items`, one each: whole warps, at most `max`. REQUIRES: whole warps of `max`.
constexpr unsigned whole_warps(std::uint64_t items, unsigned max) {
    return items < max ? static_cast<unsigned>(ceil_divide(items, 32) * 32) : max;
}

struct LaunchShape {
    unsigned blocks_x;         // 1..2^31-1
    unsigned blocks_y;         // 1..65535
    unsigned threads;          // of a block: a multiple of 32, up to 1024
    std::size_t shared_bytes;  // dynamic shared memory of a block
};

// The input to the choice of a launch policy, filled from the device's attributes.
struct DeviceLimits {
    unsigned compute_capability = 53;  // 10 * major + minor
    unsigned multiprocessors = 1;
    unsigned threads_per_multiprocessor = 2048;
    std::size_t shared_bytes_per_block = kPlainSharedBytes;  // maximum that a launch may request
    std::size_t l2_bytes = 256 << 10;

    // Threads of a block for a kernel that bounds its registers. `all`: the threads if one block may use all
    // registers of a multiprocessor.
    constexpr unsigned max_threads(unsigned all) const {
        return all / blocks_for_registers(compute_capability);
    }
};

// The inputs of a launch besides its data. Nothing is owned.
template <class Policy>
struct LaunchConfig {
    const Policy& policy;
    const DeviceLimits& limits;
    Stream stream;
};

}  // namespace cuda
}  // namespace tegu
