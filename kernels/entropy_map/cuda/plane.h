// SPDX-License-Identifier: Apache-2.0
// The levels of a piece of an image and of the pixels around it, one byte each, mirrored if the border is.
// Methods that read each pixel many times use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/entropy_map/cuda/entropy_map.h"

namespace tegu {
namespace cuda {

struct EntropyPlane {
    std::uint8_t* levels;
    std::uint32_t pitch;  // bytes, a multiple of 16
    std::uint32_t rows, cols;
    std::int64_t top, left;                                // row and column of the image at (0, 0)
    std::uint32_t row_begin, row_end, col_begin, col_end;  // the part that is inside the image or mirrored
};

// Columns before the first result: half a window or slightly more, so that results begin at whole words.
constexpr unsigned plane_left(const EntropyWindow& window) {
    return (window.cols / 2 + 3) / 4 * 4;
}
constexpr std::uint64_t plane_pitch(std::uint64_t cols, const EntropyWindow& window) {
    return (plane_left(window) + cols + window.cols / 2 + 15) / 16 * 16;
}

// `levels`: plane_pitch() * (rows of the piece + window.rows - 1) bytes.
EntropyPlane entropy_plane(const EntropyMapImage& image, const EntropyWindow& window,
                           const EntropyPiece& piece, std::uint8_t* levels);

// The parameters of a kernel that computes the results of a piece from its plane.
struct PlaneArrays {
    EntropyPlane plane;
    EntropyWindow window;
    EntropyTables tables;
    std::uint32_t first_col;   // column in the plane of the first result's window
    std::uint32_t rows, cols;  // results
    std::uint32_t strip_rows;
    float* map;  // of the piece's first result
    std::uint64_t map_cols;
};
PlaneArrays plane_arrays(const EntropyMapJob& job, const EntropyPiece& piece, const EntropyPlane& plane);

// One launch that fills the plane.
LaunchStatus launch_entropy_plane(const EntropyMapImage& image, const EntropyPlane& plane, bool mirror,
                                  Stream stream);

}  // namespace cuda
}  // namespace tegu
