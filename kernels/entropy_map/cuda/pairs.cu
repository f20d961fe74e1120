// SPDX-License-Identifier: Apache-2.0
// Counts stay in registers, in fields of two levels each (kernels/entropy_map/cuda/pairs.cuh). A column's
// counts move down the image: one pixel enters, one leaves. A window's counts are the sum of adjacent
// columns, and each field is an index in the table.
#include "kernels/entropy_map/cuda/pairs.h"

#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/entropy_map/cuda/pairs.cuh"
#include "kernels/entropy_map/cuda/pairs_rows.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/streaming.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr std::int32_t kWarpResults = kPairsWarpResults;

// `index`, mirrored at the nearer edge if it is outside.
TEGU_DEVICE std::int32_t mirrored_once(std::int32_t index, std::int32_t begin, std::int32_t end) {
    return index < begin ? 2 * begin - 1 - index : index >= end ? 2 * end - 1 - index : index;
}
// Pixels of the window that begins at `begin`, in one direction.
TEGU_DEVICE unsigned extent_of(std::int32_t begin, unsigned window, std::int32_t inside_begin,
                               std::int32_t inside_end) {
    const std::int32_t end = begin + static_cast<std::int32_t>(window);
    return static_cast<unsigned>((end < inside_end ? end : inside_end) -
                                 (begin > inside_begin ? begin : inside_begin));
}

// The four columns of a thread: the addresses of their pixels and results.
template <class T, unsigned W>
struct Columns {
    static constexpr std::int32_t kHalf = W / 2;
    using Pixels = Pack<T, kPairsColumns>;
    using Results = Pack<float, kPairsColumns>;
    const unsigned char* pixels;  // in row 0
    unsigned char* results;
    std::int32_t col;       // the first
    std::uint32_t outside;  // the byte of kNoPixels of each missing pixel
    bool whole;             // all four pixels exist and lie in an aligned pack
    bool partial;           // they do not, but some exist
    bool full;              // no window is cut at the left or right
    bool stores;            // the thread stores results
    bool packs;             // it stores all four, in an aligned pack
    bool plain;             // it does so, and no window is cut at the left or right

    TEGU_DEVICE void set(const PairsArrays& arrays, std::int32_t first, bool aligned, bool store_packs) {
        col = first;
        pixels = static_cast<const unsigned char*>(arrays.x) +
                 static_cast<std::int64_t>(col) * static_cast<std::int64_t>(sizeof(T));
        results = reinterpret_cast<unsigned char*>(arrays.map) + static_cast<std::int64_t>(col) * 4;
        whole = aligned && col >= arrays.col_begin && col + 4 <= arrays.col_end;
        full = arrays.mirror || (col - kHalf >= arrays.col_begin && col + 4 + kHalf <= arrays.col_end);
        stores = lane_index() != 0 && lane_index() != kWarpLanes - 1 && col < arrays.cols;
        packs = store_packs && col + 4 <= arrays.cols;
        plain = stores && packs && full;
        outside = 0;
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const std::int32_t at = pixel_column(arrays, j);
            if (at < arrays.col_begin || at >= arrays.col_end) outside |= 0x80u << (8 * j);
        }
        partial = !whole && outside != kNoPixels;
    }
    TEGU_DEVICE std::int32_t pixel_column(const PairsArrays& arrays, unsigned j) const {
        const std::int32_t at = col + static_cast<std::int32_t>(j);
        return arrays.mirror ? mirrored_once(at, arrays.col_begin, arrays.col_end) : at;
    }
    TEGU_DEVICE const unsigned char* pixels_of(const PairsArrays& arrays, std::int32_t row) const {
        return pixels + static_cast<std::int64_t>(row) * arrays.row_bytes;
    }
    // The pixels of an existing row; 0 for missing pixels.
    TEGU_DEVICE Pixels load(const PairsArrays& arrays, const unsigned char* at) const {
        Pixels loaded = load_whole(at);
        if (partial) load_partial(arrays, at, &loaded);
        return loaded;
    }
    // The same, where not some of them are missing or none is aligned.
    TEGU_DEVICE Pixels load_whole(const unsigned char* at) const {
        return whole ? *reinterpret_cast<const Pixels*>(at) : Pixels{};
    }
    TEGU_DEVICE void load_partial(const PairsArrays& arrays, const unsigned char* at, Pixels* loaded) const {
        TEGU_NO_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const T* const pixel = reinterpret_cast<const T*>(at) + (pixel_column(arrays, j) - col);
            const T value = (outside >> (8 * j) & 0x80u) == 0 ? *pixel : T{};
            TEGU_UNROLL
            for (unsigned k = 0; k < kPairsColumns; ++k)  // so that the pack stays in registers
                if (k == j) loaded->at[k] = value;
        }
    }
    TEGU_DEVICE unsigned char* results_of(const PairsArrays& arrays, std::int32_t row) const {
        return results + static_cast<std::int64_t>(row) * arrays.map_row_bytes;
    }
    // Stores the entropies of windows that are `down` rows high. `finish` is for windows of full width,
    // `finishes` for every number of pixels.
    TEGU_DEVICE void store(const PairsArrays& arrays, unsigned char* to, unsigned down,
                           const EntropyFinish& finish, const EntropyFinish* finishes,
                           const std::uint32_t (&sums)[kPairsColumns]) const {
        if (plain) {
            Results values;
            TEGU_UNROLL
            for (unsigned j = 0; j < kPairsColumns; ++j) values.at[j] = finish.of(sums[j]);
            *reinterpret_cast<Results*>(to) = values;
            return;
        }
        TEGU_NO_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const std::int32_t at = col + static_cast<std::int32_t>(j);
            if (!stores || at >= arrays.cols) return;
            std::uint32_t sum = sums[0];
            TEGU_UNROLL
            for (unsigned k = 1; k < kPairsColumns; ++k) sum = k == j ? sums[k] : sum;
            const unsigned across =
                arrays.mirror ? W : extent_of(at - kHalf, W, arrays.col_begin, arrays.col_end);
            reinterpret_cast<float*>(to)[j] = finishes[down * across].of(sum);
        }
    }
};

