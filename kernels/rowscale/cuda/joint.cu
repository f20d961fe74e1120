// SPDX-License-Identifier: Apache-2.0
// Rows whose width is no multiple of a pack: as many rows as a pack has elements end at a whole pack. A group
// of lanes reads such rows together, in packs.
#include "kernels/rowscale/cuda/joint.h"

#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/rowscale/cuda/rowscale.cuh"

namespace tegu {
namespace cuda {
namespace {

using namespace rowscale;

// Where the elements of a pack lie: the first `inside` in row `row`, the others in the next row.
struct PackRows {
    unsigned row, inside;
    template <unsigned Rows>
    TEGU_DEVICE void set(unsigned first_element, unsigned cols) {
        row = 0;
        TEGU_UNROLL
        for (unsigned r = 1; r < Rows; ++r) row += first_element >= r * cols ? 1 : 0;
        inside = (row + 1) * cols - first_element;
    }
};

// rowscale_joint: scales Width dense rows at a time, which the registers of a part of a warp hold.
// in:    x [rows, cols] T, 16-byte aligned, Width <= cols     out: values [rows, cols] T, scales [rows] T
// grid:  x strides over groups of `lanes` threads      block: up to policy.threads_per_block
// shared: none                                         result valid in: values and scales, after the launch
// moves: reads rows * cols * sizeof(T) B, writes as much and rows * sizeof(T) B      order: any
// why:   a quarter or less of the accesses that single elements need; a pack touches two rows at most
template <class T, unsigned Width, unsigned Packs>
TEGU_KERNEL TEGU_BOUNDS(kRowscaleJointThreads / kBlocksForRegisters)
    rowscale_joint(RowscaleArrays arrays, unsigned lanes) {
    using Chunk = Pack<T, Width>;
    using Bits = typename Key<T>::type;
    const unsigned first = thread_index() % lanes, cols = static_cast<unsigned>(arrays.cols);
    const std::uint64_t together = std::uint64_t{block_threads() / lanes} * Width;  // rows of a block
    // All lanes of a warp stay to the end because they shuffle together.
    for (std::uint64_t base = block_x() * together; base < arrays.rows; base += grid_x() * together) {
        const std::uint64_t begin = base + thread_index() / lanes * Width;
        const std::uint64_t left = begin >= arrays.rows ? 0 : arrays.rows - begin;
        const unsigned rows = left < Width ? static_cast<unsigned>(left) : Width, elements = rows * cols;
        const T* const x = static_cast<const T*>(arrays.x) + begin * cols;
        T* const values = static_cast<T*>(arrays.values) + begin * cols;
        Chunk chunk[Packs];
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i) {
            const unsigned at = (first + i * lanes) * Width;
            if (at + Width <= elements) {
                chunk[i] = *reinterpret_cast<const Chunk*>(x + at);
                continue;
            }
            TEGU_UNROLL
            for (unsigned e = 0; e < Width; ++e) chunk[i].at[e] = at + e < elements ? x[at + e] : T();
        }
        Bits key[Width] = {};
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i) {
            PackRows of;
            of.set<Width>((first + i * lanes) * Width, cols);
            Bits here = 0, next = 0;
            TEGU_UNROLL
            for (unsigned e = 0; e < Width; ++e) {
                const Bits own = larger_key(Bits{0}, chunk[i].at[e], arrays.skip_nans);
                here = larger(here, e < of.inside ? own : Bits{0});
                next = larger(next, e < of.inside ? Bits{0} : own);
            }
            TEGU_UNROLL
            for (unsigned r = 0; r < Width; ++r)
                key[r] = larger(key[r], r == of.row ? here : r == of.row + 1 ? next : Bits{0});
        }
        for (unsigned mask = lanes / 2; mask != 0; mask /= 2) {
            TEGU_UNROLL
            for (unsigned r = 0; r < Width; ++r) key[r] = larger(key[r], shuffle_xor(key[r], mask));
        }
        TEGU_UNROLL
        for (unsigned i = 0; i < Packs; ++i) {
            const unsigned at = (first + i * lanes) * Width;
            PackRows of;
            of.set<Width>(at, cols);
            Bits here = key[0], next = key[Width - 1];
            TEGU_UNROLL
            for (unsigned r = 1; r < Width; ++r) {
                here = r == of.row ? key[r] : here;
                next = r == of.row + 1 ? key[r] : next;
            }
            const Divisor<T> divisor(here), divisor_of_next(next);
            TEGU_UNROLL
            for (unsigned e = 0; e < Width; ++e) {
                const Divisor<T> own = e < of.inside ? divisor : divisor_of_next;
                chunk[i].at[e] = own.of(chunk[i].at[e]);
            }
            if (at + Width <= elements) {
                *reinterpret_cast<Chunk*>(values + at) = chunk[i];
                continue;
            }
            TEGU_UNROLL
            for (unsigned e = 0; e < Width; ++e)
                if (at + e < elements) values[at + e] = chunk[i].at[e];
        }
        T* const scales = static_cast<T*>(arrays.scales) + begin;
        TEGU_UNROLL
        for (unsigned r = 0; r < Width; ++r)
            if (first == r % lanes && r < rows) scales[r] = Key<T>::scale(key[r]);
    }
}

// Rows: types; columns: packs that a thread holds.
#define TEGU_X(T, word, width)                                     \
    numbered(rowscale_joint<T, width, 1>, word, width##u, 1u),     \
        numbered(rowscale_joint<T, width, 2>, word, width##u, 2u), \
        numbered(rowscale_joint<T, width, 4>, word, width##u, 4u)
constexpr KernelTable<void (*)(RowscaleArrays, unsigned), 3 * kFloatTypes> kJoint = {
    "rowscale_joint",
    "reads and writes n elements, writes 1 a row",
    {TEGU_X(Half, "f16", 8), TEGU_X(float, "f32", 4), TEGU_X(double, "f64", 2)}};
#undef TEGU_X

}  // namespace

LaunchStatus launch_rowscale_joint(const RowscaleArrays& arrays, const RowscaleShape& shape,
                                   const RowscaleConfig& config) {
    const unsigned index = 3 * float_index(shape.type) + (shape.packs > 2 ? 2 : shape.packs > 1 ? 1 : 0);
    const std::uint64_t groups = ceil_divide(arrays.rows, kJoint.variants[index].numbers[0]);
    const LaunchShape grid{
        blocks_for(groups * shape.lanes, shape.threads, config.policy.waves, config.limits), 1, shape.threads,
        0};
    return launch(kJoint[index], grid, config.stream, arrays, shape.lanes);
}

void list_rowscale_joint_kernels(KernelLister& to) {
    to.add(kFloatTypes, listed(kJoint, BlockSize{kDefaultRowscalePolicy.threads_per_block, 0}));
}

}  // namespace cuda
}  // namespace tegu
