// SPDX-License-Identifier: Apache-2.0
// Counts stay in registers, in fields of two levels each (kernels/entropy_map/cuda/pairs.h): a column's
// counts follow down the image by the pixel that enters and the one that leaves, a window's counts are the
// sum of neighbouring columns, and a field of them is a place in the table. A row of a thread's four pixels
// is a word, a level in each byte. The level 32 and those above stand for no pixel: what they count is
// shifted out of every word.
#include "kernels/entropy_map/cuda/pairs.h"

#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kMaxPairLevels = 16;
constexpr unsigned kPairs = kMaxPairLevels / 2;
constexpr std::uint32_t kNoPixels = 0x20202020;  // four levels
constexpr std::int32_t kWarpResults = kPairsWarpResults;

// Fields of a window of W x W pixels: three of ten bits in a word, or two of 16. Their values are multiplied
// by 4: they are distances in a table of words.
template <unsigned W>
struct Fields {
    static constexpr unsigned kPixels = W * W;
    static constexpr unsigned kFactor = pair_factor(kPixels);
    static constexpr unsigned kPerWord = kFactor * kPixels < 1024 ? 3 : 2;
    static constexpr unsigned kWords = (kPairs + kPerWord - 1) / kPerWord;
    static constexpr unsigned kTable = kFactor * kPixels + 1;
    static_assert(kPerWord == 3 || 4 * kTable <= 65536, "two fields of 16 bits");
    using Words = std::uint32_t[kWords];

    // What pixel j of a row adds to each word.
    TEGU_DEVICE static void expand(std::uint32_t row, unsigned j, Words& words) {
        // 16 and above: the bytes that follow are not all 0, so the place is beyond all words
        const std::uint32_t pair = row >> (8 * j + 1) & 0x1fu;
        const std::uint32_t place = kPerWord == 3 ? permute_bytes(0x20140a00u, 0x4a40342au, pair) : 16 * pair;
        const std::uint32_t unit = (row & 1u << (8 * j)) != 0 ? 4 * kFactor : 4;
        TEGU_UNROLL
        for (unsigned w = 0; w < kWords; ++w) words[w] = shift_left_clamped(unit, place - 32 * w);
    }
    // The sum of F over all levels.
    TEGU_DEVICE static std::uint32_t look_up(const unsigned char* table, const Words& words) {
        std::uint32_t sum = 0;
        TEGU_UNROLL
        for (unsigned pair = 0; pair < kPairs; ++pair) {
            const std::uint32_t word = words[pair / kPerWord];
            const unsigned slot = pair % kPerWord;
            const std::uint32_t distance = kPerWord == 3 ? word >> (10 * slot) & 0xffcu
                                           : slot == 1   ? word >> 16
                                                         : word & 0xffffu;
            sum += *reinterpret_cast<const std::uint32_t*>(table + distance);
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

// The lanes beside this one; the outer lanes, whose results nobody wants, take themselves.
struct Beside {
    unsigned before, after;
    TEGU_DEVICE void set() {
        const unsigned lane = lane_index();
        before = lane == 0 ? 0 : lane - 1;
        after = lane + 1 == kWarpLanes ? lane : lane + 1;
    }
};

// Of one word: the sums over the W columns around each of a thread's four, from its own and those of the
// lanes beside it.
template <unsigned W>
struct Around;
template <>
struct Around<3> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3];
        out[0] = shuffle(c[3], beside.before) + left;
        out[1] = left + c[2];
        out[2] = c[1] + right;
        out[3] = right + shuffle(c[0], beside.after);
    }
};
template <>
struct Around<5> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        out[0] = shuffle(right, beside.before) + left + c[2];
        out[1] = shuffle(c[3], beside.before) + all;
        out[2] = all + shuffle(c[0], beside.after);
        out[3] = c[1] + right + shuffle(left, beside.after);
    }
};
template <>
struct Around<7> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        const std::uint32_t before = shuffle(c[3], beside.before), after = shuffle(c[0], beside.after);
        out[0] = shuffle(c[1] + right, beside.before) + all;
        out[1] = shuffle(right, beside.before) + all + after;
        out[2] = before + all + shuffle(left, beside.after);
        out[3] = all + shuffle(left + c[2], beside.after);
    }
};
template <>
struct Around<9> {
    TEGU_DEVICE static void sum(const std::uint32_t (&c)[4], const Beside& beside, std::uint32_t (&out)[4]) {
        const std::uint32_t left = c[0] + c[1], right = c[2] + c[3], all = left + right;
        out[0] = shuffle(all, beside.before) + all + shuffle(c[0], beside.after);
        out[1] = shuffle(c[1] + right, beside.before) + all + shuffle(left, beside.after);
        out[2] = shuffle(right, beside.before) + all + shuffle(left + c[2], beside.after);
        out[3] = shuffle(c[3], beside.before) + all + shuffle(all, beside.after);
    }
};