// The counts of a thread's columns, and the rows that they cover.
template <unsigned W>
struct Counts {
    using Field = Fields<W>;
    using Words = typename Field::Words;
    std::uint32_t words[Field::kWords][kPairsColumns];
    std::uint32_t rows[W];
    Beside beside;

    TEGU_DEVICE void clear() {
        beside.set();
        TEGU_UNROLL
        for (unsigned w = 0; w < Field::kWords; ++w)
            for (unsigned j = 0; j < kPairsColumns; ++j) words[w][j] = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < W; ++i) rows[i] = kNoPixels;
    }
    // Adds a row at the bottom, above which rows are missing.
    TEGU_DEVICE void enter(const unsigned char* table, std::uint32_t entering) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            Words in;
            Field::expand(table, entering, j, in);
            TEGU_UNROLL
            for (unsigned w = 0; w < Field::kWords; ++w) words[w][j] += in[w];
        }
        shift(entering);
    }
    // Adds a row at the bottom and removes the top row.
    TEGU_DEVICE void move(const unsigned char* table, std::uint32_t entering) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            Words in, out;
            Field::expand(table, entering, j, in);
            Field::expand(table, rows[0], j, out);
            TEGU_UNROLL
            for (unsigned w = 0; w < Field::kWords; ++w) words[w][j] += in[w] - out[w];
        }
        shift(entering);
    }
    TEGU_DEVICE void shift(std::uint32_t entering) {
        TEGU_UNROLL
        for (unsigned i = 0; i + 1 < W; ++i) rows[i] = rows[i + 1];
        rows[W - 1] = entering;
    }
    // The sums of F over the windows around the columns.
    TEGU_DEVICE void sum(const unsigned char* table, std::uint32_t (&sums)[kPairsColumns]) const {
        Words windows[kPairsColumns];
        TEGU_UNROLL
        for (unsigned w = 0; w < Field::kWords; ++w) {
            std::uint32_t around[kPairsColumns];
            Around<W>::sum(words[w], beside, around);
            TEGU_UNROLL
            for (unsigned j = 0; j < kPairsColumns; ++j) windows[j][w] = around[j];
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) sums[j] = Field::look_up(table, windows[j]);
    }
};

