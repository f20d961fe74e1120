// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/entropy_map/entropy_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::seeds {
namespace {

constexpr std::uint32_t kLevels = 16, kRadius = 2, kLogs = 26;
constexpr std::uint32_t kBandRows = 16;                   // that a thread takes at a time
constexpr std::uint32_t kTileRows = 64, kTileCols = 512;  // of v13

template <class Real>
struct LogTable {
    std::array<Real, kLogs> logs{};
    LogTable() {
        for (std::uint32_t n = 1; n < kLogs; ++n)
            logs[n] = static_cast<Real>(std::log(static_cast<double>(n)));
    }
    double operator()(std::uint32_t n) const { return static_cast<double>(logs[n]); }
};
struct PlainLog {
    double operator()(std::uint32_t n) const { return n == 0 ? 0.0 : std::log(static_cast<double>(n)); }
};

struct Image {
    const float* x;
    std::uint32_t rows, cols;
    float* values;
};
struct Window {
    std::uint32_t top, bottom, left, right;  // half-open
    std::uint32_t pixels() const { return (bottom - top) * (right - left); }
};

Window window_around(const Image& image, std::uint32_t row, std::uint32_t col) {
    return {row < kRadius ? 0 : row - kRadius, std::min(row + kRadius + 1, image.rows),
            col < kRadius ? 0 : col - kRadius, std::min(col + kRadius + 1, image.cols)};
}

std::uint32_t level_of(float pixel) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(pixel)) % kLevels;
}

template <class Counts, class Log>
float entropy_of(const Counts& counts, std::uint32_t pixels, const Log& log_of) {
    double sum = 0;
    for (std::uint32_t level = 0; level < kLevels; ++level)
        sum += static_cast<double>(counts[level]) * log_of(counts[level]);
    return static_cast<float>(log_of(pixels) - sum / static_cast<double>(pixels));
}

template <class Count, class Log>
void count_every_window(const Image& image, kernels::ThreadPool& pool, const Log& log_of) {
    const std::uint32_t bands = (image.rows + kBandRows - 1) / kBandRows;
    pool.parallel_for(bands, [&](std::uint64_t band, unsigned) {
        const auto first = static_cast<std::uint32_t>(band) * kBandRows;
        for (std::uint32_t row = first; row < std::min(first + kBandRows, image.rows); ++row)
            for (std::uint32_t col = 0; col < image.cols; ++col) {
                const Window window = window_around(image, row, col);
                std::array<Count, kLevels> counts{};
                for (std::uint32_t y = window.top; y < window.bottom; ++y)
                    for (std::uint32_t x = window.left; x < window.right; ++x)
                        ++counts[level_of(image.x[std::uint64_t{y} * image.cols + x])];
                image.values[std::uint64_t{row} * image.cols + col] =
                    entropy_of(counts, window.pixels(), log_of);
            }
    });
}

// Per level the number of pixels above and to the left of each corner of a tile: the count of a window takes
// four of them.
class PrefixTile {
  public:
    // The results are those of [row, row + kTileRows) x [col, col + kTileCols), cut at the image.
    void compute(const Image& image, std::uint32_t row, std::uint32_t col, const LogTable<double>& log_of) {
        const std::uint32_t end_row = std::min(row + kTileRows, image.rows);
        const std::uint32_t end_col = std::min(col + kTileCols, image.cols);
        const Window first = window_around(image, row, col),
                     last = window_around(image, end_row - 1, end_col - 1);
        top_ = first.top;
        left_ = first.left;
        add_up(image, last.bottom, last.right);
        for (std::uint32_t r = row; r < end_row; ++r)
            for (std::uint32_t c = col; c < end_col; ++c) {
                const Window window = window_around(image, r, c);
                std::array<std::uint32_t, kLevels> counts;
                for (std::uint32_t level = 0; level < kLevels; ++level)
                    counts[level] =
                        sum_at(level, window.bottom, window.right) - sum_at(level, window.top, window.right) -
                        sum_at(level, window.bottom, window.left) + sum_at(level, window.top, window.left);
                image.values[std::uint64_t{r} * image.cols + c] = entropy_of(counts, window.pixels(), log_of);
            }
    }

  private:
    void add_up(const Image& image, std::uint32_t bottom, std::uint32_t right) {
        width_ = right - left_ + 1;
        plane_ = std::size_t{width_} * (bottom - top_ + 1);
        sums_.assign(kLevels * plane_, 0);
        for (std::uint32_t level = 0; level < kLevels; ++level) {
            std::uint32_t* sums = sums_.data() + level * plane_;
            for (std::uint32_t y = top_; y < bottom; ++y, sums += width_) {
                std::uint32_t of_row = 0;
                for (std::uint32_t x = left_; x < right; ++x) {
                    of_row += level_of(image.x[std::uint64_t{y} * image.cols + x]) == level;
                    sums[width_ + (x - left_) + 1] = sums[(x - left_) + 1] + of_row;
                }
            }
        }
    }
    std::uint32_t sum_at(std::uint32_t level, std::uint32_t row, std::uint32_t col) const {
        return sums_[level * plane_ + std::size_t{row - top_} * width_ + (col - left_)];
    }

    std::uint32_t top_ = 0, left_ = 0, width_ = 0;
    std::size_t plane_ = 0;
    std::vector<std::uint32_t> sums_;  // [levels, rows + 1, cols + 1] of the tile and its halo
};

void prefix_sums(const Image& image, kernels::ThreadPool& pool) {
    const LogTable<double> log_of;
    const std::uint32_t across = (image.cols + kTileCols - 1) / kTileCols;
    const std::uint32_t down = (image.rows + kTileRows - 1) / kTileRows;
    std::vector<PrefixTile> tiles(pool.threads());
    pool.parallel_for(std::uint64_t{across} * down, [&](std::uint64_t index, unsigned worker) {
        tiles[worker].compute(image, static_cast<std::uint32_t>(index / across) * kTileRows,
                              static_cast<std::uint32_t>(index % across) * kTileCols, log_of);
    });
}

}  // namespace

void window_entropy_on_cpu(CpuWindowVersion version, const float* x, std::uint32_t rows, std::uint32_t cols,
                           float* values, kernels::ThreadPool& pool) {
    const Image image{x, rows, cols, values};
    if (rows == 0 || cols == 0) return;
    switch (version) {
        case CpuWindowVersion::Plain: return count_every_window<std::uint32_t>(image, pool, PlainLog());
        case CpuWindowVersion::Table:
            return count_every_window<std::uint32_t>(image, pool, LogTable<double>());
        case CpuWindowVersion::Mixed: return count_every_window<std::uint8_t>(image, pool, LogTable<float>());
        case CpuWindowVersion::Prefix: return prefix_sums(image, pool);
    }
}

}  // namespace tegu::seeds
