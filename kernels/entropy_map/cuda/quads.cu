// SPDX-License-Identifier: Apache-2.0
// Pixels that do not exist have a level of their own. Its count is known, so its part of the sum is
// subtracted at the end, and borders need no other code.
#include "kernels/entropy_map/cuda/quads.h"

#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/streaming.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr std::uint32_t kAhead = 8;  // rows that are prefetched

// A row of pixels around the windows of a thread.
template <unsigned W>
struct QuadRow {
    static constexpr unsigned kWords = W <= kQuadsReadRows ? 3 : 5;
    std::uint32_t words[kWords];
};

// The windows of four adjacent columns of W x W pixels.
template <unsigned W>
struct Quads {
    static constexpr unsigned kPixels = W * W;
    static constexpr unsigned kTouched = W + kQuadsColumns - 1;      // columns
    static constexpr unsigned kFirst = (W / 2 + 3) / 4 * 4 - W / 2;  // the first of them in a row's words
    // Counts are multiplied by this: by 4, so that they are byte offsets, if they fit bytes.
    static constexpr std::uint32_t kUnit = 4 * kPixels < 256 ? 4 : 1;
    using Row = QuadRow<W>;
    static_assert(kFirst + kTouched <= 4 * Row::kWords, "the words of a row have all columns");

    unsigned char* counts;             // of this thread, level 0
    unsigned pitch;                    // bytes to the next level
    unsigned missing;                  // offset of the counts of missing pixels
    const unsigned char* differences;  // F[n + 1] - F[n]
    std::uint32_t sums[kQuadsColumns];

    TEGU_DEVICE std::uint32_t* at(unsigned offset) const {
        return reinterpret_cast<std::uint32_t*>(counts + offset);
    }
    // All pixels of all windows are missing.
    TEGU_DEVICE void clear(unsigned levels, const EntropyTables& tables) {
        for (unsigned level = 0; level < levels; ++level) *at(level * pitch) = 0;
        *at(missing) = kUnit * kPixels * 0x01010101u;
        TEGU_UNROLL
        for (unsigned k = 0; k < kQuadsColumns; ++k) sums[k] = tables.entries[kPixels];
    }
    TEGU_DEVICE std::uint32_t difference(std::uint32_t word, unsigned k) const {
        const std::uint32_t count = permute_bytes(word, 0, 0x4440u + k);
        return *reinterpret_cast<const std::uint32_t*>(differences + (kUnit == 4 ? count : 4 * count));
    }
    // Bytes of the windows that have column j.
    TEGU_DEVICE static constexpr std::uint32_t ones(unsigned j) {
        return (j < W ? kUnit : 0u) | (j >= 1 && j - 1 < W ? kUnit << 8 : 0u) |
               (j >= 2 && j - 2 < W ? kUnit << 16 : 0u) | (j >= 3 && j - 3 < W ? kUnit << 24 : 0u);
    }
    TEGU_DEVICE unsigned offset_of(const Row& row, unsigned j) const {
        const unsigned byte = kFirst + j;
        return permute_bytes(row.words[byte / 4], 0, 0x4440u + byte % 4) * pitch;
    }
    // A row leaves and another enters. Cut: bit j of `leaves` and `enters`: the pixel of column j exists.
    template <bool Cut>
    TEGU_DEVICE void change(const Row& out, const Row& in, unsigned leaves, unsigned enters) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kTouched; ++j) {
            unsigned gone = offset_of(out, j), come = offset_of(in, j);
            if (Cut) {
                gone = (leaves >> j & 1u) != 0 ? gone : missing;
                come = (enters >> j & 1u) != 0 ? come : missing;
            }
            const std::uint32_t less = atomic_add(at(gone), 0 - ones(j)) - ones(j),
                                before = atomic_add(at(come), ones(j));
            TEGU_UNROLL
            for (unsigned k = 0; k < kQuadsColumns; ++k)
                if (j >= k && j < k + W) sums[k] += difference(before, k) - difference(less, k);
        }
    }
};

// The entropies of the windows; `down` rows of them and `across` columns exist.
template <unsigned W>
struct QuadResults {
    unsigned across[kQuadsColumns];
    bool full;  // no window is cut at the left or right
    unsigned known = 0;
    EntropyFinish finish{};