// `index`, mirrored at the edge that it is beyond.
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

// The four columns of a thread: where their pixels come from and their results go.
template <class T, unsigned W>
struct Columns {
    static constexpr std::int32_t kHalf = W / 2;
    using Pixels = Pack<T, kPairsColumns>;
    using Results = Pack<float, kPairsColumns>;
    const unsigned char* pixels;  // in row 0
    unsigned char* results;
    std::int32_t col;       // the first
    std::uint32_t outside;  // the level of no pixel in the byte of each that is not there
    bool whole;             // all four pixels are there and lie in an aligned pack
    bool full;              // none of the windows is cut at the left or right
    bool stores;            // some of the results are wanted
    bool packs;             // all of them, in an aligned pack

    TEGU_DEVICE void set(const PairsArrays& arrays, std::int32_t first, bool aligned, bool store_packs) {
        col = first;
        pixels = static_cast<const unsigned char*>(arrays.x) +
                 static_cast<std::int64_t>(col) * static_cast<std::int64_t>(sizeof(T));
        results = reinterpret_cast<unsigned char*>(arrays.map) + static_cast<std::int64_t>(col) * 4;
        whole = aligned && col >= arrays.col_begin && col + 4 <= arrays.col_end;
        full = arrays.mirror || (col - kHalf >= arrays.col_begin && col + 4 + kHalf <= arrays.col_end);
        stores = lane_index() != 0 && lane_index() != kWarpLanes - 1 && col < arrays.cols;
        packs = store_packs && col + 4 <= arrays.cols;
        outside = 0;
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const std::int32_t at = place(arrays, j);
            if (at < arrays.col_begin || at >= arrays.col_end) outside |= 0x20u << (8 * j);
        }
    }
    TEGU_DEVICE std::int32_t place(const PairsArrays& arrays, unsigned j) const {
        const std::int32_t at = col + static_cast<std::int32_t>(j);
        return arrays.mirror ? mirrored_once(at, arrays.col_begin, arrays.col_end) : at;
    }
    // The pixels of a row that is there; 0 for those that are not.
    TEGU_DEVICE Pixels load(const PairsArrays& arrays, std::int32_t row) const {
        const unsigned char* const at = pixels + static_cast<std::int64_t>(row) * arrays.row_bytes;
        if (whole) return *reinterpret_cast<const Pixels*>(at);
        Pixels loaded;
        TEGU_NO_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const T* const pixel = reinterpret_cast<const T*>(at) + (place(arrays, j) - col);
            const T value = (outside >> (8 * j) & 0x20u) == 0 ? *pixel : T(0);
            TEGU_UNROLL
            for (unsigned k = 0; k < kPairsColumns; ++k)  // so that the pack stays in registers
                if (k == j) loaded.at[k] = value;
        }
        return loaded;
    }
    TEGU_DEVICE void store(const PairsArrays& arrays, std::int32_t row, const Results& values) const {
        unsigned char* const to = results + static_cast<std::int64_t>(row) * arrays.map_row_bytes;
        if (packs) {
            *reinterpret_cast<Results*>(to) = values;
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j)
            if (col + static_cast<std::int32_t>(j) < arrays.cols)
                reinterpret_cast<float*>(to)[j] = values.at[j];
    }
    // Entropies of windows that are `down` rows high; `finish` is of those of full width.
    TEGU_DEVICE Results entropies(const PairsArrays& arrays, unsigned down, const EntropyFinish& finish,
                                  const std::uint32_t (&sums)[kPairsColumns]) const {
        Results values;
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) values.at[j] = finish.of(sums[j]);
        if (full) return values;
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            const std::int32_t at = col + static_cast<std::int32_t>(j);
            if (at >= arrays.cols) break;
            EntropyFinish cut;
            cut.set(arrays.tables, down * extent_of(at - kHalf, W, arrays.col_begin, arrays.col_end));
            values.at[j] = cut.of(sums[j]);
        }
        return values;
    }
};

// The levels of four pixels as a row.
template <class T>
TEGU_DEVICE std::uint32_t row_of(const Pack<T, kPairsColumns>& pixels, const LevelRule& rule, bool* any_nan) {
    std::uint32_t levels[kPairsColumns];
    TEGU_UNROLL
    for (unsigned j = 0; j < kPairsColumns; ++j) {
        bool nan = false;
        levels[j] = level_of(pixels.at[j], rule, &nan);
        *any_nan |= nan;
    }
    return (levels[3] * 0x100u + levels[2]) * 0x10000u + (levels[1] * 0x100u + levels[0]);
}

