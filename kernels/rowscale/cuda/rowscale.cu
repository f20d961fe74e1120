// SPDX-License-Identifier: Apache-2.0
// A row that fits the registers of a group of lanes, or of a block, is read once. Longer rows are read twice,
// by a block each where the L2 cache is too small for trail.cu. One row alone, or a very long one, takes two
// launches of all blocks.
#include "kernels/rowscale/cuda/rowscale.h"

#include <type_traits>

#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/rowscale/cuda/joint.h"
#include "kernels/rowscale/cuda/rowscale.cuh"
#include "kernels/rowscale/cuda/trail.h"

namespace tegu {
namespace cuda {
namespace {

using namespace rowscale;

constexpr unsigned kInFlight = kRowscaleInFlight;

// The number of indices in [begin, end), at most `max`.
TEGU_DEVICE unsigned left_of(std::uint64_t begin, std::uint64_t end, unsigned max) {
    return end - begin < max ? static_cast<unsigned>(end - begin) : max;
}

// rowscale_groups: scales rows that the registers of a part of a warp hold.
// in:    x [rows, cols] T, packs of Width T aligned    out: values [rows, cols] T, scales [rows] T
// grid:  x strides over groups of `lanes` threads, Rows rows each    block: up to policy.threads_per_block
// shared: none                                         result valid in: values and scales, after the launch
// moves: reads rows * cols * sizeof(T) B, writes as much and rows * sizeof(T) B      order: any
// why:   one read of the data; all packs of Rows rows are in flight before the first comparison, and all rows
//        are compared side by side
template <class T, unsigned Width, unsigned Packs, unsigned Rows>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    rowscale_groups(RowscaleArrays arrays, unsigned lanes) {
    const unsigned first = thread_index() % lanes;
    const unsigned packs = static_cast<unsigned>(arrays.cols / Width);
    const unsigned together = block_threads() / lanes * Rows;  // rows of a block
    // All lanes of a warp stay to the end because they shuffle together. So all have the same number of
    // rounds.
    for (std::uint64_t base = std::uint64_t{block_x()} * together; base < arrays.rows;
         base += std::uint64_t{grid_x()} * together) {
        const std::uint64_t begin = base + thread_index() / lanes * Rows;
        const unsigned count = begin >= arrays.rows ? 0 : left_of(begin, arrays.rows, Rows);
        Held<T, Width, Packs> held[Rows];
        TEGU_UNROLL
        for (unsigned r = 0; r < Rows; ++r)
            if (r < count)
                held[r].template load<false>(
                    static_cast<const T*>(arrays.x) + (begin + r) * arrays.row_stride, packs, first, lanes);
        typename Key<T>::type key[Rows];
        TEGU_UNROLL
        for (unsigned r = 0; r < Rows; ++r)
            key[r] = r < count ? held[r].key(packs, first, lanes, arrays.skip_nans) : 0;
        for (unsigned mask = lanes / 2; mask != 0; mask /= 2) {
            TEGU_UNROLL
            for (unsigned r = 0; r < Rows; ++r) key[r] = larger(key[r], shuffle_xor(key[r], mask));
        }
        TEGU_UNROLL
        for (unsigned r = 0; r < Rows; ++r)
            if (r < count)
                held[r].template store<false>(static_cast<T*>(arrays.values) + (begin + r) * arrays.cols,
                                              packs, first, lanes, Divisor<T>(key[r]));
        // One lane writes each scale, if there are enough lanes.
        T* const scales = static_cast<T*>(arrays.scales) + begin;
        typename Key<T>::type own = key[0];
        TEGU_UNROLL
        for (unsigned r = 1; r < Rows; ++r) {
            if (first == r) own = key[r];
            if (first == r % lanes && r >= lanes && r < count) scales[r] = Key<T>::scale(key[r]);
        }
        if (first < count) scales[first] = Key<T>::scale(own);
    }
}

// rowscale_blocks: scales rows that the registers of a block hold.
// in, out, moves, why: as rowscale_groups
// grid:  x strides over rows                           block: shape.threads
// shared: 256 B                                        result valid in: values and scales, after the launch
template <class T, unsigned Width, unsigned Packs>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters) rowscale_blocks(RowscaleArrays arrays) {
    const unsigned packs = static_cast<unsigned>(arrays.cols / Width);
    for (std::uint64_t row = block_x(); row < arrays.rows; row += grid_x()) {
        Held<T, Width, Packs> held;
        held.template load<false>(static_cast<const T*>(arrays.x) + row * arrays.row_stride, packs,
                                  thread_index(), block_threads());
        const auto key = block_max(held.key(packs, thread_index(), block_threads(), arrays.skip_nans));
        held.template store<false>(static_cast<T*>(arrays.values) + row * arrays.cols, packs, thread_index(),
                                   block_threads(), Divisor<T>(key));
        if (thread_index() == 0) static_cast<T*>(arrays.scales)[row] = Key<T>::scale(key);
        block_barrier();  // the shared words of block_max have been read: the next row may write them
    }
}

// rowscale_sweeps: scales rows that a block reads twice, the second time from their end, which is still in
// the cache.
// in, out: as rowscale_groups
// grid:  x strides over rows                           block: shape.threads
// shared: 256 B                                        result valid in: values and scales, after the launch
// moves: reads rows * cols * sizeof(T) B, and as much from the L2 cache; writes as much      order: any
// why:   few rows are in progress at once, so that the second read seldom goes to memory
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters) rowscale_sweeps(RowscaleArrays arrays) {
    const std::uint64_t packs = arrays.cols / Width;
    const unsigned step = kInFlight * block_threads();
    for (std::uint64_t row = block_x(); row < arrays.rows; row += grid_x()) {
        const T* const x = static_cast<const T*>(arrays.x) + row * arrays.row_stride;
        T* const values = static_cast<T*>(arrays.values) + row * arrays.cols;
        Held<T, Width, kInFlight> held;
        typename Key<T>::type key = 0;
        for (std::uint64_t begin = 0; begin < packs; begin += step) {
            const unsigned count = left_of(begin, packs, step);
            held.template load<false>(x + begin * Width, count, thread_index(), block_threads());
            key = larger(key, held.key(count, thread_index(), block_threads(), arrays.skip_nans));
        }
        key = block_max(key);
        const Divisor<T> divisor(key);
        for (std::uint64_t end = (packs + step - 1) / step; end > 0; --end) {
            const std::uint64_t begin = (end - 1) * step;
            const unsigned count = left_of(begin, packs, step);
            held.template load<true>(x + begin * Width, count, thread_index(), block_threads());
            held.template store<true>(values + begin * Width, count, thread_index(), block_threads(),
                                      divisor);
        }
        if (thread_index() == 0) static_cast<T*>(arrays.scales)[row] = Key<T>::scale(key);
        block_barrier();  // the shared words of block_max have been read: the next row may write them
    }
}

// rowscale_keys: the largest magnitude of segments that several blocks share.
// in:    x [rows * lines, cols] T                      out: keys [rows] u64, zero before the first launch
// grid:  x strides over the packs of a line, y over the lines       block: shape.threads
// shared: 256 B
// result valid in: keys, after the launches of all pieces
// moves: reads n * sizeof(T) B                         order: any; the maximum of bits has none
// why:   one atomic for each block and line instead of partial results and a last block
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    rowscale_keys(RowscaleArrays arrays, RowscalePiece piece) {
    const std::uint64_t packs = piece.cols / Width;
    const unsigned step = kInFlight * block_threads();
    for (std::uint64_t at = block_y(); at < piece.lines; at += grid_y()) {
        const std::uint64_t line = piece.line + at;
        const T* const x = static_cast<const T*>(arrays.x) + line * arrays.row_stride + piece.col;
        typename Key<T>::type key = 0;
        for (std::uint64_t begin = std::uint64_t{block_x()} * step; begin < packs;
             begin += std::uint64_t{grid_x()} * step) {
            Held<T, Width, kInFlight> held;
            const unsigned count = left_of(begin, packs, step);
            held.template load<false>(x + begin * Width, count, thread_index(), block_threads());
            key = larger(key, held.key(count, thread_index(), block_threads(), arrays.skip_nans));
        }
        key = block_max(key);
        if (thread_index() == 0 && key != 0)
            atomic_max(&arrays.keys[line / arrays.lines], std::uint64_t{key});
        block_barrier();
    }
}

// rowscale_divide: the quotients of segments whose keys are known.
// in:    x [rows * lines, cols] T, keys [rows] u64     out: values [rows * lines, cols] T, scales [rows] T
// grid:  x strides over the packs of a line, y over the lines       block: shape.threads
// shared: none
// result valid in: values and scales of the piece, after the launch
// moves: reads n * sizeof(T) B, writes as much         order: any
// why:   runs from the end of the piece to its start: the previous launches left the end in the L2 cache
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    rowscale_divide(RowscaleArrays arrays, RowscalePiece piece) {
    const std::uint64_t packs = piece.cols / Width;
    const unsigned step = kInFlight * block_threads();
    const std::uint64_t steps = (packs + step - 1) / step;
    for (std::uint64_t at = block_y(); at < piece.lines; at += grid_y()) {
        const std::uint64_t line = piece.line + piece.lines - 1 - at;
        const auto key = static_cast<typename Key<T>::type>(arrays.keys[line / arrays.lines]);
        const Divisor<T> divisor(key);
        const T* const x = static_cast<const T*>(arrays.x) + line * arrays.row_stride + piece.col;
        T* const values = static_cast<T*>(arrays.values) + line * arrays.cols + piece.col;
        for (std::uint64_t before = block_x(); before < steps; before += grid_x()) {
            const std::uint64_t begin = (steps - 1 - before) * step;
            Held<T, Width, kInFlight> held;
            const unsigned count = left_of(begin, packs, step);
            held.template load<true>(x + begin * Width, count, thread_index(), block_threads());
            held.template store<true>(values + begin * Width, count, thread_index(), block_threads(),
                                      divisor);
        }
        const bool is_first = line % arrays.lines == 0 && piece.col == 0 && block_x() == 0;
        if (is_first && thread_index() == 0)
            static_cast<T*>(arrays.scales)[line / arrays.lines] = Key<T>::scale(key);
    }
}

constexpr unsigned kMaxGridY = 65535;
constexpr unsigned kKeyWaves = 4;  // more blocks would need more atomics

// Rows of a group of lanes: fewer where a thread holds more of each.
template <class T, unsigned Width, unsigned Packs>
constexpr unsigned group_rows() {
    return Width == 1 ? (Packs * sizeof(T) <= 16 ? 4 : 2) : Packs <= 2 ? 2 : 1;
}

constexpr const char* kMoves = "reads and writes n elements, writes 1 a row";
// Rows: types, each with accesses of packs and of single elements; columns: packs that a thread holds.
#define TEGU_ROWS(X)                                                                                   \
    X(Half, "f16", 8), X(Half, "f16", 1), X(float, "f32", 4), X(float, "f32", 1), X(double, "f64", 2), \
        X(double, "f64", 1)
constexpr unsigned kTypeRows = 2 * kFloatTypes, kPackSizes = 3;
template <class T, unsigned Width, unsigned Packs>
constexpr KernelVariant<void (*)(RowscaleArrays, unsigned)> groups(const char* word) {
    return numbered(rowscale_groups<T, Width, Packs, group_rows<T, Width, Packs>()>, word, Width, Packs,
                    group_rows<T, Width, Packs>());
}
#define TEGU_X(T, word, width) groups<T, width, 1>(word), groups<T, width, 2>(word), groups<T, width, 4>(word)
constexpr KernelTable<void (*)(RowscaleArrays, unsigned), kPackSizes* kTypeRows> kGroups = {
    "rowscale_groups", kMoves, {TEGU_ROWS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word, width)                                      \
    numbered(rowscale_blocks<T, width, 1>, word, width##u, 1u),     \
        numbered(rowscale_blocks<T, width, 2>, word, width##u, 2u), \
        numbered(rowscale_blocks<T, width, 4>, word, width##u, 4u)
constexpr KernelTable<void (*)(RowscaleArrays), kPackSizes* kTypeRows> kBlocks = {
    "rowscale_blocks", kMoves, {TEGU_ROWS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word, width) numbered(rowscale_sweeps<T, width>, word, width##u)
constexpr KernelTable<void (*)(RowscaleArrays), kTypeRows> kSweeps = {
    "rowscale_sweeps",
    "reads n elements from memory and n from the L2 cache, writes n, and 1 a row",
    {TEGU_ROWS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word, width) numbered(rowscale_keys<T, width>, word, width##u)
constexpr KernelTable<void (*)(RowscaleArrays, RowscalePiece), kTypeRows> kKeys = {
    "rowscale_keys", "reads n elements, adds 8 B a block and row", {TEGU_ROWS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word, width) numbered(rowscale_divide<T, width>, word, width##u)
constexpr KernelTable<void (*)(RowscaleArrays, RowscalePiece), kTypeRows> kDivide = {
    "rowscale_divide", kMoves, {TEGU_ROWS(TEGU_X)}};
#undef TEGU_X
#undef TEGU_ROWS

unsigned row_of(const RowscaleShape& shape) {
    return 2 * float_index(shape.type) + (shape.pack == 1 ? 1 : 0);
}

LaunchShape spread_shape(const RowscalePiece& piece, const RowscaleShape& shape, unsigned waves,
                         const DeviceLimits& limits) {
    const unsigned y = static_cast<unsigned>(piece.lines < kMaxGridY ? piece.lines : kMaxGridY);
    const unsigned x =
        blocks_for((piece.cols / shape.pack + kInFlight - 1) / kInFlight, shape.threads, waves, limits);
    const unsigned max = blocks_for(~std::uint64_t{0} >> 1, shape.threads, waves, limits);
    return LaunchShape{x < (max + y - 1) / y ? x : (max + y - 1) / y, y, shape.threads, 0};
}

}  // namespace

LaunchStatus launch_rowscale(const RowscaleArrays& arrays, const RowscaleShape& shape,
                             const RowscaleConfig& config) {
    if (arrays.rows == 0) return 0;
    if (arrays.lines == 0 || arrays.cols == 0)
        return zero(arrays.scales, arrays.rows * element_bytes(shape.type), config.stream);
    if (shape.method == RowscaleMethod::Joint) return launch_rowscale_joint(arrays, shape, config);
    if (shape.method == RowscaleMethod::Trail) return launch_rowscale_trail(arrays, shape, config);
    const unsigned row = row_of(shape);
    const auto shape_for = [&](std::uint64_t groups_of_lanes, unsigned lanes, unsigned waves) {
        return LaunchShape{blocks_for(groups_of_lanes * lanes, shape.threads, waves, config.limits), 1,
                           shape.threads, 0};
    };
    if (shape.method == RowscaleMethod::Sweeps)
        return launch(kSweeps[row], shape_for(arrays.rows, shape.threads, 1), config.stream, arrays);
    const unsigned index = kPackSizes * row + (shape.packs > 2 ? 2 : shape.packs > 1 ? 1 : 0);
    if (shape.method != RowscaleMethod::Group)
        return launch(kBlocks[index], shape_for(arrays.rows, shape.threads, config.policy.waves),
                      config.stream, arrays);
    const unsigned together = kGroups.variants[index].numbers[2];
    return launch(kGroups[index],
                  shape_for((arrays.rows + together - 1) / together, shape.lanes, config.policy.waves),
                  config.stream, arrays, shape.lanes);
}

LaunchStatus launch_rowscale_keys(const RowscaleArrays& arrays, const RowscalePiece& piece,
                                  const RowscaleShape& shape, const RowscaleConfig& config) {
    if (piece.lines == 0 || piece.cols == 0) return 0;
    const unsigned waves = config.policy.waves < kKeyWaves ? config.policy.waves : kKeyWaves;
    return launch(kKeys[row_of(shape)], spread_shape(piece, shape, waves, config.limits), config.stream,
                  arrays, piece);
}

LaunchStatus launch_rowscale_divide(const RowscaleArrays& arrays, const RowscalePiece& piece,
                                    const RowscaleShape& shape, const RowscaleConfig& config) {
    if (piece.lines == 0 || piece.cols == 0) return 0;
    return launch(kDivide[row_of(shape)], spread_shape(piece, shape, config.policy.waves, config.limits),
                  config.stream, arrays, piece);
}

void list_rowscale_kernels(KernelLister& to) {
    const BlockSize some{kDefaultRowscalePolicy.threads_per_block, 0};
    to.add(kTypeRows, listed(kGroups, some), listed(kBlocks, BlockSize{512, 0}),
           listed(kSweeps, BlockSize{max_threads(to.limits()), 0}), listed(kKeys, some),
           listed(kDivide, some));
}

}  // namespace cuda
}  // namespace tegu