    TEGU_DEVICE static void set(EntropyFinish* to, const EntropyTables& tables, unsigned pixels) {
        to->set(tables, pixels);
        to->whole += tables.entries[W * W - pixels];  // of the missing pixels
    }
    TEGU_DEVICE void store(const PlaneArrays& arrays, std::uint32_t row, std::uint32_t col, unsigned down,
                           bool packs, const std::uint32_t (&sums)[kQuadsColumns]) {
        float* const to = arrays.map + row * arrays.map_cols + col;
        if (down != known) set(&finish, arrays.tables, down * W);
        known = down;
        Pack<float, kQuadsColumns> values;
        TEGU_UNROLL
        for (unsigned k = 0; k < kQuadsColumns; ++k) values.at[k] = finish.of(sums[k]);
        if (full && packs) {
            *reinterpret_cast<Pack<float, kQuadsColumns>*>(to) = values;
            return;
        }
        TEGU_UNROLL
        for (unsigned k = 0; k < kQuadsColumns; ++k) {
            if (col + k >= arrays.cols) break;
            EntropyFinish cut = finish;
            if (across[k] != W) set(&cut, arrays.tables, down * across[k]);
            to[k] = cut.of(sums[k]);
        }
    }
};

// entropy_map_quads: windows of W x W pixels that slide down, four adjacent ones a thread.
// in:    plane, or pixels that are levels; tables          out: map of the piece
// grid:  x = columns / (4 * threads), y = strips            block: shape.threads, up to kQuadsThreads
// shared: differences [W * W + 1] u32, levels + 1 words a thread      result valid in: map, after the launch
// moves: reads the plane three times from the caches, writes 4 B a result      order: any
// why:   a pixel that four windows share costs one access to their counts; atomics of one thread keep their
//        order and none waits for another
template <unsigned W>
TEGU_KERNEL TEGU_BOUNDS(kQuadsThreads) entropy_map_quads(PlaneArrays arrays, bool store_packs) {
    TEGU_DYNAMIC_SHARED(shared);
    std::uint32_t* const differences = reinterpret_cast<std::uint32_t*>(shared);
    for (unsigned n = thread_index(); n <= W * W; n += block_threads())
        differences[n] = n < W * W ? arrays.tables.differences[n] : 0;
    block_barrier();
    const std::uint32_t col = (block_x() * block_threads() + thread_index()) * kQuadsColumns;
    if (col >= arrays.cols) return;

    using Group = Quads<W>;
    Group windows;
    windows.counts = shared + (W * W + 4) / 4 * 16 + thread_index() * sizeof(std::uint32_t);
    windows.pitch = static_cast<unsigned>(block_threads() * sizeof(std::uint32_t));
    windows.missing = arrays.window.levels * windows.pitch;
    windows.differences = shared;
    windows.clear(arrays.window.levels, arrays.tables);

    const EntropyPlane& plane = arrays.plane;
    const std::uint32_t left = arrays.first_col + col;
    unsigned exists = 0;
    for (unsigned j = 0; j < Group::kTouched; ++j)
        exists |= (left + j >= plane.col_begin && left + j < plane.col_end ? 1u : 0u) << j;
    QuadResults<W> results;
    for (unsigned k = 0; k < kQuadsColumns; ++k)
        results.across[k] = count_bits(exists >> k & ((1u << W) - 1));
    const bool inside = exists == (1u << Group::kTouched) - 1;
    results.full = inside && col + kQuadsColumns <= arrays.cols;

    const std::uint32_t begin = block_y() * arrays.strip_rows;
    const std::uint32_t end =
        begin + arrays.strip_rows < arrays.rows ? begin + arrays.strip_rows : arrays.rows;
    const unsigned char* const levels = plane.levels + col;  // the first word around the thread's windows
    // Words without an existing pixel may be outside the memory of the image.
    using Row = QuadRow<W>;
    bool loads[Row::kWords];
    for (unsigned w = 0; w < Row::kWords; ++w)
        loads[w] = col + 4 * w + 3 >= plane.col_begin && col + 4 * w < plane.col_end;
    const auto is_there = [&](std::uint32_t row) { return row >= plane.row_begin && row < plane.row_end; };
    const std::uint32_t past = end + W - 1 < plane.row_end ? end + W - 1 : plane.row_end;
    // Loads a row around the strip, or the nearest that exists: one behind may not be in memory.
    const auto load = [&](std::uint32_t row, Row* to) {
        const std::uint32_t before = row < past ? row : past - 1,
                            at = before > plane.row_begin ? before : plane.row_begin;
        const auto* const words =
            reinterpret_cast<const std::uint32_t*>(levels + std::size_t{at} * plane.pitch);
        TEGU_UNROLL
        for (unsigned w = 0; w < Row::kWords; ++w)
            if (loads[w]) to->words[w] = words[w];
    };
    // Row `row` of the plane enters; the rows before `begin` were never in. Rows of an image are read once:
    // it can change meanwhile, the counts must not. Large windows have a plane, as their rows would need too
    // many registers.
    constexpr bool kKept = W <= kQuadsReadRows;
    constexpr unsigned kRows = kKept ? W : 1;
    Row rows[kRows] = {};
    Row in = {};
    load(begin, &in);
    for (std::uint32_t row = begin; row < end + W - 1; ++row) {
        const bool enters = is_there(row), leaves = row >= begin + W && is_there(row - W);
        Row next = in, next_out = {};
        load(row + 1, &next);
        if (!kKept) load(row + 1 - W, &next_out);
        if (loads[1] && is_there(row + kAhead))
            prefetch(levels + std::size_t{row + kAhead} * plane.pitch + 4);
        if (inside && enters && leaves)
            windows.template change<false>(rows[0], in, 0, 0);
        else
            windows.template change<true>(rows[0], in, leaves ? exists : 0, enters ? exists : 0);
        TEGU_UNROLL
        for (unsigned i = 0; i + 1 < kRows; ++i) rows[i] = rows[i + 1];
        rows[kRows - 1] = kKept ? in : next_out;
        in = next;
        if (row + 1 < begin + W) continue;
        const std::uint32_t result = row + 1 - W;
        const std::uint32_t first = result > plane.row_begin ? result : plane.row_begin,
                            last = row < plane.row_end ? row + 1 : plane.row_end;
        results.store(arrays, result, col, last - first, store_packs, windows.sums);
    }
}

