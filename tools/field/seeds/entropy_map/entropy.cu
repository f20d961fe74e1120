// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/entropy_map/entropy.h"

#include "tools/field/seeds/entropy_map/entropy.cuh"

namespace tegu {
namespace seeds {
namespace {

// The entropy of the window around (row, col). Table and Input: see entropy.cuh.
template <class Table, class Count, class Input>
TEGU_DEVICE float entropy_of_window(const WindowImage& image, const Table& table, const Input& input,
                                    std::uint32_t row, std::uint32_t col) {
    const std::uint32_t top = row < kWindowRadius ? 0 : row - kWindowRadius;
    const std::uint32_t left = col < kWindowRadius ? 0 : col - kWindowRadius;
    const std::uint32_t bottom = image.rows - row <= kWindowRadius ? image.rows : row + kWindowRadius + 1;
    const std::uint32_t right = image.cols - col <= kWindowRadius ? image.cols : col + kWindowRadius + 1;
    Count counts[kWindowLevels];
    for (unsigned level = 0; level < kWindowLevels; ++level) counts[level] = 0;
    for (std::uint32_t y = top; y < bottom; ++y)
        for (std::uint32_t x = left; x < right; ++x) {
            const unsigned level = static_cast<unsigned>(static_cast<int>(input.pixel(y, x))) % kWindowLevels;
            counts[level] = static_cast<Count>(counts[level] + 1);
        }
    double sum = 0;
    for (unsigned level = 0; level < kWindowLevels; ++level)
        sum += static_cast<double>(counts[level]) * static_cast<double>(table.log_of(counts[level]));
    const unsigned pixels = (bottom - top) * (right - left);
    return static_cast<float>(static_cast<double>(table.log_of(pixels)) - sum / static_cast<double>(pixels));
}

// window_entropy: a thread per pixel.
// in:    image.x [rows, cols] f32               out: image.values [rows, cols] f32
// grid:  x = ceil(cols / 32), y strides over the tiles of a column of tiles
// block: threads; a tile of 32 x threads / 32 pixels
// shared: v2, v6: 208 B, v7, v8: 104 B, v9: 104 + 2880 B, static
// result valid in: image.values, after the launch
// moves: reads 4 B and writes 4 B per pixel; neighbours come from caches      order: any
// why:   The counters are indexed at run time, so they lie in local memory: 64 B per thread with 32 bits, 16
//        B with 8 bits. Sums of f64 run at 1/32 of the speed of f32 on every Jetson. tegu's own kernel keeps
//        packed counters in registers and slides
template <class Table, class Count, class Input>
TEGU_KERNEL TEGU_BOUNDS(kMaxWindowThreads) window_entropy(WindowImage image) {
    Table table;
    table.prepare(image);
    const unsigned tile_rows = block_threads() / kWindowColumns;
    const std::uint32_t col = block_x() * kWindowColumns + thread_index() % kWindowColumns;
    for (std::uint64_t first = std::uint64_t{block_y()} * tile_rows; first < image.rows;
         first += std::uint64_t{grid_y()} * tile_rows) {
        Input input;
        input.load(image, WindowTile{static_cast<std::uint32_t>(first), block_x() * kWindowColumns});
        const std::uint64_t row = first + thread_index() / kWindowColumns;
        if (row >= image.rows || col >= image.cols)
            continue;  // the next load() is reached by all threads alike
        image.values[row * image.cols + col] =
            entropy_of_window<Table, Count>(image, table, input, static_cast<std::uint32_t>(row), col);
    }
}

using WindowKernel = void (*)(WindowImage);

WindowKernel kernel_for(WindowVersion version) {
    using Word = std::uint32_t;
    using Byte = std::uint8_t;
    switch (version) {
        case WindowVersion::Plain: return window_entropy<NoTable, Word, InputInDevice>;
        case WindowVersion::RegisterTable: return window_entropy<OwnTable, Word, InputInDevice>;
        case WindowVersion::SharedTable: return window_entropy<TableInShared<double>, Word, InputInDevice>;
        case WindowVersion::ConstantTable: return window_entropy<TableInConstant, Word, InputInDevice>;
        case WindowVersion::DeviceTable: return window_entropy<TableInDevice, Word, InputInDevice>;
        case WindowVersion::TextureTable: return window_entropy<TableInTexture, Word, InputInDevice>;
        case WindowVersion::ByteCounters: return window_entropy<TableInShared<double>, Byte, InputInDevice>;
        case WindowVersion::Mixed: return window_entropy<TableInShared<float>, Byte, InputInDevice>;
        case WindowVersion::TextureInput: return window_entropy<TableInShared<float>, Byte, InputInTexture>;
        case WindowVersion::SharedInput: break;
    }
    return window_entropy<TableInShared<float>, Byte, InputInShared>;
}

constexpr const char* kVersionWords[] = {
#define TEGU_X(Name, word, title) word,
    TEGU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};

}  // namespace

double window_log(unsigned n) {
    return n == 0 ? 0.0 : std::log(static_cast<double>(n));
}

LaunchStatus launch_window_entropy(WindowVersion version, const WindowImage& image, unsigned threads,
                                   Stream stream) {
    if (image.rows == 0 || image.cols == 0) return 0;
    const std::uint64_t tile_rows = threads / kWindowColumns;
    const std::uint64_t tiles = (image.rows + tile_rows - 1) / tile_rows;
    const LaunchShape shape{(image.cols - 1) / kWindowColumns + 1,
                            static_cast<unsigned>(tiles < 65535 ? tiles : 65535), threads, 0};
    return launch_seed(kernel_for(version), shape, stream, image);
}
KernelEntry window_entropy_kernel(WindowVersion version, unsigned threads) {
    return kernel_entry("window_entropy", {kVersionWords[static_cast<unsigned>(version)]},
                        kernel_for(version), threads, 0, "reads 4 B and writes 4 B per pixel");
}

}  // namespace seeds
}  // namespace tegu
