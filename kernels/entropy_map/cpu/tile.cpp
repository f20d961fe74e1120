// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy_map/cpu/tile.h"

#include <algorithm>
#include <cstring>

#include "kernels/counting/cpu/levels.h"
#include "kernels/entropy_map/cpu/methods.h"
#include "kernels/execution/cpu/work.h"

namespace tegu::kernels {
namespace {

constexpr std::uint32_t kQuietNan = 0x7fc00000u;

// The source index for `index` when an image of n pixels is mirrored at its edges repeatedly.
std::int64_t mirror(std::int64_t index, std::int64_t n) {
    if (index >= 0 && index < n) return index;
    std::int64_t wrapped = index % (2 * n);
    if (wrapped < 0) wrapped += 2 * n;
    return wrapped < n ? wrapped : 2 * n - 1 - wrapped;
}

bool is_nan(Half half) {
    return (half.bits & 0x7fffu) > 0x7c00u;
}
template <class T>
bool is_nan(T value) {
    return value != value;
}

bool pixel_is_nan(ElementType type, const std::byte* pixel) {
    return visit_element_type(type, [pixel](auto value) {
        std::memcpy(&value, pixel, sizeof value);
        return is_nan(value);
    });
}

// The tile in progress: its position in the image, and its part of the scratch.
class Tile {
  public:
    Tile(const EntropyImage& image, const EntropyLayout& layout, std::uint64_t index, std::byte* scratch);

    bool run();

  private:
    void fill_levels();
    void fill_row(std::uint32_t row, std::int64_t source_row);
    void mark_nans(std::uint32_t row, const std::byte* source, std::int64_t first_col, std::int64_t end_col);
    void count_whole(std::uint32_t row);
    void write_row(std::uint32_t row, const std::uint32_t* sums);
    void write_nans(std::uint32_t row, float* out) const;

    std::int64_t image_rows() const { return static_cast<std::int64_t>(image_.job->rows); }
    std::int64_t image_cols() const { return static_cast<std::int64_t>(image_.job->cols); }
    bool is_mirror() const { return image_.params->border == Border::Mirror; }
    std::uint32_t padded_rows() const { return tile_.rows + tile_.window_rows - 1; }
    std::uint32_t padded_cols() const { return tile_.cols + tile_.window_cols - 1; }

