// SPDX-License-Identifier: Apache-2.0
// The team of a row is a block (steps 1 to 3) or a warp (step 4). Registers hold up to kMaxHeld packs per
// thread; the packs behind them are read twice.
#include "tools/field/seeds/rowscale/rowscale.h"

#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

constexpr unsigned kMaxHeld = 8;  // packs per thread
constexpr std::uint64_t kMaxBlocks = 0x7fffffffu;

TEGU_DEVICE float larger_magnitude(float magnitude, float x) {
    const float own = x < 0 ? -x : x;
    return own > magnitude ? own : magnitude;
}

TEGU_DEVICE float warp_max(float own) {
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2)
        own = larger_magnitude(own, shuffle_xor(own, mask));
    return own;
}

// The largest of all threads, in every thread. REQUIRES: a barrier of the block between two calls.
TEGU_DEVICE float block_max(float own) {
    TEGU_SHARED_ARRAY(float, of_warp, kMaxThreads / kWarpLanes);
    own = warp_max(own);
    if (lane_index() == 0) of_warp[warp_index()] = own;
    block_barrier();
    return warp_max(lane_index() < block_warps() ? of_warp[lane_index()] : 0.0f);
}

template <unsigned Width>
TEGU_DEVICE float magnitude_of(const Pack<float, Width>& pack, float magnitude) {
    TEGU_UNROLL
    for (unsigned i = 0; i < Width; ++i) magnitude = larger_magnitude(magnitude, pack.at[i]);
    return magnitude;
}
template <unsigned Width>
TEGU_DEVICE Pack<float, Width> quotient(Pack<float, Width> pack, float divisor) {
    TEGU_UNROLL
    for (unsigned i = 0; i < Width; ++i) pack.at[i] = pack.at[i] / divisor;
    return pack;
}

// row_scale_blocks (steps 1 and 2): a block per row; it reads the row for the magnitude and again for the
// quotients.
// in:    x [rows, cols] f32, packs of Width aligned      out: values [rows, cols]
// grid:  x strides over the rows                         block: threads
// shared: 128 B static                                   result valid in: values, after the launch
// moves: reads 8 B and writes 4 B per element; the second read may come from a cache      order: any
// why:   where to begin. With 128 columns a thread has one element: the block is a barrier with little work
//        around it. Packs save instructions, and three quarters of the threads of such a block have nothing
//        to do
template <unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) row_scale_blocks(RowScaleMatrix matrix) {
    const std::uint64_t packs = matrix.cols / Width;
    for (std::uint64_t row = block_x(); row < matrix.rows; row += grid_x()) {
        const auto* const x = reinterpret_cast<const Pack<float, Width>*>(matrix.x + row * matrix.cols);
        auto* const values = reinterpret_cast<Pack<float, Width>*>(matrix.values + row * matrix.cols);
        float magnitude = 0;
        for (std::uint64_t i = thread_index(); i < packs; i += block_threads())
            magnitude = magnitude_of<Width>(x[i], magnitude);
        magnitude = block_max(magnitude);
        const float divisor = magnitude == 0 ? 1.0f : magnitude;
        for (std::uint64_t i = thread_index(); i < packs; i += block_threads())
            values[i] = quotient(x[i], divisor);
        block_barrier();  // the shared words of block_max are read: the next row may write them
    }
}