// entropy_map_pairs: windows of W x W pixels, four columns of results a thread, down a strip.
// in:    x, tables.entries [W * W + 1] u32      out: map of the piece, nan_seen
// grid:  x = columns / (120 * warps of a block), y = strips       block: threads, a multiple of 32 up to 256
// shared: table of F[a] + F[b] [kTable] u32     result valid in: map, after the launch
// moves: reads each pixel 32 / 30 times, and W - 1 rows more for each strip; writes 4 B a result
// order: any
// why:   eight lookups a result and few other accesses; the pixels are read directly, so no levels go through
//        memory
template <class T, unsigned W>
TEGU_KERNEL TEGU_BOUNDS2(kPairsThreads, 4 / kBlocksForRegisters)
    entropy_map_pairs(PairsArrays arrays, bool aligned, bool store_packs) {
    TEGU_DYNAMIC_SHARED(table);
    constexpr std::int32_t kHalf = W / 2, kNear = W + 8;
    // Registers are few.
    constexpr std::int32_t kFirstRows = W <= 5 ? W - 1 : sizeof(T) == 1 ? 1 : 3;
    const std::uint32_t entry = Fields<W>::entry_of_lane(arrays.tables.entries);
    const std::int32_t warp = static_cast<std::int32_t>(block_x() * block_warps() + warp_index());
    Columns<T, W> columns;
    columns.set(arrays, warp * kWarpResults + (static_cast<std::int32_t>(lane_index()) - 1) * 4, aligned,
                store_packs);
    const std::int32_t begin = static_cast<std::int32_t>(block_y()) * arrays.strip_rows;
    const std::int32_t end =
        arrays.rows - begin < arrays.strip_rows ? arrays.rows : begin + arrays.strip_rows;
    // The image row for `row`, and whether it exists.
    const auto source_of = [&](std::int32_t row) {
        return arrays.mirror ? mirrored_once(row, arrays.row_begin, arrays.row_end) : row;
    };
    const auto is_there = [&](std::int32_t row) { return row >= arrays.row_begin && row < arrays.row_end; };
    // All rows around the strip are there, and one more: the row behind the last strip of a piece may not be
    // in memory.
    const bool inside =
        begin - kHalf >= arrays.row_begin && end + kHalf < arrays.row_end && end < arrays.rows;
    // The first rows come while the tables are filled; a short strip has no others.
    const unsigned char* at = columns.pixels_of(arrays, begin - kHalf);
    Pack<T, kPairsColumns> first_rows[kFirstRows], next{};
    if (inside) {
        TEGU_UNROLL
        for (std::int32_t i = 0; i < kFirstRows; ++i, at += arrays.row_bytes)
            first_rows[i] = columns.load_whole(at);
        next = columns.load(arrays, at);
        const unsigned char* partial = columns.pixels_of(arrays, begin - kHalf);
        TEGU_NO_UNROLL
        for (std::int32_t i = 0; columns.partial && i < kFirstRows; ++i, partial += arrays.row_bytes) {
            Pack<T, kPairsColumns> row{};
            columns.load_partial(arrays, partial, &row);
            TEGU_UNROLL
            for (std::int32_t k = 0; k < kFirstRows; ++k)
                if (k == i) first_rows[k] = row;
        }
    } else {
        const std::int32_t first = source_of(begin - kHalf);
        if (is_there(first)) next = columns.load(arrays, columns.pixels_of(arrays, first));
    }
    TEGU_NO_UNROLL
    for (std::int32_t row = begin - kHalf + (inside ? kFirstRows + 1 : 1);
         row < begin - kHalf + kNear && row < end + kHalf; ++row)
        if (columns.whole && is_there(row)) prefetch(columns.pixels_of(arrays, row));
    std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(table);
    Fields<W>::fill_expansions(words);
    RowOf<T> row_of(arrays, table + 4 * Fields<W>::kLevels);
    EntropyFinish* const finishes = reinterpret_cast<EntropyFinish*>(words + Fields<W>::kFinishes);
    for (unsigned n = thread_index(); n <= W * W; n += block_threads()) {
        const std::uint32_t whole = Fields<W>::kInLanes ? entry : arrays.tables.entries[n];
        if (n > 0) finishes[n].set(whole, n, arrays.tables.scale);
    }
    Fields<W>::fill(words, arrays.tables.entries, entry);
    block_barrier();

    Counts<W> counts;
    counts.clear();
    EntropyFinish finish{};
    std::uint32_t sums[kPairsColumns];
    if (inside) {
        finish = finishes[W * W];
        unsigned char* to = columns.results_of(arrays, begin);
        TEGU_UNROLL
        for (std::int32_t i = 0; i < kFirstRows; ++i)
            counts.enter(table, row_of(first_rows[i]) | columns.outside);
        for (std::int32_t row = begin - kHalf + kFirstRows; row < end + kHalf; ++row) {
            counts.move(table, row_of(next) | columns.outside);
            at += arrays.row_bytes;
            next = columns.load(arrays, at);
            if (kFirstRows + 1 < W && row < begin + kHalf) continue;
            counts.sum(table, sums);
            columns.store(arrays, to, W, finish, finishes, sums);
            to += arrays.map_row_bytes;
        }
    } else {
        for (std::int32_t row = begin - kHalf; row < end + kHalf; ++row) {
            counts.move(table, is_there(source_of(row)) ? row_of(next) | columns.outside : kNoPixels);
            const std::int32_t source = source_of(row + 1);
            if (row + 1 < end + kHalf && is_there(source))
                next = columns.load(arrays, columns.pixels_of(arrays, source));
            const std::int32_t result = row - kHalf;
            if (result < begin) continue;
            counts.sum(table, sums);
            const unsigned down =
                arrays.mirror ? W : extent_of(result - kHalf, W, arrays.row_begin, arrays.row_end);
            finish = finishes[down * W];
            columns.store(arrays, columns.results_of(arrays, result), down, finish, finishes, sums);
        }
    }
    if (RowOf<T>::kFloat && warp_any(row_of.any_nan) && lane_index() == 0) atomic_or(arrays.nan_seen, 1u);
}

