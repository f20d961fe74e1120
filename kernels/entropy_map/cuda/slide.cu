// SPDX-License-Identifier: Apache-2.0
#include "kernels/entropy_map/cuda/slide.h"

#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kMaxByteCount = 255;  // pixels of a window whose counts fit bytes
constexpr unsigned kWideThreads = 128;   // a block should have capacity for this many

// The effect of a row of pixels on the windows: it enters, it leaves, or one leaves as another enters.
enum class Step { Enter, Leave, Exchange };

// The windows of C adjacent columns. A word holds their counts of one level. The threads of a block have
// their words side by side, so that lanes use different banks.
template <class Count, unsigned C>
struct Windows {
    using Word = typename UnsignedOf<sizeof(Count) * C>::type;
    static constexpr unsigned kBits = 8 * sizeof(Count);
    static constexpr unsigned kPerBank = sizeof(Word) < 4 ? 4 / sizeof(Word) : 1;
    unsigned char* words;  // of this thread
    unsigned pitch;        // bytes to its next group of kPerBank words
    const std::uint32_t* differences;
    std::uint32_t sums[C];

    TEGU_DEVICE Word* at(unsigned level) const {
        return reinterpret_cast<Word*>(words + level / kPerBank * pitch + level % kPerBank * sizeof(Word));
    }
    TEGU_DEVICE void clear(unsigned levels) {
        for (unsigned level = 0; level < levels; ++level) *at(level) = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < C; ++j) sums[j] = 0;
    }
    TEGU_DEVICE static unsigned count(Word word, unsigned j) {
        return static_cast<Count>(word >> (kBits * j));
    }
    // Applies a pixel to the windows [Begin, End).
    template <Step S, unsigned Begin, unsigned Past>
    TEGU_DEVICE void change(const std::uint8_t* out, const std::uint8_t* in, unsigned i) {
        constexpr unsigned End = Past < C ? Past : C;
        Word ones = 0;
        TEGU_UNROLL
        for (unsigned j = Begin; j < End; ++j) ones = static_cast<Word>(ones | Word{1} << (kBits * j));
        const unsigned gone = S == Step::Enter ? 0 : out[i], come = S == Step::Leave ? 0 : in[i];
        if (S == Step::Exchange && gone == come) return;
        Word *const from = at(gone), *const to = at(come);
        const Word less = S == Step::Enter ? Word{0} : static_cast<Word>(*from - ones);
        const Word before = S == Step::Leave ? Word{0} : *to;
        if (S != Step::Enter) *from = less;
        if (S != Step::Leave) *to = static_cast<Word>(before + ones);
        TEGU_UNROLL
        for (unsigned j = Begin; j < End; ++j) {
            if (S != Step::Enter) sums[j] -= differences[count(less, j)];
            if (S != Step::Leave) sums[j] += differences[count(before, j)];
        }
    }
    // Applies pixels [first, last) of the window_cols + C - 1 that the windows have in a row. The first and
    // last few lie in only some of the windows.
    template <Step S>
    TEGU_DEVICE void change_row(const std::uint8_t* out, const std::uint8_t* in, unsigned first,
                                unsigned last, unsigned window_cols) {
        const auto is_there = [=](unsigned i) { return i >= first && i < last; };
        if (C > 1 && is_there(0)) change<S, 0, 1>(out, in, 0);
        if (C > 2 && is_there(1)) change<S, 0, 2>(out, in, 1);
        if (C > 2 && is_there(2)) change<S, 0, 3>(out, in, 2);
        const unsigned end = last < window_cols ? last : window_cols;
        for (unsigned i = first > C - 1 ? first : C - 1; i < end; ++i) change<S, 0, C>(out, in, i);
        if (C > 1 && is_there(window_cols)) change<S, 1, C>(out, in, window_cols);
        if (C > 2 && is_there(window_cols + 1)) change<S, C == 4 ? 2 : 0, C>(out, in, window_cols + 1);
        if (C > 2 && is_there(window_cols + 2)) change<S, C == 4 ? 3 : 0, C>(out, in, window_cols + 2);
    }
};