constexpr KernelTable<void (*)(PlaneArrays, bool), 7> kEntropyMapQuads = {
    "entropy_map_quads",
    "reads 3 levels of 1 B and writes 4 B a pixel, mostly from caches",
    {numbered(entropy_map_quads<3>, nullptr, 3u), numbered(entropy_map_quads<5>, nullptr, 5u),
     numbered(entropy_map_quads<7>, nullptr, 7u), numbered(entropy_map_quads<9>, nullptr, 9u),
     numbered(entropy_map_quads<11>, nullptr, 11u), numbered(entropy_map_quads<13>, nullptr, 13u),
     numbered(entropy_map_quads<15>, nullptr, 15u)}};

}  // namespace

bool entropy_quads_read(const EntropyMapImage& image, const EntropyWindow& window) {
    constexpr std::uint64_t kMaxPitch = 0xffffffff;
    const auto in_words = [](std::uint64_t bytes) { return bytes % sizeof(std::uint32_t) == 0; };
    if (image.type != ElementType::U8 || window.mirror || window.rows > kQuadsReadRows ||
        image.rule.levels != 256 || !in_words(image.cols) || !in_words(image.row_stride) ||
        !in_words(reinterpret_cast<std::uintptr_t>(image.x)) || image.row_stride > kMaxPitch)
        return false;
    // as level_of() computes it
    for (unsigned value = 0; image.rule.by_range && value < 256; ++value) {
        const float level = (static_cast<float>(value) - image.rule.lo) * image.rule.inv;
        if (!(level >= static_cast<float>(value) && (value == 255 || level < static_cast<float>(value + 1))))
            return false;
    }
    return true;
}

bool entropy_quads_supports(const EntropyWindow& window) {
    return window.rows == window.cols && window.rows <= 15;  // counts of up to 225 pixels fit bytes
}

std::size_t entropy_quads_bytes(const EntropyWindow& window, unsigned threads) {
    return (window.rows * window.cols + 4) / 4 * 16 + sizeof(std::uint32_t) * (window.levels + 1) * threads;
}

LaunchStatus launch_entropy_quads(const EntropyMapJob& job, const EntropyPiece& piece,
                                  const EntropyPlane& plane, Stream stream) {
    PlaneArrays arrays = plane_arrays(job, piece, plane);
    if (!job.shape.plane) {
        const std::int64_t first = plane.top * static_cast<std::int64_t>(job.image.row_stride) + plane.left;
        arrays.plane.levels = reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::uintptr_t>(job.image.x) +
                                                              static_cast<std::uintptr_t>(first));
        arrays.plane.pitch = static_cast<std::uint32_t>(job.image.row_stride);
    }
    const bool store_packs =
        reinterpret_cast<std::uintptr_t>(arrays.map) % 16 == 0 && arrays.map_cols % kQuadsColumns == 0;
    const std::uint32_t block = job.shape.threads * kQuadsColumns;
    const LaunchShape grid{(arrays.cols + block - 1) / block,
                           (arrays.rows + arrays.strip_rows - 1) / arrays.strip_rows, job.shape.threads,
                           entropy_quads_bytes(job.window, job.shape.threads)};
    return launch(kEntropyMapQuads[(job.window.rows - 3) / 2], grid, stream, arrays, store_packs);
}

void list_entropy_map_quads_kernels(KernelLister& to) {
    to.add(1, listed(kEntropyMapQuads, [](unsigned index) {
               const unsigned rows = kEntropyMapQuads.variants[index].numbers[0];
               return BlockSize{kDefaultEntropyMapPolicy.threads_per_block,
                                entropy_quads_bytes(EntropyWindow{rows, rows, 64, false},
                                                    kDefaultEntropyMapPolicy.threads_per_block)};
           }));
}

}  // namespace cuda
}  // namespace tegu
