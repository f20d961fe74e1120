// SPDX-License-Identifier: Apache-2.0
// A row that fits the registers of a group of lanes, or of a block, is read once. A longer one is spread over blocks: all of them find its
// largest magnitude, a second launch divides, and reads from the L2 cache what still is there. Magnitudes are compared as bits without
// the sign: their order is that of the numbers, with every NaN above infinity.
#include "kernels/cuda/rowscale.h"

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/grid.cuh"

namespace tegu {
namespace cuda {
namespace {

// Key<T>::of(x): the bits of |x|; Key<T>::scale(key): the element that they are, every NaN the canonical one.
template <class T>
struct Key;
template <>
struct Key<Half> {
    using type = std::uint32_t;
    TEGU_DEVICE static type of(Half x) { return x.bits & 0x7fffu; }
    TEGU_DEVICE static Half scale(type key) { return Half{key > 0x7c00u ? kHalfNan : static_cast<std::uint16_t>(key)}; }
};
template <>
struct Key<float> {
    using type = std::uint32_t;
    TEGU_DEVICE static type of(float x) { return bit_cast<std::uint32_t>(x) & 0x7fffffffu; }
    TEGU_DEVICE static float scale(type key) { return bit_cast<float>(key > 0x7f800000u ? kFloatNan : key); }
};
template <>
struct Key<double> {
    using type = std::uint64_t;
    TEGU_DEVICE static type of(double x) { return bit_cast<std::uint64_t>(x) & 0x7fffffffffffffffu; }
    TEGU_DEVICE static double scale(type key) { return bit_cast<double>(key > 0x7ff0000000000000u ? kDoubleNan : key); }
};

template <class T>
TEGU_DEVICE typename Key<T>::type larger_key(typename Key<T>::type key, T x, bool skip_nans) {
    const typename Key<T>::type of_x = skip_nans && is_nan(x) ? 0 : Key<T>::of(x);
    return of_x > key ? of_x : key;
}

// x / scale; a scale of 0 leaves x.
template <class T>
TEGU_DEVICE T scaled(T x, T scale, bool is_zero) {
    return Narrow<T>::of(is_zero ? widen(x) : widen(x) / widen(scale));
}

// The largest key of the lanes that share a row. REQUIRES: lanes is a power of two up to 32.
template <class K>
TEGU_DEVICE K group_max(K key, unsigned lanes) {
    for (unsigned mask = lanes / 2; mask != 0; mask /= 2) {
        const K other = shuffle_xor(key, mask);
        key = other > key ? other : key;
    }
    return key;
}
template <class K>
TEGU_DEVICE K block_max(K key) {
    TEGU_SHARED_ARRAY(K, of_warp, 32);
    key = group_max(key, kWarpLanes);
    if (lane_index() == 0) of_warp[warp_index()] = key;
    block_barrier();
    key = lane_index() < block_warps() ? of_warp[lane_index()] : 0;
    return group_max(key, kWarpLanes);
}

// What a thread holds of a row: every `lanes`-th pack from its own on.
template <class T, unsigned Width, unsigned Packs>
struct Held {
    using Chunk = Pack<T, Width>;
    Chunk chunk[Packs];

    TEGU_DEVICE void load(const T* row, std::uint64_t packs, unsigned first, unsigned lanes) {
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i)
            if (first + i * lanes < packs) chunk[i] = reinterpret_cast<const Chunk*>(row)[first + i * lanes];
    }
    TEGU_DEVICE typename Key<T>::type key(std::uint64_t packs, unsigned first, unsigned lanes, bool skip_nans) const {
        typename Key<T>::type largest = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i)
            if (first + i * lanes < packs) {
                TEGU_UNROLL
                for (unsigned e = 0; e < Width; ++e) largest = larger_key(largest, chunk[i].at[e], skip_nans);
            }
        return largest;
    }
    TEGU_DEVICE void store(T* row, std::uint64_t packs, unsigned first, unsigned lanes, T scale, bool is_zero) {
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i)
            if (first + i * lanes < packs) {
                TEGU_UNROLL
                for (unsigned e = 0; e < Width; ++e) chunk[i].at[e] = scaled(chunk[i].at[e], scale, is_zero);
                reinterpret_cast<Chunk*>(row)[first + i * lanes] = chunk[i];
            }
    }
};

