// SPDX-License-Identifier: Apache-2.0
// Counts are stored multiplied by 4, so they are byte offsets in the table of F. A column's counts, up to
// 252, are bytes. A window's counts are fields of 16 bits, two in a word.
#include "kernels/entropy_map/cuda/columns.h"

#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kLaneLevels = 8;
constexpr unsigned kUnit = 4;  // added to a count for each pixel

struct ColumnsArrays : PlaneArrays {
    unsigned lanes;
    unsigned stretch;
};

// The counts of eight levels: 0 and 2, 1 and 3, 4 and 6, 5 and 7.
using LaneCounts = Pack<std::uint32_t, 4>;

// Index and value of a pixel in the words of a window's lanes.
TEGU_DEVICE unsigned window_word(unsigned level) {
    return level / kLaneLevels * 4 + (level / 4 & 1u) * 2 + (level & 1u);
}
TEGU_DEVICE std::uint32_t window_unit(unsigned level) {
    return kUnit << (16 * (level / 2 & 1u));
}

// The histograms of the columns of a block. Each is rotated by its column, so that pixels of one level in
// adjacent columns are in different banks.
struct ColumnCounts {
    unsigned char* bytes;
    unsigned levels;  // slots of a column, a power of two

    TEGU_DEVICE unsigned char* at(unsigned column, unsigned level) const {
        return bytes + column * levels + ((level + kLaneLevels * column) & (levels - 1));
    }
    TEGU_DEVICE Pack<std::uint32_t, 2> of_lane(unsigned column, unsigned lane) const {
        return *reinterpret_cast<const Pack<std::uint32_t, 2>*>(at(column, kLaneLevels * lane));
    }
};

// Moves a window to the right: adds column `come`, removes column `gone`.
TEGU_DEVICE void follow(LaneCounts* window, const Pack<std::uint32_t, 2>& come,
                        const Pack<std::uint32_t, 2>& gone) {
    TEGU_UNROLL
    for (unsigned w = 0; w < 2; ++w) {
        window->at[2 * w] += permute_bytes(come.at[w], 0, 0x4240) - permute_bytes(gone.at[w], 0, 0x4240);
        window->at[2 * w + 1] += permute_bytes(come.at[w], 0, 0x4341) - permute_bytes(gone.at[w], 0, 0x4341);
    }
}
// The sum of F over a lane's levels.
TEGU_DEVICE std::uint32_t look_up(const unsigned char* table, const LaneCounts& window) {
    std::uint32_t sum = 0;
    TEGU_UNROLL
    for (unsigned w = 0; w < 4; ++w)
        sum += *reinterpret_cast<const std::uint32_t*>(table + (window.at[w] & 0xffffu)) +
               *reinterpret_cast<const std::uint32_t*>(table + (window.at[w] >> 16));
    return sum;
}

// Sums eight values of each lane over a group's lanes. A lane gets the sum of value i, where i is its lowest
// three index bits reversed.
TEGU_DEVICE std::uint32_t group_sums(const std::uint32_t (&value)[kColumnsStep], unsigned lanes) {
    std::uint32_t four[4], two[2];
    const unsigned lane = lane_index();
    TEGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
        const bool upper = (lane & 1u) != 0;
        four[i] = (upper ? value[i + 4] : value[i]) + shuffle_xor(upper ? value[i] : value[i + 4], 1);
    }
    TEGU_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
        const bool upper = (lane & 2u) != 0;
        two[i] = (upper ? four[i + 2] : four[i]) + shuffle_xor(upper ? four[i] : four[i + 2], 2);
    }
    const bool upper = (lane & 4u) != 0;
    std::uint32_t sum = (upper ? two[1] : two[0]) + shuffle_xor(upper ? two[0] : two[1], 4);
    for (unsigned mask = kColumnsStep; mask < lanes; mask *= 2) sum += shuffle_xor(sum, mask);
    return sum;
}
TEGU_DEVICE unsigned value_of_lane(unsigned lane) {
    return (lane & 1u) * 4 + (lane & 2u) + (lane >> 2 & 1u);
}

