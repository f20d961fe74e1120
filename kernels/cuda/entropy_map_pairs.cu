// SPDX-License-Identifier: Apache-2.0
// Counts stay in registers, in fields of two levels each (entropy_map_pairs.h): a column's counts follow down the image by the pixel that enters and the one that leaves,
// a window's counts are the sum of neighbouring columns, and a field of them is an address in the table. What a pixel does to the counts fits a byte,
// its code: the place of its field in bits 0..6, whether it is the upper level of the two in bit 7. Code 127 shifts everything out of every word: no pixel.
#include "kernels/cuda/entropy_map_pairs.h"

#include "kernels/cuda/entropy_map.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kMaxPairLevels = 16;
constexpr unsigned kPairs = kMaxPairLevels / 2;
constexpr std::uint32_t kNoPixels = 0x7f7f7f7f;  // four codes
constexpr unsigned kWarpResults = (kWarpLanes - 2) * kPairsColumns;  // the outer lanes only serve their neighbours

// Fields of a window of W x W pixels. Values are multiplied by 4: they are offsets into a table of words.
template <unsigned W>
struct Fields {
    static constexpr unsigned kPixels = W * W;
    static constexpr unsigned kFactor = pair_factor(kPixels);
    static constexpr unsigned kPerWord = kFactor * kPixels < 1024 ? 3 : 2;
    static constexpr unsigned kWords = (kPairs + kPerWord - 1) / kPerWord;
    static constexpr unsigned kTable = kFactor * kPixels + 1;
    static_assert(kPerWord == 3 || 4 * kFactor * kPixels < 65536, "two fields of 16 bits");

    TEGU_DEVICE static std::uint32_t code(std::uint32_t level) {
        // Fields at 0, 10, 20 of each word, or at 0 and 16.
        const std::uint32_t place = kPerWord == 3 ? permute_bytes(0x20140a00u, 0x4a40342au, level >> 1) : level << 3 & 0x70u;
        return place | (level << 7 & 0x80u);
    }
    // What the pixel of a code adds to each word.
    TEGU_DEVICE static void expand(std::uint32_t code, std::uint32_t (&words)[kWords]) {
        const std::uint32_t unit = (code >> 7) * (4 * (kFactor - 1)) + 4, place = code & 0x7fu;
        TEGU_UNROLL
        for (unsigned w = 0; w < kWords; ++w) words[w] = shift_left_clamped(unit, place - 32 * w);
    }
    // The sum of F over all levels.
    TEGU_DEVICE static std::uint32_t look_up(const unsigned char* table, const std::uint32_t (&words)[kWords]) {
        std::uint32_t sum = 0;
        TEGU_UNROLL
        for (unsigned pair = 0; pair < kPairs; ++pair) {
            const std::uint32_t word = words[pair / kPerWord];
            const unsigned slot = pair % kPerWord;
            const std::uint32_t offset = kPerWord == 3 ? word >> (10 * slot) & 0xffcu : slot == 0 ? word & 0xffffu : word >> 16;
            sum += *reinterpret_cast<const std::uint32_t*>(table + offset);
        }
        return sum;
    }
    // F[a] + F[b] at place a + kFactor * b.
    TEGU_DEVICE static void fill(std::uint32_t* table, const std::uint32_t* entries) {
        for (unsigned b = warp_index(); b <= kPixels; b += block_warps())
            for (unsigned a = lane_index(); a < kFactor && a + kFactor * b < kTable; a += kWarpLanes)
                table[a + kFactor * b] = a + b <= kPixels ? entries[a] + entries[b] : 0;
    }
};

// Of one word: the sums over the W columns around each of a thread's four, from its own and those of the lanes beside it.
template <unsigned W>
struct Around;
template <>
struct Around<3> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3];
        out[0] = shuffle_up(c[3], 1) + left;
        out[1] = left + c[2];
        out[2] = c[1] + right;
        out[3] = right + shuffle_down(c[0], 1);
    }
};
template <>
struct Around<5> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        out[0] = shuffle_up(right, 1) + left + c[2];
        out[1] = shuffle_up(c[3], 1) + all;
        out[2] = all + shuffle_down(c[0], 1);
        out[3] = c[1] + right + shuffle_down(left, 1);
    }
};
template <>
struct Around<7> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        const std::uint32_t before = shuffle_up(c[3], 1), after = shuffle_down(c[0], 1);
        out[0] = shuffle_up(c[1] + right, 1) + all;
        out[1] = shuffle_up(right, 1) + all + after;
        out[2] = before + all + shuffle_down(left, 1);
        out[3] = all + shuffle_down(left + c[2], 1);
    }
};
template <>
struct Around<9> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        out[0] = shuffle_up(all, 1) + all + shuffle_down(c[0], 1);
        out[1] = shuffle_up(c[1] + right, 1) + all + shuffle_down(left, 1);
        out[2] = shuffle_up(right, 1) + all + shuffle_down(left + c[2], 1);
        out[3] = shuffle_up(c[3], 1) + all + shuffle_down(all, 1);
    }
};