// rowscale_groups: rows that the registers of a part of a warp hold.
// in:    x [rows, cols] T, packs of Width T aligned    out: values [rows, cols] T, scales [rows] T
// grid:  x strides over groups of `lanes` threads, Rows rows each    block: policy.threads_per_block
// shared: none                                         result valid in: values and scales, after the launch
// moves: reads rows * cols * sizeof(T) B, writes as much and rows * sizeof(T) B      order: any
// why:   one read of the data; all packs of Rows rows are in flight before the first comparison
template <class T, unsigned Width, unsigned Packs, unsigned Rows>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) rowscale_groups(RowscaleArrays arrays, unsigned lanes) {
    const unsigned first = thread_index() % lanes;
    const std::uint64_t packs = arrays.cols / Width;
    const std::uint64_t groups = std::uint64_t{grid_x()} * (block_threads() / lanes);
    const std::uint64_t group = std::uint64_t{block_x()} * (block_threads() / lanes) + thread_index() / lanes;
    // All lanes of a warp stay to the end, as they shuffle together: the number of rounds is the same for all.
    for (std::uint64_t round = 0; round * groups * Rows < arrays.rows; ++round) {
        const std::uint64_t begin = (round * groups + group) * Rows;
        Held<T, Width, Packs> held[Rows];
        TEGU_UNROLL
        for (unsigned r = 0; r < Rows; ++r)
            if (begin + r < arrays.rows)
                held[r].load(static_cast<const T*>(arrays.x) + (begin + r) * arrays.row_stride, packs, first, lanes);
        TEGU_UNROLL
        for (unsigned r = 0; r < Rows; ++r) {
            const std::uint64_t row = begin + r;
            const bool is_row = row < arrays.rows;
            const auto key = group_max(is_row ? held[r].key(packs, first, lanes, arrays.skip_nans) : 0, lanes);
            if (!is_row) continue;
            const T scale = Key<T>::scale(key);
            held[r].store(static_cast<T*>(arrays.values) + row * arrays.cols, packs, first, lanes, scale, key == 0);
            if (first == 0) static_cast<T*>(arrays.scales)[row] = scale;
        }
    }
}

// rowscale_blocks: rows that the registers of a block hold.
// in, out, moves, why: as rowscale_groups
// grid:  x strides over rows                           block: policy.threads_per_block
// shared: 256 B                                        result valid in: values and scales, after the launch
template <class T, unsigned Width, unsigned Packs>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) rowscale_blocks(RowscaleArrays arrays) {
    const std::uint64_t packs = arrays.cols / Width;
    for (std::uint64_t row = block_x(); row < arrays.rows; row += grid_x()) {
        Held<T, Width, Packs> held;
        held.load(static_cast<const T*>(arrays.x) + row * arrays.row_stride, packs, thread_index(), block_threads());
        const auto key = block_max(held.key(packs, thread_index(), block_threads(), arrays.skip_nans));
        const T scale = Key<T>::scale(key);
        held.store(static_cast<T*>(arrays.values) + row * arrays.cols, packs, thread_index(), block_threads(), scale, key == 0);
        if (thread_index() == 0) static_cast<T*>(arrays.scales)[row] = scale;
        block_barrier();  // the shared words of block_max are read: the next row may write them
    }
}

// Line `line` of the input, and of the values.
template <class T>
TEGU_DEVICE const T* line_of(const RowscaleArrays& arrays, std::uint64_t line) {
    return static_cast<const T*>(arrays.x) + line * arrays.row_stride;
}