// The counts of a thread's columns, and the rows that they are of.
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
    // A row enters at the bottom, the one at the top leaves.
    TEGU_DEVICE void move(std::uint32_t entering) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kPairsColumns; ++j) {
            Words in, out;
            Field::expand(entering, j, in);
            Field::expand(rows[0], j, out);
            TEGU_UNROLL
            for (unsigned w = 0; w < Field::kWords; ++w) words[w][j] += in[w] - out[w];
        }
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
// grid:  x = columns / (120 * warps of a block), y = strips       block: threads, a multiple of 32 up to 512
// shared: table of F[a] + F[b] [kTable] u32     result valid in: map, after the launch
// moves: reads each pixel 32 / 30 times, and W - 1 rows more for each strip; writes 4 B a result
// order: any
// why:   eight lookups a result and hardly any other access; the pixels are read as they are, so no levels go
//        through memory
template <class T, unsigned W>
TEGU_KERNEL TEGU_BOUNDS(512) entropy_map_pairs(PairsArrays arrays, bool aligned, bool store_packs) {
    TEGU_DYNAMIC_SHARED(table);
    Fields<W>::fill(reinterpret_cast<std::uint32_t*>(table), arrays.tables.entries);
    block_barrier();

    constexpr std::int32_t kHalf = W / 2;
    const std::int32_t warp = static_cast<std::int32_t>(block_x() * block_warps() + warp_index());
    Columns<T, W> columns;
    columns.set(arrays, warp * kWarpResults + (static_cast<std::int32_t>(lane_index()) - 1) * 4, aligned,
                store_packs);
    Counts<W> counts;
    counts.clear();
    EntropyFinish finish{};
    unsigned known = 0;  // rows of the windows that it is for
    bool any_nan = false;

    const std::int32_t begin = static_cast<std::int32_t>(block_y()) * arrays.strip_rows;
    const std::int32_t end =
        arrays.rows - begin < arrays.strip_rows ? arrays.rows : begin + arrays.strip_rows;
    // The row that stands at `row`, and whether one does.
    const auto source_of = [&](std::int32_t row) {
        return arrays.mirror ? mirrored_once(row, arrays.row_begin, arrays.row_end) : row;
    };
    const auto is_there = [&](std::int32_t row) { return row >= arrays.row_begin && row < arrays.row_end; };
    std::int32_t source = source_of(begin - kHalf);
    Pack<T, kPairsColumns> next{};
    if (is_there(source)) next = columns.load(arrays, source);
    for (std::int32_t row = begin - kHalf; row < end + kHalf; ++row) {
        std::uint32_t entering = kNoPixels;
        if (is_there(source)) entering = row_of(next, arrays.rule, &any_nan) | columns.outside;
        counts.move(entering);
        source = source_of(row + 1);
        if (row + 1 < end + kHalf && is_there(source)) next = columns.load(arrays, source);
        const std::int32_t result = row - kHalf;
        if (result < begin) continue;
        std::uint32_t sums[kPairsColumns];
        counts.sum(table, sums);
        const unsigned down =
            arrays.mirror ? W : extent_of(result - kHalf, W, arrays.row_begin, arrays.row_end);
        if (down != known) finish.set(arrays.tables, down * W);
        known = down;
        if (columns.stores) columns.store(arrays, result, columns.entropies(arrays, down, finish, sums));
    }
    if (Leveled<T>::kFloat && warp_any(any_nan) && lane_index() == 0) atomic_or(arrays.nan_seen, 1u);
}

// Rows: element types; columns: sizes of the window.
#define TEGU_X(T, word)                                                                       \
    numbered(entropy_map_pairs<T, 3>, word, 3u), numbered(entropy_map_pairs<T, 5>, word, 5u), \
        numbered(entropy_map_pairs<T, 7>, word, 7u), numbered(entropy_map_pairs<T, 9>, word, 9u)
constexpr KernelTable<void (*)(PairsArrays, bool, bool), 8> kEntropyMapPairs = {
    "entropy_map_pairs",
    "reads 1 element and writes 4 B a pixel",
    {TEGU_X(std::uint8_t, "u8"), TEGU_X(float, "f32")}};
#undef TEGU_X

std::size_t table_bytes(unsigned window) {
    return sizeof(std::uint32_t) * (window == 3   ? Fields<3>::kTable
                                    : window == 5 ? Fields<5>::kTable
                                    : window == 7 ? Fields<7>::kTable
                                                  : Fields<9>::kTable);
}

}  // namespace

bool entropy_pairs_supports(const EntropyWindow& window) {
    return window.rows == window.cols && window.rows <= 9 && window.levels <= kMaxPairLevels;
}

bool entropy_pairs_reads(ElementType type) {
    return type == ElementType::U8 || type == ElementType::F32;
}

LaunchStatus launch_entropy_pairs(ElementType type, const PairsArrays& arrays, const EntropyWindow& window,
                                  unsigned threads, Stream stream) {
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
                            table_bytes(window.rows)};
    const unsigned index = (type == ElementType::U8 ? 0 : 4) + (window.rows - 3) / 2;
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