// The four columns of a thread in the source, and how a row of them is read.
template <class T>
struct Source {
    std::int64_t col;       // the first
    std::uint32_t outside;  // kNoPixels for those that are not there
    bool whole;             // all four are there and lie in an aligned pack

    TEGU_DEVICE void set(const PairsArrays& arrays, std::int64_t first, bool aligned) {
        col = first;
        whole = aligned && col >= arrays.col_begin && col + kPairsColumns <= arrays.col_end;
        outside = 0;
        if (whole || arrays.mirror) return;
        for (unsigned j = 0; j < kPairsColumns; ++j)
            if (col + j < arrays.col_begin || col + j >= arrays.col_end) outside |= 0x7fu << (8 * j);
    }
    // REQUIRES: the row is there.
    TEGU_DEVICE Pack<T, kPairsColumns> load(const PairsArrays& arrays, std::int64_t row) const {
        const T* const pixels = static_cast<const T*>(arrays.x) + static_cast<std::uint64_t>(row) * arrays.row_stride;
        if (whole) return *reinterpret_cast<const Pack<T, kPairsColumns>*>(pixels + col);
        Pack<T, kPairsColumns> pack;
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const std::int64_t place = arrays.mirror ? arrays.col_begin + mirrored(col + j - arrays.col_begin, arrays.col_end - arrays.col_begin) : col + j;
            pack.at[j] = (outside >> (8 * j) & 0x7fu) == 0 ? pixels[place] : T(0);
        }
        return pack;
    }
};

// The row of the source that stands at `row`; false if none does.
TEGU_DEVICE bool find_row(const PairsArrays& arrays, std::int64_t* row) {
    if (*row >= arrays.row_begin && *row < arrays.row_end) return true;
    if (!arrays.mirror) return false;
    *row = arrays.row_begin + mirrored(*row - arrays.row_begin, arrays.row_end - arrays.row_begin);
    return true;
}

// Pixels of the window whose first is `begin` in one direction.
TEGU_DEVICE unsigned extent_of(bool mirror, std::int64_t begin, unsigned window, std::int64_t inside_begin, std::int64_t inside_end) {
    return mirror ? window : inside_count(begin - inside_begin, window, inside_end - inside_begin);
}

// entropy_map_pairs: windows of W x W pixels, four columns of results a thread, down a strip.
// in:    x, tables.entries [W * W + 1] u32      out: map of the piece, nan_seen
// grid:  x = columns / (120 * warps of a block), y = strips       block: threads, a multiple of 32 up to 512
// shared: table of F[a] + F[b] [kTable] u32     result valid in: map, after the launch
// moves: reads each pixel 32 / 30 times, once more W - 1 rows of a strip; writes 4 B a result      order: any
// why:   eight lookups a result and hardly any other access; the pixels are read as they are, so no levels go through memory
template <class T, unsigned W>
TEGU_KERNEL TEGU_BOUNDS(512) entropy_map_pairs(PairsArrays arrays, bool aligned, bool store_packs) {
    using Field = Fields<W>;
    TEGU_DYNAMIC_SHARED(shared);
    Field::fill(reinterpret_cast<std::uint32_t*>(shared), arrays.tables.entries);
    block_barrier();

    const std::int64_t warp = std::int64_t{block_x()} * block_warps() + warp_index();
    const std::int64_t result = warp * kWarpResults + (static_cast<std::int64_t>(lane_index()) - 1) * kPairsColumns;  // the first of four columns
    const bool stores = lane_index() != 0 && lane_index() != kWarpLanes - 1 && result < arrays.cols;
    const std::int64_t col = arrays.first_col + result;
    Source<T> source;
    source.set(arrays, col, aligned);
    const std::int64_t half = W / 2;
    const bool full = arrays.mirror || (col - half >= arrays.col_begin && col + kPairsColumns + half <= arrays.col_end);

    const std::uint32_t begin = block_y() * arrays.strip_rows;
    const std::uint32_t rows = arrays.rows - begin < arrays.strip_rows ? arrays.rows - begin : arrays.strip_rows;
    const std::int64_t top = arrays.first_row + begin - half;
    std::uint32_t counts[Field::kWords][kPairsColumns], ring[W];
    TEGU_UNROLL
    for (unsigned w = 0; w < Field::kWords; ++w)
        for (unsigned j = 0; j < kPairsColumns; ++j) counts[w][j] = 0;
    TEGU_UNROLL
    for (unsigned i = 0; i < W; ++i) ring[i] = kNoPixels;
    EntropyFinish finish;
    unsigned known = 0;  // rows of the windows that it is for
    bool any_nan = false;

    std::int64_t next_row = top;
    bool next_there = find_row(arrays, &next_row);
    Pack<T, kPairsColumns> next;
    if (next_there) next = source.load(arrays, next_row);
    for (std::uint32_t i = 0; i < rows + W - 1; ++i) {
        const Pack<T, kPairsColumns> pixels = next;
        const bool there = next_there;
        if (i + 1 < rows + W - 1) {
            next_row = top + i + 1;
            next_there = find_row(arrays, &next_row);
            if (next_there) next = source.load(arrays, next_row);
        }
        std::uint32_t entering = kNoPixels;
        if (there) {
            entering = source.outside;
            TEGU_UNROLL
            for (unsigned j = 0; j < kPairsColumns; ++j) {
                bool nan = false;
                entering |= Field::code(level_of(pixels.at[j], arrays.rule, &nan)) << (8 * j);
                any_nan |= nan;
            }
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            std::uint32_t in[Field::kWords], out[Field::kWords];
            Field::expand(entering >> (8 * j) & 0xffu, in);
            Field::expand(ring[0] >> (8 * j) & 0xffu, out);
            TEGU_UNROLL
            for (unsigned w = 0; w < Field::kWords; ++w) counts[w][j] += in[w] - out[w];
        }
        TEGU_UNROLL
        for (unsigned k = 0; k + 1 < W; ++k) ring[k] = ring[k + 1];
        ring[W - 1] = entering;
        if (i + 1 < W) continue;

        std::uint32_t windows[kPairsColumns][Field::kWords];
        TEGU_UNROLL
        for (unsigned w = 0; w < Field::kWords; ++w) {
            std::uint32_t sums[kPairsColumns];
            Around<W>::sum(counts[w], sums);
            TEGU_UNROLL
            for (unsigned j = 0; j < kPairsColumns; ++j) windows[j][w] = sums[j];
        }
        const std::int64_t first = top + i - (W - 1);  // row of the windows
        const unsigned down = extent_of(arrays.mirror, first, W, arrays.row_begin, arrays.row_end);
        if (down != known) {
            known = down;
            finish.set(arrays.tables, down * W);
        }
        Pack<float, kPairsColumns> results;
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) results.at[j] = bit_cast<float>(Field::look_up(shared, windows[j]));
        if (!stores) continue;
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            if (!full && result + j < arrays.cols)
                finish.set(arrays.tables, down * extent_of(arrays.mirror, col + j - half, W, arrays.col_begin, arrays.col_end));
            results.at[j] = finish.of(bit_cast<std::uint32_t>(results.at[j]));
        }
        float* const to = arrays.map + (begin + i - (W - 1)) * arrays.map_cols + result;
        if (store_packs && result + kPairsColumns <= arrays.cols) {
            *reinterpret_cast<Pack<float, kPairsColumns>*>(to) = results;
        } else {
            TEGU_UNROLL
            for (unsigned j = 0; j < kPairsColumns; ++j)
                if (result + j < arrays.cols) to[j] = results.at[j];
        }
    }
    if (Leveled<T>::kFloat && warp_any(any_nan) && lane_index() == 0) atomic_or(arrays.nan_seen, 1u);
}