    const EntropyImage& image_;
    const EntropyLayout& layout_;
    EntropyTile tile_;
    std::int64_t first_row_ = 0;  // of the image, of the tile's results
    std::int64_t first_col_ = 0;
    std::uint8_t* levels_;
    std::uint32_t* sums_;
    std::uint32_t* whole_;          // F[N] of each column's window, in the current row
    float* divisor_;                // N * 2^shift
    std::uint32_t whole_rows_ = 0;  // rows of the windows that whole_ and divisor_ are for; 0: none yet
    std::uint8_t* nan_rows_;        // 1 for the padded rows that hold a NaN
    std::uint64_t* nan_bits_;       // one bit per result: its window's columns hold a NaN of that padded row
    bool any_nan_ = false;
};

Tile::Tile(const EntropyImage& image, const EntropyLayout& layout, std::uint64_t index, std::byte* scratch)
    : image_(image),
      layout_(layout),
      levels_(reinterpret_cast<std::uint8_t*>(scratch + layout.levels_at)),
      sums_(reinterpret_cast<std::uint32_t*>(scratch + layout.sums_at)),
      whole_(reinterpret_cast<std::uint32_t*>(scratch + layout.whole_at)),
      divisor_(reinterpret_cast<float*>(scratch + layout.divisor_at)),
      nan_rows_(reinterpret_cast<std::uint8_t*>(scratch + layout.nan_rows_at)),
      nan_bits_(reinterpret_cast<std::uint64_t*>(scratch + layout.nan_bits_at)) {
    const std::uint64_t row = index / layout.tiles_across * layout.tile_rows;
    const std::uint64_t col = index % layout.tiles_across * layout.tile_cols;
    first_row_ = static_cast<std::int64_t>(row);
    first_col_ = static_cast<std::int64_t>(col);
    tile_.levels = levels_;
    tile_.pitch = layout.pitch;
    tile_.rows = static_cast<std::uint32_t>(std::min(layout.tile_rows, image.job->rows - row));
    tile_.cols = static_cast<std::uint32_t>(std::min(layout.tile_cols, image.job->cols - col));
    tile_.window_rows = image.params->window_rows;
    tile_.window_cols = image.params->window_cols;
    tile_.level_count = image.params->levels;
    tile_.table = image.table;
    tile_.differences = image.differences;
    tile_.scratch = scratch + layout.method_at;
    tile_.inside_row_end = padded_rows();
    tile_.inside_col_end = padded_cols();
    if (is_mirror()) return;
    const std::int64_t top = first_row_ - tile_.window_rows / 2, left = first_col_ - tile_.window_cols / 2;
    tile_.inside_row_begin = static_cast<std::uint32_t>(std::max<std::int64_t>(0, -top));
    tile_.inside_col_begin = static_cast<std::uint32_t>(std::max<std::int64_t>(0, -left));
    tile_.inside_row_end =
        static_cast<std::uint32_t>(std::min<std::int64_t>(padded_rows(), image_rows() - top));
    tile_.inside_col_end =
        static_cast<std::uint32_t>(std::min<std::int64_t>(padded_cols(), image_cols() - left));
}

void Tile::fill_levels() {
    for (std::uint32_t row = 0; row < padded_rows(); ++row) {
        const std::int64_t image_row = first_row_ - tile_.window_rows / 2 + row;
        if (layout_.nan_words != 0) nan_rows_[row] = 0;
        if (is_mirror() || (image_row >= 0 && image_row < image_rows()))
            fill_row(row, mirror(image_row, image_rows()));
        else
            std::memset(levels_ + row * layout_.pitch, kOutsideLevel, layout_.pitch);
    }
}

void Tile::fill_row(std::uint32_t row, std::int64_t source_row) {
    const std::int64_t left = first_col_ - tile_.window_cols / 2;  // image column of padded column 0
    const std::int64_t begin = std::max<std::int64_t>(0, left);
    const std::int64_t end = std::min<std::int64_t>(image_cols(), left + padded_cols());
    const std::uint64_t element =
        static_cast<std::uint64_t>(source_row) * image_.input.row_stride + static_cast<std::uint64_t>(begin);
    const std::byte* source = image_.input.data + element * element_bytes(image_.job->type);
    std::uint8_t* out = levels_ + row * layout_.pitch;

    std::uint8_t* inside = out + (begin - left);
    const bool has_nan = quantise_u8(image_.job->type)(source, static_cast<std::size_t>(end - begin),
                                                       image_.scale, inside) != 0;
    for (std::int64_t col = left; col < begin; ++col)
        out[col - left] = is_mirror() ? inside[mirror(col, image_cols()) - begin] : kOutsideLevel;
    for (std::int64_t col = end; col < left + padded_cols(); ++col)
        out[col - left] = is_mirror() ? inside[mirror(col, image_cols()) - begin] : kOutsideLevel;
    std::memset(out + padded_cols(), kOutsideLevel, layout_.pitch - padded_cols());
    if (has_nan) mark_nans(row, source, begin, end);
}

// Sets the NaN bit of each result in the tile whose window columns hold a NaN of this row. Reads the row a
// second time; only rows with NaN pay for that.
void Tile::mark_nans(std::uint32_t row, const std::byte* source, std::int64_t begin, std::int64_t end) {
    const std::size_t bytes = element_bytes(image_.job->type);
    std::uint64_t* bits = nan_bits_ + row * layout_.nan_words;
    std::memset(bits, 0, layout_.nan_words * sizeof *bits);
    const std::int64_t left = first_col_ - tile_.window_cols / 2;
    std::int64_t last = -1;  // the nearest padded column with a NaN, at or before this one
    for (std::int64_t padded_col = 0; padded_col < padded_cols(); ++padded_col) {
        const std::int64_t col = is_mirror() ? mirror(left + padded_col, image_cols()) : left + padded_col;
        if (col >= begin && col < end &&
            pixel_is_nan(image_.job->type, source + static_cast<std::size_t>(col - begin) * bytes))
            last = padded_col;
        const std::int64_t result = padded_col - tile_.window_cols + 1;  // its window ends here
        if (result >= 0 && last >= result) bits[result / 64] |= std::uint64_t{1} << (result % 64);
    }
    nan_rows_[row] = 1;
    any_nan_ = true;
}

// F[N] and N * 2^shift for the windows of this row. They change only where the border clips windows.
void Tile::count_whole(std::uint32_t row) {
    const std::uint32_t rows =
        std::min(row + tile_.window_rows, tile_.inside_row_end) - std::max(row, tile_.inside_row_begin);
    if (rows == whole_rows_) return;
    whole_rows_ = rows;
    const float scale = static_cast<float>(std::uint32_t{1} << image_.shift);
    for (std::uint32_t col = 0; col < tile_.cols; ++col) {
        const std::uint32_t cols =
            std::min(col + tile_.window_cols, tile_.inside_col_end) - std::max(col, tile_.inside_col_begin);
        whole_[col] = image_.table[std::size_t{rows} * cols];
        divisor_[col] = static_cast<float>(rows * cols) * scale;  // exact: 12 bits and a power of two
    }
}

void Tile::write_row(std::uint32_t row, const std::uint32_t* sums) {
    count_whole(row);
    const std::uint64_t map_row = static_cast<std::uint64_t>(first_row_) + row;
    float* out = image_.map + map_row * image_.job->cols + first_col_;
    TEGU_ISA_SELECT(entropy_finish)(sums, whole_, divisor_, tile_.cols, out);
    if (any_nan_) write_nans(row, out);
}

void Tile::write_nans(std::uint32_t row, float* out) const {
    for (std::size_t word = 0; word < layout_.nan_words; ++word) {
        std::uint64_t bits = 0;
        for (std::uint32_t padded = row; padded < row + tile_.window_rows; ++padded)
            if (nan_rows_[padded] != 0) bits |= nan_bits_[padded * layout_.nan_words + word];
        for (; bits != 0; bits &= bits - 1)
            std::memcpy(out + word * 64 + static_cast<unsigned>(__builtin_ctzll(bits)), &kQuietNan,
                        sizeof kQuietNan);
    }
}

bool Tile::run() {
    fill_levels();
    const auto compute = entropy_method(image_.policy.method).compute;
    for (std::uint32_t row = 0; row < tile_.rows; row += kEntropyRowsPerCall) {
        if (image_.stop->stop_requested()) return false;
        EntropyRows rows;
        rows.row_begin = row;
        rows.row_count = std::min(kEntropyRowsPerCall, tile_.rows - row);
        rows.sums = sums_;
        rows.sums_pitch = layout_.sums_pitch;
        compute(tile_, rows);
        for (std::uint32_t r = 0; r < rows.row_count; ++r) write_row(row + r, sums_ + r * layout_.sums_pitch);
    }
    return true;
}

}  // namespace

EntropyLayout entropy_layout(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy) {
    EntropyLayout layout;
    const EntropyMethodRow& method = entropy_method(policy.method);
    const std::uint64_t strip = std::min(policy.tile_cols, method.max_tile_cols);
    layout.tiles_down = (job.rows + policy.tile_rows - 1) / policy.tile_rows;
    layout.tiles_across = (job.cols + strip - 1) / strip;
    layout.tile_rows = std::min<std::uint64_t>(policy.tile_rows, job.rows);
    // Strips of equal width avoid a narrow remainder at the right.
    layout.tile_cols = std::min<std::uint64_t>(
        round_up((job.cols + layout.tiles_across - 1) / layout.tiles_across, 64), job.cols);
    layout.tiles_across = (job.cols + layout.tile_cols - 1) / layout.tile_cols;

    const std::size_t counts = std::size_t{params.window_rows} * params.window_cols + 1;
    layout.table_bytes = 2 * round_up(counts * sizeof(std::uint32_t), 512);
    const std::size_t padded_rows = layout.tile_rows + params.window_rows - 1;
    const std::size_t padded_cols = layout.tile_cols + params.window_cols - 1;
    // An odd number of cache lines puts the pixels of a column into different cache sets.
    layout.pitch = round_up(padded_cols + kEntropyRowSlack, 64) | 64;
    layout.sums_pitch = round_up(layout.tile_cols, 64);
    layout.nan_words = is_float(job.type) ? (layout.tile_cols + 63) / 64 : 0;

    std::size_t at = 0;
    const auto reserve = [&at](std::size_t bytes) {
        const std::size_t here = at;
        at += round_up(bytes, 64);
        return here;
    };
    layout.levels_at = reserve(padded_rows * layout.pitch);
    layout.sums_at = reserve(kEntropyRowsPerCall * layout.sums_pitch * sizeof(std::uint32_t));
    layout.whole_at = reserve(layout.sums_pitch * sizeof(std::uint32_t));
    layout.divisor_at = reserve(layout.sums_pitch * sizeof(float));
    layout.nan_rows_at = reserve(layout.nan_words == 0 ? 0 : padded_rows);
    layout.nan_bits_at = reserve(padded_rows * layout.nan_words * sizeof(std::uint64_t));
    layout.method_at = reserve(method.scratch_bytes(params.levels, layout.pitch));
    layout.worker_bytes = at;
    return layout;
}

bool run_entropy_tile(const EntropyImage& image, const EntropyLayout& layout, std::uint64_t index,
                      std::byte* scratch) {
    return Tile(image, layout, index, scratch).run();
}

}  // namespace tegu::kernels