// rowscale_keys: the largest magnitude of sequences that are spread over blocks.
// in:    x [rows * lines, cols] T                      out: keys [rows] u64, zero before
// grid:  x strides over the packs of a line, y over the lines       block: policy.threads_per_block
// shared: 256 B                                        result valid in: keys, after the launch
// moves: reads n * sizeof(T) B                         order: any; the maximum of bits has none
// why:   one atomic a block and line instead of partial results and a last block
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) rowscale_keys(RowscaleArrays arrays) {
    using Chunk = Pack<T, Width>;
    const std::uint64_t packs = arrays.cols / Width;
    const std::uint64_t step = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t line = block_y(); line < arrays.rows * arrays.lines; line += grid_y()) {
        const Chunk* const x = reinterpret_cast<const Chunk*>(line_of<T>(arrays, line));
        typename Key<T>::type key = 0;
        for (std::uint64_t p = std::uint64_t{block_x()} * block_threads() + thread_index(); p < packs; p += 4 * step) {
            Held<T, Width, 4> held;
            TEGU_UNROLL
            for (unsigned i = 0; i < 4; ++i)
                if (p + i * step < packs) held.chunk[i] = x[p + i * step];
            TEGU_UNROLL
            for (unsigned i = 0; i < 4; ++i)
                if (p + i * step < packs) {
                    TEGU_UNROLL
                    for (unsigned e = 0; e < Width; ++e) key = larger_key(key, held.chunk[i].at[e], arrays.skip_nans);
                }
        }
        key = block_max(key);
        if (thread_index() == 0 && key != 0) atomic_max(&arrays.keys[line / arrays.lines], std::uint64_t{key});
        block_barrier();
    }
}

// rowscale_divide: the quotients of sequences whose keys are known.
// in:    x [rows * lines, cols] T, keys [rows] u64     out: values [rows * lines, cols] T, scales [rows] T
// grid:  x strides over the packs of a line, y over the lines       block: policy.threads_per_block
// shared: none                                         result valid in: values and scales, after the launch
// moves: reads n * sizeof(T) B, writes as much         order: any
// why:   from the end of the data to its begin: that is what the first launch left in the L2 cache
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) rowscale_divide(RowscaleArrays arrays) {
    using Chunk = Pack<T, Width>;
    const std::uint64_t packs = arrays.cols / Width;
    const std::uint64_t step = std::uint64_t{grid_x()} * block_threads();
    const std::uint64_t lines = arrays.rows * arrays.lines;
    for (std::uint64_t back = block_y(); back < lines; back += grid_y()) {
        const std::uint64_t line = lines - 1 - back;
        const auto key = static_cast<typename Key<T>::type>(arrays.keys[line / arrays.lines]);
        const T scale = Key<T>::scale(key);
        const Chunk* const x = reinterpret_cast<const Chunk*>(line_of<T>(arrays, line));
        Chunk* const values = reinterpret_cast<Chunk*>(static_cast<T*>(arrays.values) + line * arrays.cols);
        for (std::uint64_t p = std::uint64_t{block_x()} * block_threads() + thread_index(); p < packs; p += step) {
            Chunk chunk = x[packs - 1 - p];
            TEGU_UNROLL
            for (unsigned e = 0; e < Width; ++e) chunk.at[e] = scaled(chunk.at[e], scale, key == 0);
            values[packs - 1 - p] = chunk;
        }
        if (line % arrays.lines == 0 && block_x() == 0 && thread_index() == 0) static_cast<T*>(arrays.scales)[line / arrays.lines] = scale;
    }
}

constexpr unsigned kMaxGridY = 65535;

template <class T, unsigned Width, unsigned Packs>
LaunchStatus launch_held(const RowscaleArrays& arrays, const RowscaleShape& shape, const RowscalePolicy& policy,
                         const DeviceLimits& limits, Stream stream) {
    const unsigned threads = policy.threads_per_block;
    if (shape.lanes <= kWarpLanes) {
        constexpr unsigned kRows = Packs == 1 ? 4 : Packs == 2 ? 2 : 1;  // four packs in flight
        const unsigned blocks = blocks_for((arrays.rows + kRows - 1) / kRows * shape.lanes, threads, policy.waves, limits);
        return launch(rowscale_groups<T, Width, Packs, kRows>, LaunchShape{blocks, 1, threads, 0}, stream, arrays, shape.lanes);
    }
    const unsigned blocks = blocks_for(arrays.rows * threads, threads, policy.waves, limits);
    return launch(rowscale_blocks<T, Width, Packs>, LaunchShape{blocks, 1, threads, 0}, stream, arrays);
}