template <class T, unsigned W>
LaunchStatus launch_typed(const PairsArrays& arrays, unsigned threads, Stream stream) {
    const auto is_multiple = [](std::uint64_t value, std::uint64_t of) { return value % of == 0; };
    const auto x = reinterpret_cast<std::uintptr_t>(arrays.x) + static_cast<std::uint64_t>(arrays.first_col) * sizeof(T);
    const bool aligned = is_multiple(x, sizeof(Pack<T, kPairsColumns>)) && is_multiple(arrays.row_stride, kPairsColumns);
    const bool store_packs = is_multiple(reinterpret_cast<std::uintptr_t>(arrays.map), 16) && is_multiple(arrays.map_cols, kPairsColumns);
    const std::uint64_t warps = (arrays.cols + kWarpResults - 1) / kWarpResults, warps_of_block = threads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((warps + warps_of_block - 1) / warps_of_block), (arrays.rows + arrays.strip_rows - 1) / arrays.strip_rows,
                            threads, Fields<W>::kTable * sizeof(std::uint32_t)};
    return launch(entropy_map_pairs<T, W>, shape, stream, arrays, aligned, store_packs);
}

template <class T>
LaunchStatus launch_window(const PairsArrays& arrays, const EntropyWindow& window, unsigned threads, Stream stream) {
    switch (window.rows) {
        case 3: return launch_typed<T, 3>(arrays, threads, stream);
        case 5: return launch_typed<T, 5>(arrays, threads, stream);
        case 7: return launch_typed<T, 7>(arrays, threads, stream);
        default: return launch_typed<T, 9>(arrays, threads, stream);
    }
}

}  // namespace

bool entropy_pairs_supports(const EntropyWindow& window) {
    return window.rows == window.cols && window.rows <= 9 && window.levels <= kMaxPairLevels;
}

bool entropy_pairs_reads(ElementType type) { return type == ElementType::U8 || type == ElementType::F32; }

std::size_t entropy_pairs_bytes(const EntropyWindow& window) {
    const unsigned pixels = window.rows * window.cols;
    return (pair_factor(pixels) * pixels + 1) * sizeof(std::uint32_t);
}

LaunchStatus launch_entropy_pairs(ElementType type, const PairsArrays& arrays, const EntropyWindow& window, unsigned threads, Stream stream) {
    if (type == ElementType::U8) return launch_window<std::uint8_t>(arrays, window, threads, stream);
    return launch_window<float>(arrays, window, threads, stream);
}

}  // namespace cuda
}  // namespace tegu