// Rows: element types; columns: sizes of the window.
#define TEGU_X(T, word)                                                                       \
    numbered(entropy_map_pairs<T, 3>, word, 3u), numbered(entropy_map_pairs<T, 5>, word, 5u), \
        numbered(entropy_map_pairs<T, 7>, word, 7u), numbered(entropy_map_pairs<T, 9>, word, 9u)
constexpr KernelTable<void (*)(PairsArrays, bool, bool), 12> kEntropyMapPairs = {
    "entropy_map_pairs",
    "reads 1 element and writes 4 B a pixel",
    {TEGU_X(std::uint8_t, "u8"), TEGU_X(UpperBits, "bits"), TEGU_X(float, "f32")}};
#undef TEGU_X

std::size_t table_bytes(unsigned window) {
    return sizeof(std::uint32_t) * (window == 3   ? Fields<3>::kShared
                                    : window == 5 ? Fields<5>::kShared
                                    : window == 7 ? Fields<7>::kShared
                                                  : Fields<9>::kShared);
}

}  // namespace

bool entropy_pairs_supports(const EntropyWindow& window) {
    return window.rows == window.cols && window.rows <= 9 && window.levels <= kMaxPairLevels;
}

bool entropy_pairs_reads(ElementType type) {
    return type == ElementType::U8 || type == ElementType::F32;
}

LaunchStatus launch_entropy_pairs(ElementType type, PairsArrays arrays, const EntropyMapJob& job,
                                  Stream stream) {
    const std::int32_t shift = type == ElementType::U8 ? level_shift(arrays.rule) : -1;
    arrays.level_shift = shift < 0 ? 0 : static_cast<std::uint32_t>(shift);
    arrays.level_mask = (kLevelBytes * 255u >> arrays.level_shift & 0xf8u) * 0x01010101u;
    const unsigned threads = job.shape.threads, rows = job.window.rows;
    const std::uint64_t pack = kPairsColumns * element_bytes(type);
    const bool aligned = reinterpret_cast<std::uintptr_t>(arrays.x) % pack == 0 &&
                         static_cast<std::uint64_t>(arrays.row_bytes) % pack == 0;
    const bool store_packs = reinterpret_cast<std::uintptr_t>(arrays.map) % 16 == 0 &&
                             static_cast<std::uint64_t>(arrays.map_row_bytes) % 16 == 0;
    const auto blocks = [](std::int32_t items, std::int32_t of) {
        return static_cast<unsigned>((items + of - 1) / of);
    };
    const std::int32_t across = static_cast<std::int32_t>(threads / kWarpLanes) * kWarpResults;
    const LaunchShape shape{blocks(arrays.cols, across), blocks(arrays.rows, arrays.strip_rows), threads,
                            table_bytes(rows)};
    const unsigned index = (type != ElementType::U8 ? 8 : shift >= 0 ? 4 : 0) + (rows - 3) / 2;
    return launch(kEntropyMapPairs[index], shape, stream, arrays, aligned, store_packs);
}

void list_entropy_map_pairs_kernels(KernelLister& to) {
    to.add(1, listed(kEntropyMapPairs, [](unsigned index) {
               return BlockSize{kDefaultEntropyMapPolicy.threads_per_block,
                                table_bytes(kEntropyMapPairs.variants[index].numbers[0])};
           }));
}

}  // namespace cuda
}  // namespace tegu