// row_scale_held (steps 3 and 4): a block or a warp per row; each thread keeps its first Held packs in
// registers.
// in, out: as row_scale_blocks
// grid:  x strides over the rows, of step 4 over threads / 32 rows at once      block: threads
// shared: 128 B static, of step 4 none                   result valid in: values, after the launch
// moves: reads 4 B and writes 4 B per element, 4 B more behind the packs that are held      order: any
// why:   3: the second read is gone. 4: the largest of 32 lanes needs five shuffles and no barrier. All lanes
//        have work at 128 columns, and a block has several rows in flight
template <bool Warps, unsigned Width, unsigned Held>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) row_scale_held(RowScaleMatrix matrix) {
    const std::uint64_t packs = matrix.cols / Width;
    const unsigned team = Warps ? kWarpLanes : block_threads();
    const unsigned first = Warps ? lane_index() : thread_index();
    const unsigned together = Warps ? block_warps() : 1;
    for (std::uint64_t base = std::uint64_t{block_x()} * together; base < matrix.rows;
         base += std::uint64_t{grid_x()} * together) {
        const std::uint64_t row = base + (Warps ? warp_index() : 0);
        if (row >= matrix.rows)
            continue;  // a whole warp, and steps of one block have no such row: every barrier is reached
        const auto* const x = reinterpret_cast<const Pack<float, Width>*>(matrix.x + row * matrix.cols);
        auto* const values = reinterpret_cast<Pack<float, Width>*>(matrix.values + row * matrix.cols);
        Pack<float, Width> held[Held] = {};  // zeros behind the row do not count
        TEGU_UNROLL
        for (unsigned h = 0; h < Held; ++h)
            if (first + h * team < packs) held[h] = x[first + h * team];
        float magnitude = 0;
        TEGU_UNROLL
        for (unsigned h = 0; h < Held; ++h) magnitude = magnitude_of<Width>(held[h], magnitude);
        for (std::uint64_t i = first + std::uint64_t{Held} * team; i < packs; i += team)
            magnitude = magnitude_of<Width>(x[i], magnitude);
        magnitude = Warps ? warp_max(magnitude) : block_max(magnitude);
        const float divisor = magnitude == 0 ? 1.0f : magnitude;
        TEGU_UNROLL
        for (unsigned h = 0; h < Held; ++h)
            if (first + h * team < packs) values[first + h * team] = quotient(held[h], divisor);
        for (std::uint64_t i = first + std::uint64_t{Held} * team; i < packs; i += team)
            values[i] = quotient(x[i], divisor);
        if (!Warps) block_barrier();  // as above
    }
}

using RowScaleKernel = void (*)(RowScaleMatrix);

// The fewest packs per thread that hold the row, if any do.
unsigned held_packs(std::uint64_t packs, unsigned team) {
    unsigned held = 1;
    while (held < kMaxHeld && std::uint64_t{held} * team < packs) held *= 2;
    return held;
}

template <bool Warps, unsigned Width>
RowScaleKernel held_kernel(unsigned held) {
    switch (held) {
        case 1: return row_scale_held<Warps, Width, 1>;
        case 2: return row_scale_held<Warps, Width, 2>;
        case 4: return row_scale_held<Warps, Width, 4>;
        default: return row_scale_held<Warps, Width, kMaxHeld>;
    }
}

template <unsigned Width>
RowScaleKernel kernel_for(RowScaleStep step, std::uint64_t cols, unsigned threads) {
    const std::uint64_t packs = cols / Width;
    if (step == RowScaleStep::Registers) return held_kernel<false, Width>(held_packs(packs, threads));
    if (step == RowScaleStep::Warps) return held_kernel<true, Width>(held_packs(packs, kWarpLanes));
    return row_scale_blocks<Width>;
}

RowScaleKernel kernel_for(RowScaleStep step, const RowScaleMatrix& matrix, unsigned threads) {
    switch (step == RowScaleStep::Blocks ? 1 : row_scale_pack(matrix)) {
        case 4: return kernel_for<4>(step, matrix.cols, threads);
        case 2: return kernel_for<2>(step, matrix.cols, threads);
        default: return kernel_for<1>(step, matrix.cols, threads);
    }
}

constexpr const char* kStepWords[] = {
#define TEGU_X(Name, word, change) word,
    TEGU_ROW_SCALE_STEPS(TEGU_X)
#undef TEGU_X
};

}  // namespace

unsigned row_scale_pack(const RowScaleMatrix& matrix) {
    const std::uint64_t bits = reinterpret_cast<std::uint64_t>(matrix.x) |
                               reinterpret_cast<std::uint64_t>(matrix.values) | matrix.cols * sizeof(float);
    return bits % 16 == 0 ? 4 : bits % 8 == 0 ? 2 : 1;
}

LaunchStatus launch_row_scale(RowScaleStep step, const RowScaleMatrix& matrix, unsigned threads,
                              Stream stream) {
    if (matrix.rows == 0 || matrix.cols == 0) return 0;
    const unsigned together = step == RowScaleStep::Warps ? threads / kWarpLanes : 1;
    const std::uint64_t wanted = matrix.rows / together + (matrix.rows % together != 0);
    const auto blocks = static_cast<unsigned>(wanted < kMaxBlocks ? wanted : kMaxBlocks);
    return launch_seed(kernel_for(step, matrix, threads), LaunchShape{blocks, 1, threads, 0}, stream, matrix);
}
KernelEntry row_scale_kernel(RowScaleStep step, const RowScaleMatrix& matrix, unsigned threads) {
    return kernel_entry("row_scale", {kStepWords[static_cast<unsigned>(step)]},
                        kernel_for(step, matrix, threads), threads, 0,
                        "reads and writes 4 B per element, reads 4 B more in steps that read twice");
}

}  // namespace seeds
}  // namespace tegu
