// SPDX-License-Identifier: Apache-2.0
// Computes one tile of an entropy map from pixels, in the scratch memory of one thread. Each tile quantises
// its own pixels and their halo, so tiles are independent. Memory is therefore bounded for any image size,
// and counts stay consistent if the input changes during the run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/entropy_map/cpu/entropy_map.h"
#include "kernels/entropy_map/method.h"
#include "kernels/numerics/levels.h"

namespace tegu::kernels {

// The data that all tiles of one run share. Nothing is owned.
struct EntropyImage {
    const Job* job = nullptr;
    const EntropyMapParams* params = nullptr;
    EntropyPolicy policy;
    InputView input;
    float* map = nullptr;
    LevelScale scale;
    unsigned shift = 0;
    const std::uint32_t* table = nullptr;        // F[n], padded with zeros to a multiple of 128
    const std::uint32_t* differences = nullptr;  // F[n + 1] - F[n]
    const StopToken* stop = nullptr;
};

// Sizes of a run, known before it starts.
struct EntropyLayout {
    std::uint64_t tile_rows = 0;  // of the policy, cut to the image
    std::uint64_t tile_cols = 0;
    std::uint64_t tiles_down = 0;
    std::uint64_t tiles_across = 0;
    std::size_t table_bytes = 0;   // table and differences
    std::size_t worker_bytes = 0;  // scratch of one thread
    // Offsets in the scratch of one thread, each a multiple of 64.
    std::size_t pitch = 0;  // bytes of a row of levels
    std::size_t sums_pitch = 0;
    std::size_t nan_words = 0;  // of a row; 0 if the type has no NaN
    std::size_t levels_at = 0, sums_at = 0, whole_at = 0, divisor_at = 0, nan_rows_at = 0, nan_bits_at = 0,
                method_at = 0;
};

EntropyLayout entropy_layout(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy);

// Computes tile number `index` (row-major, < tiles_down * tiles_across) into the map. `scratch`:
// worker_bytes, 64-byte aligned. False if the stop was requested; the tile is then unfinished.
bool run_entropy_tile(const EntropyImage& image, const EntropyLayout& layout, std::uint64_t index,
                      std::byte* scratch);

}  // namespace tegu::kernels
