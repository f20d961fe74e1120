// SPDX-License-Identifier: Apache-2.0
// Splits a long launch into pieces, so that no piece holds the device for long. Launch code cuts with
// in_pieces(); the host's Pace (pace.h) waits and polls the stop token between pieces. C++14.
#pragma once

#include <cstdint>

#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

struct Pieces {
    std::uint64_t max;  // elements of a piece, of all segments together
    // Called between two pieces. A result other than 0 ends the pieces, and in_pieces() returns it.
    LaunchStatus (*between)(void* with);
    void* with;
};

// Calls launch_some(first, count) for units [0, total) of `unit` elements each, in order.
template <class Launch>
LaunchStatus in_pieces(const Pieces& pieces, std::uint64_t total, std::uint64_t unit, Launch launch_some) {
    const std::uint64_t max = pieces.max > unit ? pieces.max / unit : 1;
    LaunchStatus status = 0;
    for (std::uint64_t first = 0; first < total && status == 0; first += max) {
        if (first != 0) status = pieces.between(pieces.with);
        if (status == 0) status = launch_some(first, total - first < max ? total - first : max);
    }
    return status;
}

}  // namespace cuda
}  // namespace tegu