// Computes the results of a row; `across`: columns of each window.
template <unsigned C>
TEGU_DEVICE void store_row(const PlaneArrays& arrays, std::uint32_t row, std::uint32_t col, unsigned down,
                           const unsigned (&across)[C], const std::uint32_t (&sums)[C], EntropyFinish* finish,
                           unsigned* pixels) {
    float* const to = arrays.map + row * arrays.map_cols + col;
    TEGU_UNROLL
    for (unsigned j = 0; j < C; ++j) {
        if (col + j >= arrays.cols) break;
        if (down * across[j] != *pixels) {
            *pixels = down * across[j];
            finish->set(arrays.tables, *pixels);
        }
        to[j] = finish->of(sums[j]);
    }
}

// entropy_map_slide: windows that slide down, those of C columns a thread.
// in:    plane, tables                          out: map of the piece
// grid:  x = columns / (C * threads), y = strips            block: shape.threads, up to 512
// shared: differences [n_max] u32, histograms of all threads      result valid in: map, after the launch
// moves: reads the plane from the caches 2 * (window.cols + C - 1) / C times, writes 4 B a result
// order: any
// why:   a step down costs 2 * window.cols lookups, for any number of levels and rows; the counts of C
//        windows are read and written at once
template <class Count, unsigned C>
TEGU_KERNEL TEGU_BOUNDS(512) entropy_map_slide(PlaneArrays arrays) {
    TEGU_DYNAMIC_SHARED(shared);
    const unsigned window_rows = arrays.window.rows, window_cols = arrays.window.cols,
                   n_max = window_rows * window_cols;
    std::uint32_t* const differences = reinterpret_cast<std::uint32_t*>(shared);
    for (unsigned n = thread_index(); n < n_max; n += block_threads())
        differences[n] = arrays.tables.differences[n];
    block_barrier();
    const std::uint32_t col = (block_x() * block_threads() + thread_index()) * C;
    if (col >= arrays.cols) return;

    using Group = Windows<Count, C>;
    Group windows;
    windows.words =
        shared + (n_max + 3) / 4 * 16 + thread_index() * Group::kPerBank * sizeof(typename Group::Word);
    windows.pitch = static_cast<unsigned>(block_threads() * Group::kPerBank * sizeof(typename Group::Word));
    windows.differences = differences;
    windows.clear(arrays.window.levels);

    const EntropyPlane& plane = arrays.plane;
    const std::uint32_t left = arrays.first_col + col;
    const unsigned touched = window_cols + C - 1;
    const unsigned first = left < plane.col_begin ? plane.col_begin - left : 0,
                   last = left + touched < plane.col_end ? touched : plane.col_end - left;
    unsigned across[C];
    TEGU_UNROLL
    for (unsigned j = 0; j < C; ++j)
        across[j] = (j + window_cols < last ? j + window_cols : last) - (j > first ? j : first);

    const std::uint32_t begin = block_y() * arrays.strip_rows;
    const std::uint32_t end =
        begin + arrays.strip_rows < arrays.rows ? begin + arrays.strip_rows : arrays.rows;
    // rows [top, bottom) of the plane are in the windows
    std::uint32_t top = begin > plane.row_begin ? begin : plane.row_begin;
    std::uint32_t bottom = begin + window_rows < plane.row_end ? begin + window_rows : plane.row_end;
    const std::size_t pitch = plane.pitch;
    // the rows that leave and enter next
    const std::uint8_t *out = plane.levels + top * pitch + left, *in = out;
    for (std::uint32_t row = top; row < bottom; ++row, in += pitch)
        windows.template change_row<Step::Enter>(in, in, first, last, window_cols);

    EntropyFinish finish{};
    unsigned pixels = 0;
    for (std::uint32_t row = begin;; ++row) {
        store_row<C>(arrays, row, col, bottom - top, across, windows.sums, &finish, &pixels);
        if (row + 1 == end) return;
        const bool leaves = row >= plane.row_begin, enters = row + window_rows < plane.row_end;
        if (leaves && enters)
            windows.template change_row<Step::Exchange>(out, in, first, last, window_cols);
        else if (enters)
            windows.template change_row<Step::Enter>(in, in, first, last, window_cols);
        else if (leaves)
            windows.template change_row<Step::Leave>(out, out, first, last, window_cols);
        if (leaves) ++top, out += pitch;
        if (enters) ++bottom, in += pitch;
    }
}