template <class T, unsigned Width>
LaunchStatus launch_spread(const RowscaleArrays& arrays, const RowscalePolicy& policy, const DeviceLimits& limits, Stream stream) {
    const std::uint64_t lines = arrays.rows * arrays.lines;
    const unsigned y = static_cast<unsigned>(lines < kMaxGridY ? lines : kMaxGridY);
    const unsigned x = blocks_for(arrays.cols / Width, policy.threads_per_block, policy.waves, limits);
    const unsigned most = blocks_for(~std::uint64_t{0} >> 1, policy.threads_per_block, policy.waves, limits);
    const unsigned across = x < (most + y - 1) / y ? x : (most + y - 1) / y;
    const LaunchShape shape{across, y, policy.threads_per_block, 0};
    const LaunchStatus found = launch(rowscale_keys<T, Width>, shape, stream, arrays);
    return found != 0 ? found : launch(rowscale_divide<T, Width>, shape, stream, arrays);
}

template <class T, unsigned Width>
LaunchStatus launch_width(const RowscaleArrays& arrays, const RowscaleShape& shape, const RowscalePolicy& policy,
                          const DeviceLimits& limits, Stream stream) {
    if (shape.needs_keys()) return launch_spread<T, Width>(arrays, policy, limits, stream);
    if (shape.packs > 2) return launch_held<T, Width, 4>(arrays, shape, policy, limits, stream);
    if (shape.packs > 1) return launch_held<T, Width, 2>(arrays, shape, policy, limits, stream);
    return launch_held<T, Width, 1>(arrays, shape, policy, limits, stream);
}

template <class T>
LaunchStatus launch_typed(const RowscaleArrays& arrays, const RowscaleShape& shape, const RowscalePolicy& policy,
                          const DeviceLimits& limits, Stream stream) {
    constexpr unsigned kWidth = 16 / sizeof(T);
    if (shape.pack == kWidth) return launch_width<T, kWidth>(arrays, shape, policy, limits, stream);
    return launch_width<T, 1>(arrays, shape, policy, limits, stream);
}

unsigned power_of_two_from(std::uint64_t least) {
    unsigned power = 1;
    while (power < least) power *= 2;
    return power;
}

}  // namespace

RowscaleShape rowscale_shape(ElementType type, const RowscaleArrays& arrays, const RowscalePolicy& policy) {
    const std::uint64_t bytes = element_bytes(type);
    const auto aligned = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % 16 == 0; };
    const bool many = arrays.rows * arrays.lines > 1;
    const bool packed = aligned(arrays.x) && aligned(arrays.values) && arrays.cols * bytes % 16 == 0 &&
                        (!many || arrays.row_stride * bytes % 16 == 0);
    RowscaleShape shape;
    shape.pack = packed ? static_cast<unsigned>(16 / bytes) : 1;
    const std::uint64_t packs = arrays.cols / shape.pack;
    shape.packs = 1;
    shape.lanes = 0;
    if (arrays.lines != 1) return shape;
    const auto rounds = [&](std::uint64_t threads) { return (packs + threads - 1) / threads; };
    if (rounds(kWarpLanes) <= policy.packs_per_thread) {
        shape.lanes = packs < kWarpLanes ? power_of_two_from(packs) : kWarpLanes;
        shape.packs = static_cast<unsigned>(rounds(shape.lanes));
    } else if (policy.threads_per_block > kWarpLanes && rounds(policy.threads_per_block) <= policy.packs_per_thread) {
        shape.lanes = policy.threads_per_block;
        shape.packs = static_cast<unsigned>(rounds(shape.lanes));
    }
    return shape;
}

LaunchStatus launch_rowscale(ElementType type, const RowscaleArrays& arrays, const RowscaleShape& shape, const RowscalePolicy& policy,
                             const DeviceLimits& limits, Stream stream) {
    if (arrays.rows == 0) return 0;
    if (arrays.lines == 0 || arrays.cols == 0) return zero(arrays.scales, arrays.rows * element_bytes(type), stream);
    if (type == ElementType::F16) return launch_typed<Half>(arrays, shape, policy, limits, stream);
    if (type == ElementType::F32) return launch_typed<float>(arrays, shape, policy, limits, stream);
    return launch_typed<double>(arrays, shape, policy, limits, stream);
}

}  // namespace cuda
}  // namespace tegu
