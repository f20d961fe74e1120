// SPDX-License-Identifier: Apache-2.0
// Method for large windows and few levels: each pixel column keeps a histogram. A step down adds one pixel
// and removes one; a step right adds and removes one column histogram, a vector of levels at a time. F is
// then summed over all levels, so the cost does not depend on the window.
#include "kernels/entropy_map/cpu/entropy_map.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

#if defined(__AVX512BW__)
constexpr unsigned kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr unsigned kVectorBytes = 32;
#else
constexpr unsigned kVectorBytes = 16;
#endif

template <unsigned Bytes>
struct VectorOf;
template <>
struct VectorOf<8> {
    typedef std::uint64_t Type;  // no count carries into the next: none exceeds the window, none is negative
};
template <>
struct VectorOf<16> {
    typedef std::uint16_t Type __attribute__((vector_size(16)));
};
template <>
struct VectorOf<32> {
    typedef std::uint16_t Type __attribute__((vector_size(32)));
};
template <>
struct VectorOf<64> {
    typedef std::uint16_t Type __attribute__((vector_size(64)));
};

// The counts of Levels levels, in vectors that stay in registers.
template <unsigned Levels>
class Histogram {
  public:
    void enter(const std::uint16_t* column) {
        for (unsigned part = 0; part < kParts; ++part) {
            Vector counts;
            __builtin_memcpy(&counts, column + part * (Levels / kParts), sizeof counts);
            counts_[part] += counts;
        }
    }
    void leave(const std::uint16_t* column) {
        for (unsigned part = 0; part < kParts; ++part) {
            Vector counts;
            __builtin_memcpy(&counts, column + part * (Levels / kParts), sizeof counts);
            counts_[part] -= counts;
        }
    }
    // Extracts counts from words of four, because loads limit lookups.
    std::uint32_t sum(const std::uint32_t* table) const {
        std::uint64_t words[Levels / 4];
        __builtin_memcpy(words, counts_, sizeof words);
        std::uint32_t sums[4] = {};
        for (const std::uint64_t word : words) {
            sums[0] += table[word & 0xffff];
            sums[1] += table[(word >> 16) & 0xffff];
            sums[2] += table[(word >> 32) & 0xffff];
            sums[3] += table[word >> 48];
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

  private:
    static constexpr unsigned kBytes = 2 * Levels < kVectorBytes ? 2 * Levels : kVectorBytes;
    static constexpr unsigned kParts = 2 * Levels / kBytes;
    using Vector = typename VectorOf<kBytes>::Type;
    Vector counts_[kParts] = {};
};

// One pixel of each column inside the image enters (change 1) or leaves (0xffff) its column's histogram.
template <unsigned Levels>
void count_row(const EntropyTile& tile, std::uint16_t* columns, std::uint32_t row, std::uint16_t change) {
    if (row < tile.inside_row_begin || row >= tile.inside_row_end) return;
    const std::uint8_t* levels = tile.levels + row * tile.pitch;
    for (std::uint32_t col = tile.inside_col_begin; col < tile.inside_col_end; ++col) {
        std::uint16_t& count = columns[std::size_t{col} * Levels + levels[col]];
        count = static_cast<std::uint16_t>(count + change);
    }
}

template <unsigned Levels>
void sum_row(const EntropyTile& tile, const std::uint16_t* columns, std::uint32_t* sums) {
    Histogram<Levels> window;
    for (std::uint32_t col = 0; col + 1 < tile.window_cols; ++col)
        window.enter(columns + std::size_t{col} * Levels);
    const std::uint16_t* leaving = columns;
    const std::uint16_t* entering = columns + std::size_t{tile.window_cols - 1} * Levels;
    for (std::uint32_t col = 0; col < tile.cols; ++col, leaving += Levels, entering += Levels) {
        window.enter(entering);
        sums[col] = window.sum(tile.table);
        window.leave(leaving);
    }
}

template <unsigned Levels>
void run(const EntropyTile& tile, const EntropyRows& rows) {
    std::uint16_t* columns = reinterpret_cast<std::uint16_t*>(tile.scratch);
    if (rows.row_begin == 0) {
        __builtin_memset(columns, 0,
                         (std::size_t{tile.cols} + tile.window_cols - 1) * Levels * sizeof *columns);
        for (std::uint32_t row = 0; row + 1 < tile.window_rows; ++row)
            count_row<Levels>(tile, columns, row, 1);
    }
    for (std::uint32_t r = 0; r < rows.row_count; ++r) {
        const std::uint32_t row = rows.row_begin + r;
        if (row != 0) count_row<Levels>(tile, columns, row - 1, 0xffff);
        count_row<Levels>(tile, columns, row + tile.window_rows - 1, 1);
        sum_row<Levels>(tile, columns, rows.sums + r * rows.sums_pitch);
    }
}

}  // namespace

void entropy_columns(const EntropyTile& tile, const EntropyRows& rows) {
    switch (entropy_column_levels(tile.level_count)) {
        case 4: return run<4>(tile, rows);
        case 8: return run<8>(tile, rows);
        case 16: return run<16>(tile, rows);
        case 32: return run<32>(tile, rows);
        case 64: return run<64>(tile, rows);
        case 128: return run<128>(tile, rows);
        default: return run<256>(tile, rows);
    }
}

}  // namespace tegu::kernels::TEGU_ISA
