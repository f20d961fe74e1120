// SPDX-License-Identifier: Apache-2.0
// The parts of the versions of S4: tables of logarithms and inputs. A table has prepare(), which every thread
// of the block calls once, then log_of(count). An input has load(tile), which every thread calls once per
// tile, then pixel(row, col). C++14; for entropy.cu.
#pragma once

#include <cmath>

#include "tools/field/seeds/entropy_map/entropy.h"
#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

TEGU_CONSTANT_TABLE double kLogs[kWindowLogs] = {0.0,
                                                 0.0,
                                                 0.6931471805599453,
                                                 1.0986122886681098,
                                                 1.3862943611198906,
                                                 1.6094379124341003,
                                                 1.791759469228055,
                                                 1.9459101490553132,
                                                 2.0794415416798357,
                                                 2.1972245773362196,
                                                 2.302585092994046,
                                                 2.3978952727983707,
                                                 2.4849066497880004,
                                                 2.5649493574615367,
                                                 2.6390573296152584,
                                                 2.70805020110221,
                                                 2.772588722239781,
                                                 2.833213344056216,
                                                 2.8903717578961645,
                                                 2.9444389791664403,
                                                 2.995732273553991,
                                                 3.044522437723423,
                                                 3.091042453358316,
                                                 3.1354942159291497,
                                                 3.1780538303479458,
                                                 3.2188758248682006};

struct NoTable {
    TEGU_DEVICE void prepare(const WindowImage&) {}
    TEGU_DEVICE double log_of(unsigned count) const {
        return log(static_cast<double>(count < 1 ? 1 : count));
    }
};
// The author hoped for registers. Registers have no index, so the compiler places the array in local memory.
struct OwnTable {
    double logs[kWindowLogs];
    TEGU_DEVICE void prepare(const WindowImage&) {
        for (unsigned i = 0; i < kWindowLogs; ++i) logs[i] = kLogs[i];
    }
    TEGU_DEVICE double log_of(unsigned count) const { return logs[count]; }
};
template <class Real>
struct TableInShared {
    const Real* logs;
    TEGU_DEVICE void prepare(const WindowImage&) {
        TEGU_SHARED_ARRAY(Real, shared_logs, kWindowLogs);
        if (thread_index() < kWindowLogs)
            shared_logs[thread_index()] = static_cast<Real>(kLogs[thread_index()]);
        block_barrier();
        logs = shared_logs;
    }
    TEGU_DEVICE Real log_of(unsigned count) const { return logs[count]; }
};
struct TableInConstant {
    TEGU_DEVICE void prepare(const WindowImage&) {}
    TEGU_DEVICE double log_of(unsigned count) const { return kLogs[count]; }
};
struct TableInDevice {
    const double* logs;
    TEGU_DEVICE void prepare(const WindowImage& image) { logs = image.logs; }
    TEGU_DEVICE double log_of(unsigned count) const { return logs[count]; }
};
struct TableInTexture {
    TextureHandle logs;
    TEGU_DEVICE void prepare(const WindowImage& image) { logs = image.log_texture; }
    TEGU_DEVICE double log_of(unsigned count) const { return fetch_number(logs, count); }
};

// The pixels of a block: kWindowColumns columns from `col` on, block_threads() / kWindowColumns rows from
// `row` on.
struct WindowTile {
    std::uint32_t row, col;
};

struct InputInDevice {
    const float* x;
    std::uint64_t row_stride;
    TEGU_DEVICE void load(const WindowImage& image, const WindowTile&) {
        x = image.x;
        row_stride = image.row_stride;
    }
    TEGU_DEVICE float pixel(std::uint32_t row, std::uint32_t col) const { return x[row * row_stride + col]; }
};
struct InputInTexture {
    TextureHandle x;
    TEGU_DEVICE void load(const WindowImage& image, const WindowTile&) { x = image.image_texture; }
    TEGU_DEVICE float pixel(std::uint32_t row, std::uint32_t col) const { return fetch_pixel(x, row, col); }
};
// The tile with a halo of two pixels. What lies outside the image is never read back.
struct InputInShared {
    static constexpr unsigned kCols = kWindowColumns + 2 * kWindowRadius;
    static constexpr unsigned kRows = kMaxWindowThreads / kWindowColumns + 2 * kWindowRadius;
    const float* tile_pixels;
    std::int64_t first_row, first_col;
    TEGU_DEVICE void load(const WindowImage& image, const WindowTile& tile) {
        TEGU_SHARED_ARRAY(float, shared_pixels, kRows* kCols);
        first_row = std::int64_t{tile.row} - kWindowRadius;
        first_col = std::int64_t{tile.col} - kWindowRadius;
        block_barrier();  // the tile before has been read
        const unsigned count = (block_threads() / kWindowColumns + 2 * kWindowRadius) * kCols;
        for (unsigned i = thread_index(); i < count; i += block_threads()) {
            const std::int64_t row = first_row + i / kCols, col = first_col + i % kCols;
            const bool inside = row >= 0 && row < image.rows && col >= 0 && col < image.cols;
            shared_pixels[i] = inside ? image.x[static_cast<std::uint64_t>(row) * image.row_stride +
                                                static_cast<std::uint64_t>(col)]
                                      : 0.0f;
        }
        block_barrier();
        tile_pixels = shared_pixels;
    }
    TEGU_DEVICE float pixel(std::uint32_t row, std::uint32_t col) const {
        return tile_pixels[static_cast<unsigned>(row - first_row) * kCols +
                           static_cast<unsigned>(col - first_col)];
    }
};

}  // namespace
}  // namespace seeds
}  // namespace tegu
