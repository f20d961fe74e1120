// SPDX-License-Identifier: Apache-2.0
// The table of the methods that compute an entropy map on the CPU: one row for each.
#pragma once

#include "kernels/entropy_map/cpu/entropy_map.h"
#include "kernels/entropy_map/method.h"

namespace tegu::kernels {

struct EntropyMethodRow {
    CpuEntropyMethod method;
    bool (*supports)(const EntropyMapParams& params);
    double (*pixel_ns)(const EntropyMapParams& params);  // on one thread; fitted to measurements
    // Of a tile, with `pitch` bytes from row to row of its levels.
    std::size_t (*scratch_bytes)(std::uint32_t levels, std::size_t pitch);
    std::uint32_t tile_cols;      // unless the policy has others
    std::uint32_t max_tile_cols;  // above it the method would count too far
    void (*compute)(const EntropyTile& tile, const EntropyRows& rows);  // for the instruction set of this CPU
};

// In the order of CpuEntropyMethod, without Chosen.
Span<const EntropyMethodRow> entropy_methods();
// REQUIRES: method != Chosen.
const EntropyMethodRow& entropy_method(CpuEntropyMethod method);

}  // namespace tegu::kernels
