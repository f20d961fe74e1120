// SPDX-License-Identifier: Apache-2.0
// Finds the smallest and the largest finite element. Floats are compared as unsigned keys. Both bounds are
// maxima, so zeroed memory is a valid start.
#include "kernels/counting/cuda/levels.cuh"

#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWaves = 4;
constexpr unsigned kInFlight = 4;  // packs that a lane loads at once
constexpr unsigned kRounds = 4;    // of these loads in a stretch
constexpr unsigned kStretchPacks = kWarpLanes * kInFlight * kRounds;

// Merges the key of an element, unless it is infinite or NaN, into the largest complement and the largest
// key.
template <class T>
struct FiniteKey {
    using type = typename UnsignedOf<(sizeof(T) < 4 ? 4 : sizeof(T))>::type;
    using Bits = typename UnsignedOf<sizeof(T)>::type;
    static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    static constexpr Bits kMask = static_cast<Bits>(~Bits{0});
    static constexpr Bits kExponent = static_cast<Bits>(sizeof(T) == 2   ? 0x7c00u
                                                        : sizeof(T) == 4 ? 0x7f800000u
                                                                         : 0x7ff0000000000000u);
    TEGU_DEVICE static void merge(T x, type* low, type* high) {
        const Bits bits = bit_cast<Bits>(x);
        if ((bits & kExponent) == kExponent) return;
        const Bits key = static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits ^ kSign);
        const type up = key, down = static_cast<Bits>(key ^ kMask);
        *low = down > *low ? down : *low;
        *high = up > *high ? up : *high;
    }
};

// Compares before the atomic: after the first few, hardly any value changes the maximum.
TEGU_DEVICE void raise(std::uint64_t* at, std::uint64_t value) {
    if (value > *at) atomic_max(at, value);
}
template <class K>
TEGU_DEVICE void warp_raise(K low, K high, FiniteBounds* bounds) {
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) {
        const K other_low = shuffle_xor(low, mask), other_high = shuffle_xor(high, mask);
        low = other_low > low ? other_low : low;
        high = other_high > high ? other_high : high;
    }
    if (lane_index() != 0) return;
    raise(&bounds->low, low);
    raise(&bounds->high, high);
}

// finite_bounds: the smallest and the largest finite element of each segment.
// in:    x [segments * lines, cols] T          out: bounds [segments], zeroed by the caller
// grid:  x strides over stretches of lines, one a warp       block: kThreads
// shared: none                                  result valid in: bounds, after the launch
// moves: reads n * sizeof(T) B                  order: any
// why:   a warp keeps its bounds over all stretches of a segment, so one long segment costs one or two
//        atomics for each warp
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kThreads) finite_bounds(FiniteArrays arrays) {
    using Key = FiniteKey<T>;
    using Chunk = Pack<T, Width>;
    const std::uint64_t packs = arrays.cols / Width;
    const std::uint64_t stretches = (packs + kStretchPacks - 1) / kStretchPacks;
    const std::uint64_t all = arrays.segments * arrays.lines * stretches;
    const std::uint64_t step = std::uint64_t{grid_x()} * block_warps();
    typename Key::type low = 0, high = 0;
    std::uint64_t held = 0;  // the segment of low and high
    for (std::uint64_t unit = std::uint64_t{block_x()} * block_warps() + warp_index(); unit < all;
         unit += step) {
        const std::uint64_t line = unit / stretches, segment = line / arrays.lines;
        if (segment != held) {
            warp_raise(low, high, arrays.bounds + held);
            held = segment;
            low = high = 0;
        }
        const Chunk* const row =
            reinterpret_cast<const Chunk*>(static_cast<const T*>(arrays.x) + line * arrays.row_stride);
        const std::uint64_t first = unit % stretches * kStretchPacks + lane_index();
        for (unsigned round = 0; round < kRounds; ++round) {
            Chunk chunk[kInFlight];
            const std::uint64_t begin = first + round * (kInFlight * kWarpLanes);
            TEGU_UNROLL
            for (unsigned i = 0; i < kInFlight; ++i)
                if (begin + i * kWarpLanes < packs) chunk[i] = row[begin + i * kWarpLanes];
            TEGU_UNROLL
            for (unsigned i = 0; i < kInFlight; ++i) {
                if (begin + i * kWarpLanes >= packs) continue;
                TEGU_UNROLL
                for (unsigned e = 0; e < Width; ++e) Key::merge(chunk[i].at[e], &low, &high);
            }
        }
    }
    warp_raise(low, high, arrays.bounds + held);
}

// Rows: float types; columns: packs of 16 bytes, single elements.
constexpr KernelTable<void (*)(FiniteArrays), 6> kFiniteBounds = {
    "finite_bounds",
    "reads n elements",
    {numbered(finite_bounds<Half, 8>, "f16", 8u), numbered(finite_bounds<Half, 1>, "f16", 1u),
     numbered(finite_bounds<float, 4>, "f32", 4u), numbered(finite_bounds<float, 1>, "f32", 1u),
     numbered(finite_bounds<double, 2>, "f64", 2u), numbered(finite_bounds<double, 1>, "f64", 1u)}};

// A segment without gaps is one long line.
FiniteArrays joined(FiniteArrays arrays) {
    if (arrays.row_stride != arrays.cols) return arrays;
    arrays.cols *= arrays.lines;
    arrays.row_stride = arrays.cols;
    arrays.lines = 1;
    return arrays;
}

}  // namespace

LaunchStatus launch_finite_bounds(ElementType type, const FiniteArrays& arrays, const DeviceLimits& limits,
                                  Stream stream) {
    if (arrays.segments == 0 || arrays.lines == 0 || arrays.cols == 0) return 0;
    const FiniteArrays all = joined(arrays);
    const std::uint64_t width = 16 / element_bytes(type);
    const bool many = all.segments * all.lines > 1;
    const bool packed = reinterpret_cast<std::uintptr_t>(all.x) % 16 == 0 && all.cols % width == 0 &&
                        (!many || all.row_stride % width == 0);
    const std::uint64_t packs = packed ? all.cols / width : all.cols;
    const std::uint64_t warps = all.segments * all.lines * ((packs + kStretchPacks - 1) / kStretchPacks);
    const LaunchShape shape{blocks_for(warps * kWarpLanes, kThreads, kWaves, limits), 1, kThreads, 0};
    return launch(kFiniteBounds[2 * float_index(type) + (packed ? 0 : 1)], shape, stream, all);
}

void list_counting_levels_kernels(KernelLister& to) {
    to.add(1, listed(kFiniteBounds, BlockSize{kThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
