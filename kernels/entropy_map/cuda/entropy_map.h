// SPDX-License-Identifier: Apache-2.0
// Launches of entropy_map: the Shannon entropy of the window around each pixel (docs/numerics.md, "Entropy
// map"). An image is computed in pieces, rectangles of results, which bound the working memory and the time
// of a launch. A piece reads the pixels around it; all methods give the same bits.
#pragma once

#include <cstdint>

#include "base/element_type.h"
#include "kernels/counting/cuda/levels.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

enum class EntropyMapMethod : std::uint8_t {
    Chosen,  // by window, levels and type
    Slide,   // a histogram in each thread slides down a column; any window, any levels
    // two levels' counts share a register field, windows are sums of neighbours; small square windows, up to
    // 16 levels
    Pairs,
    Columns,  // changes from window to window, windows slide to both sides; large windows
    Quads,    // four adjacent windows slide down, their counts share words; small square windows
};

struct EntropyMapPolicy {
    EntropyMapMethod method;
    // a multiple of 32, 32..512; fewer where histograms do not fit; up to four times as many for Columns and
    // Quads, and for Slide with single columns; up to twice as many for Pairs of a narrow image
    unsigned threads_per_block;
    unsigned rows_per_strip;      // results that a thread computes down a column; 0: by image and device
    unsigned columns_per_thread;  // of Slide: 1, or 0: by levels and shared memory
    // results of a piece, or a full row if it has at most this many; 0: by method and device
    std::uint64_t piece_pixels;

    friend constexpr bool operator==(const EntropyMapPolicy& a, const EntropyMapPolicy& b) {
        return a.method == b.method && a.threads_per_block == b.threads_per_block &&
               a.rows_per_strip == b.rows_per_strip && a.columns_per_thread == b.columns_per_thread &&
               a.piece_pixels == b.piece_pixels;
    }
};
constexpr EntropyMapPolicy kDefaultEntropyMapPolicy{EntropyMapMethod::Chosen, 128, 0, 0, 0};
using EntropyMapConfig = LaunchConfig<EntropyMapPolicy>;

struct EntropyWindow {
    unsigned rows;  // odd, 3..63
    unsigned cols;
    unsigned levels;  // 2..256
    bool mirror;      // else clip
};

// The image. It owns nothing.
struct EntropyMapImage {
    ElementType type;
    const void* x;  // pixel (r, c) at x + (r * row_stride + c) elements; aligned to the element
    std::uint64_t rows;
    std::uint64_t cols;
    std::uint64_t row_stride;  // elements
    LevelRule rule;
    float* map;               // result (r, c) at map + r * cols + c
    std::uint32_t* nan_seen;  // zero before the first launch; 1 after it if a pixel that was read is NaN
};

// F[n] as u32 and values derived from it, in device memory.
struct EntropyTables {
    const std::uint32_t* entries;      // F[n], n <= window.rows * window.cols
    const std::uint32_t* differences;  // F[n + 1] - F[n], for n < window.rows * window.cols
    float scale;                       // 2^shift
};

// Results [row_begin, row_end) x [col_begin, col_end) of the image, not empty.
struct EntropyPiece {
    std::uint64_t row_begin, row_end, col_begin, col_end;
};

// The cut of a job into pieces and strips; a pure function of its arguments.
struct EntropyMapShape {
    EntropyMapMethod method;  // never Chosen
    bool plane;               // the piece's levels are written to memory first
    unsigned threads;         // of a block
    unsigned columns;         // results of a thread in a row; Columns: of a warp
    unsigned strip_rows;
    std::uint64_t piece_rows;  // of every piece but the last
    std::uint64_t piece_cols;
    std::size_t plane_bytes;  // of the largest piece; 0: no plane
};
EntropyMapShape entropy_map_shape(const EntropyMapImage& image, const EntropyWindow& window,
                                  const EntropyMapPolicy& policy, const DeviceLimits& limits);

// What all launches of a job share.
struct EntropyMapJob {
    const EntropyMapImage& image;
    const EntropyWindow& window;
    const EntropyTables& tables;
    const EntropyMapShape& shape;
};

// One launch, or two where the shape has a plane. Computes the results of a piece from its pixels and half a
// window around it. NaN counts as level 0. `plane`: shape.plane_bytes, aligned to 16 bytes.
LaunchStatus launch_entropy_map(const EntropyMapJob& job, const EntropyPiece& piece, std::uint8_t* plane,
                                Stream stream);

// Two launches. Sets every result of the piece whose window has a NaN to the quiet NaN. `columns`:
// entropy_nan_bytes(piece), aligned to 4 bytes. Float types only.
LaunchStatus launch_entropy_nans(const EntropyMapJob& job, const EntropyPiece& piece, std::uint32_t* columns,
                                 const EntropyMapConfig& config);
std::size_t entropy_nan_bytes(const EntropyWindow& window, const EntropyPiece& piece);

}  // namespace cuda
}  // namespace tegu