// The work of a block of threads, and of a group of its lanes.
class Strip {
  public:
    TEGU_DEVICE Strip(const ColumnsArrays& arrays, unsigned char* shared)
        : arrays_(arrays),
          lane_(lane_index() % arrays.lanes),
          group_(thread_index() / arrays.lanes),
          groups_(block_threads() / arrays.lanes) {
        const unsigned window = arrays.window.rows * arrays.window.cols;
        table_ = shared;
        std::uint32_t* const starts = reinterpret_cast<std::uint32_t*>(shared + (window + 4) / 4 * 16);
        start_ = starts + group_ * 4 * arrays.lanes;
        counts_.bytes = reinterpret_cast<unsigned char*>(starts + groups_ * 4 * arrays.lanes);
        counts_.levels = kLaneLevels * arrays.lanes;
        first_ = block_x() * groups_ * arrays.stretch;
        for (unsigned n = thread_index(); n <= window; n += block_threads())
            reinterpret_cast<std::uint32_t*>(table_)[n] = arrays.tables.entries[n];
        std::uint32_t* const end =
            reinterpret_cast<std::uint32_t*>(counts_.bytes + columns() * counts_.levels);
        for (std::uint32_t* word = starts + thread_index(); word < end; word += block_threads()) *word = 0;
    }

    // Adds a row of pixels and removes one; null: none. Barriers before and after.
    TEGU_DEVICE void change_rows(const std::uint8_t* come, const std::uint8_t* gone) {
        const unsigned last = columns() - 1;
        for (unsigned column = thread_index(); column < last; column += block_threads()) {
            const std::uint32_t at = arrays_.first_col + first_ + column;
            if (!is_there(at) || (come != nullptr && gone != nullptr && come[at] == gone[at])) continue;
            if (gone != nullptr)
                *counts_.at(column, gone[at]) =
                    static_cast<unsigned char>(*counts_.at(column, gone[at]) - kUnit);
            if (come != nullptr)
                *counts_.at(column, come[at]) =
                    static_cast<unsigned char>(*counts_.at(column, come[at]) + kUnit);
        }
        for (unsigned i = lane_; i < arrays_.window.cols; i += arrays_.lanes) {
            const std::uint32_t at = arrays_.first_col + first_ + group_ * arrays_.stretch + i;
            if (!is_there(at) || (come != nullptr && gone != nullptr && come[at] == gone[at])) continue;
            if (gone != nullptr) atomic_add(start_ + window_word(gone[at]), 0 - window_unit(gone[at]));
            if (come != nullptr) atomic_add(start_ + window_word(come[at]), window_unit(come[at]));
        }
    }

    // Computes the group's results of a row; its windows are `down` rows high.
    TEGU_DEVICE void find_row(std::uint32_t row, unsigned down) {
        LaneCounts window = reinterpret_cast<const LaneCounts*>(start_)[lane_];
        unsigned column = group_ * arrays_.stretch;
        float* const results = arrays_.map + row * arrays_.map_cols;
        for (unsigned step = 0; step < arrays_.stretch; step += kColumnsStep) {
            std::uint32_t sums[kColumnsStep];
            TEGU_UNROLL
            for (unsigned i = 0; i < kColumnsStep; ++i) {
                sums[i] = look_up(table_, window);
                follow(&window, counts_.of_lane(column + i + arrays_.window.cols, lane_),
                       counts_.of_lane(column + i, lane_));
            }
            const std::uint32_t sum = group_sums(sums, arrays_.lanes);
            const std::uint32_t col = first_ + column + value_of_lane(lane_);
            column += kColumnsStep;
            if (lane_ >= kColumnsStep || col >= arrays_.cols) continue;
            const unsigned pixels = down * across(col);
            if (pixels != pixels_) {
                pixels_ = pixels;
                finish_.set(arrays_.tables, pixels);
            }
            results[col] = finish_.of(sum);
        }
    }

  private:
    // Columns of the block: one more than its windows touch, which is read but not used.
    TEGU_DEVICE unsigned columns() const { return groups_ * arrays_.stretch + arrays_.window.cols; }
    TEGU_DEVICE bool is_there(std::uint32_t col) const {
        return col >= arrays_.plane.col_begin && col < arrays_.plane.col_end;
    }
    TEGU_DEVICE unsigned across(std::uint32_t col) const {
        const std::uint32_t begin = arrays_.first_col + col, end = begin + arrays_.window.cols;
        return (end < arrays_.plane.col_end ? end : arrays_.plane.col_end) -
               (begin > arrays_.plane.col_begin ? begin : arrays_.plane.col_begin);
    }

    const ColumnsArrays& arrays_;
    unsigned lane_, group_, groups_;
    unsigned char* table_;
    std::uint32_t* start_;  // the first window of the group's stretch
    ColumnCounts counts_;
    std::uint32_t first_;  // the block's first result
    EntropyFinish finish_{};
    unsigned pixels_ = 0;
};