// One column a thread, and several.
constexpr KernelTable<void (*)(PlaneArrays), 2> kSlideBytes = {
    "entropy_map_slide",
    "reads 22 levels of 1 B and writes 4 B a pixel, mostly from caches; 11 x 11 pixels, 16 levels",
    {numbered(entropy_map_slide<std::uint8_t, 1>, "u8", 1u),
     numbered(entropy_map_slide<std::uint8_t, 4>, "u8", 4u)}};
constexpr KernelTable<void (*)(PlaneArrays), 2> kSlideShorts = {
    "entropy_map_slide",
    "reads 62 levels of 1 B and writes 4 B a pixel, mostly from caches; 31 x 31 pixels, 16 levels",
    {numbered(entropy_map_slide<std::uint16_t, 1>, "u16", 1u),
     numbered(entropy_map_slide<std::uint16_t, 2>, "u16", 2u)}};

bool counts_fit_bytes(const EntropyWindow& window) {
    return window.rows * window.cols <= kMaxByteCount;
}

}  // namespace

std::size_t entropy_slide_bytes(const EntropyWindow& window, unsigned columns, unsigned threads) {
    const std::size_t word = columns * (counts_fit_bytes(window) ? 1 : 2), per_bank = word < 4 ? 4 / word : 1;
    const std::size_t groups = (window.levels + per_bank - 1) / per_bank;
    return (window.rows * window.cols + 3) / 4 * 16 + groups * per_bank * word * threads;
}

unsigned entropy_slide_columns(const EntropyWindow& window, const DeviceLimits& limits) {
    const unsigned wide = counts_fit_bytes(window) ? 4 : 2;
    return entropy_slide_bytes(window, wide, kWideThreads) <= limits.shared_bytes_per_block ? wide : 1;
}

LaunchStatus launch_entropy_slide(const EntropyMapJob& job, const EntropyPiece& piece,
                                  const EntropyPlane& plane, Stream stream) {
    const PlaneArrays arrays = plane_arrays(job, piece, plane);
    const std::uint32_t block = job.shape.threads * job.shape.columns;
    const LaunchShape grid{(arrays.cols + block - 1) / block,
                           (arrays.rows + arrays.strip_rows - 1) / arrays.strip_rows, job.shape.threads,
                           entropy_slide_bytes(job.window, job.shape.columns, job.shape.threads)};
    const KernelTable<void (*)(PlaneArrays), 2>& kernels =
        counts_fit_bytes(job.window) ? kSlideBytes : kSlideShorts;
    return launch(kernels[job.shape.columns == 1 ? 0 : 1], grid, stream, arrays);
}

void list_entropy_map_slide_kernels(KernelLister& to) {
    constexpr unsigned kThreads = kDefaultEntropyMapPolicy.threads_per_block;
    const EntropyWindow small{11, 11, 16, false}, large{31, 31, 16, false};
    to.add(1,
           listed(kSlideBytes,
                  [&](unsigned index) {
                      return BlockSize{
                          kThreads,
                          entropy_slide_bytes(small, kSlideBytes.variants[index].numbers[0], kThreads)};
                  }),
           listed(kSlideShorts, [&](unsigned index) {
               return BlockSize{
                   kThreads, entropy_slide_bytes(large, kSlideShorts.variants[index].numbers[0], kThreads)};
           }));
}

}  // namespace cuda
}  // namespace tegu