// entropy_map_columns: windows that slide to the right, one for each group of lanes.
// in:    plane, tables                          out: map of the piece
// grid:  x = columns / (stretch * groups of a block), y = strips            block: shape.threads, up to 512
// shared: F [n_max + 1] u32; a window a group, 16 bits a level; a byte for each level and column
// result valid in: map, after the launch
// moves: reads the plane from the caches four times, writes 4 B a result      order: any
// why:   a step costs each lane two words of columns and eight lookups, for any window size
TEGU_KERNEL TEGU_BOUNDS(kColumnsThreads) entropy_map_columns(ColumnsArrays arrays) {
    TEGU_DYNAMIC_SHARED(shared);
    Strip strip(arrays, shared);
    block_barrier();
    const EntropyPlane& plane = arrays.plane;
    const unsigned window_rows = arrays.window.rows;
    const auto row_at = [&](std::uint32_t row) { return plane.levels + std::size_t{row} * plane.pitch; };
    const std::uint32_t begin = block_y() * arrays.strip_rows;
    const std::uint32_t end =
        begin + arrays.strip_rows < arrays.rows ? begin + arrays.strip_rows : arrays.rows;
    // rows [top, bottom) of the plane are in the windows
    std::uint32_t top = begin > plane.row_begin ? begin : plane.row_begin;
    std::uint32_t bottom = begin + window_rows < plane.row_end ? begin + window_rows : plane.row_end;
    for (std::uint32_t row = top; row < bottom; ++row) strip.change_rows(row_at(row), nullptr);
    for (std::uint32_t row = begin; row < end; ++row) {
        block_barrier();
        strip.find_row(row, bottom - top);
        block_barrier();
        const bool leaves = row >= plane.row_begin, enters = row + window_rows < plane.row_end;
        if (row + 1 < end)
            strip.change_rows(enters ? row_at(row + window_rows) : nullptr, leaves ? row_at(row) : nullptr);
        top += leaves ? 1 : 0;
        bottom += enters ? 1 : 0;
    }
}

constexpr KernelTable<void (*)(ColumnsArrays), 1> kEntropyMapColumns = {
    "entropy_map_columns",
    "reads 2 levels of 1 B and writes 4 B a pixel; 31 x 31 pixels, 256 levels",
    {{entropy_map_columns}}};

}  // namespace

unsigned entropy_columns_lanes(const EntropyWindow& window) {
    return window.levels <= 8 * kLaneLevels ? 8 : window.levels <= 16 * kLaneLevels ? 16 : 32;
}

std::size_t entropy_columns_bytes(const EntropyWindow& window, unsigned stretch, unsigned threads) {
    const std::size_t lanes = entropy_columns_lanes(window), groups = threads / lanes,
                      table = (window.rows * window.cols + 4) / 4 * 16;
    return table + groups * 16 * lanes + (groups * stretch + window.cols) * kLaneLevels * lanes;
}

unsigned entropy_columns_stretch(const EntropyWindow& window, unsigned threads, const DeviceLimits& limits) {
    const std::size_t min = entropy_columns_bytes(window, kColumnsStep, threads);
    if (min > limits.shared_bytes_per_block) return 0;
    const std::size_t step = entropy_columns_bytes(window, 2 * kColumnsStep, threads) - min;
    return static_cast<unsigned>(1 + (limits.shared_bytes_per_block - min) / step) * kColumnsStep;
}

LaunchStatus launch_entropy_columns(const EntropyMapJob& job, const EntropyPiece& piece,
                                    const EntropyPlane& plane, Stream stream) {
    ColumnsArrays arrays;
    static_cast<PlaneArrays&>(arrays) = plane_arrays(job, piece, plane);
    arrays.lanes = entropy_columns_lanes(job.window);
    arrays.stretch = job.shape.columns;
    const std::uint32_t block = job.shape.threads / arrays.lanes * job.shape.columns;
    const LaunchShape grid{(arrays.cols + block - 1) / block,
                           (arrays.rows + arrays.strip_rows - 1) / arrays.strip_rows, job.shape.threads,
                           entropy_columns_bytes(job.window, job.shape.columns, job.shape.threads)};
    return launch(kEntropyMapColumns[0], grid, stream, arrays);
}

void list_entropy_map_columns_kernels(KernelLister& to) {
    const EntropyWindow window{31, 31, 256, false};
    const unsigned threads = 4 * kDefaultEntropyMapPolicy.threads_per_block;
    const unsigned stretch = entropy_columns_stretch(window, threads, to.limits());
    to.add(1,
           listed(kEntropyMapColumns, BlockSize{threads, entropy_columns_bytes(window, stretch, threads)}));
}

}  // namespace cuda
}  // namespace tegu
