// SPDX-License-Identifier: Apache-2.0
// Takes a sample in groups and keeps the smallest pair of each.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/selection/cuda/cut_minima.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kMinimaThreads = 128;
constexpr unsigned kMinimaLoads = 8;  // in flight per thread
static_assert(kMaxOfGroup == kWarpLanes * kMinimaLoads, "a warp holds a group at most");

// A key in a word that shuffles move.
template <class U>
struct ShuffledKey {
    using Type = std::uint32_t;
};
template <>
struct ShuffledKey<std::uint64_t> {
    using Type = std::uint64_t;
};

// group_minima: the smallest pair of each group of a sample of a dense segment.
// in:    elements [n]                                       out: minima; states, all of them
// grid:  x strides over the groups, some lanes each; y = segments      block: 128, or fewer
// shared: none                                              result valid in: minima, after the launch
// moves: reads a sector of memory a pair, all at once       order: any
// why:   all multiprocessors read; one alone would take longer than all take for all elements. No block
//        waits for another: each block of the next launch finds the cut by itself
template <class U, bool Float>
TEGU_KERNEL TEGU_BOUNDS(kMinimaThreads)
    group_minima(KeySegments in, GroupMinima minima, unsigned lanes, SelectState* states) {
    using Word = typename ShuffledKey<U>::Type;
    pdl_trigger();
    const GroupedSample sample = minima.sample;
    const std::uint64_t segment = block_y();
    const U* const elements = static_cast<const U*>(in.data) + segment * in.step;
    const unsigned thread = block_x() * block_threads() + thread_index();
    const bool valid = thread < sample.groups * lanes;
    const std::uint32_t group = valid ? thread / lanes : 0;
    const std::uint32_t first = group + thread % lanes * sample.groups;
    const std::uint32_t step = sample.groups * lanes;
    const std::uint32_t loads = sample.each / lanes;
    U bits[kMinimaLoads];
    TEGU_UNROLL
    for (unsigned j = 0; j < kMinimaLoads; ++j)
        bits[j] = elements[sampled_index(minima, first + (j < loads ? j : 0) * step)];
    Word key = encode_key(bits[0], static_cast<U>(in.flip), Float);
    std::uint32_t number = first;
    TEGU_UNROLL
    for (unsigned j = 1; j < kMinimaLoads; ++j) {
        const Word other = encode_key(bits[j], static_cast<U>(in.flip), Float);
        if (j < loads && other < key) {
            key = other;
            number = first + j * step;
        }
    }
    TEGU_NO_UNROLL
    for (unsigned mask = 1; mask < lanes; mask *= 2) {
        const Word other = shuffle_xor(key, mask);
        const std::uint32_t other_number = shuffle_xor(number, mask);
        if (!is_behind(key, number, other, other_number)) continue;
        key = other;
        number = other_number;
    }
    if (thread == 0)
        states[segment] = SelectState{static_cast<U>(~U{0}), ~std::uint64_t{0}, 0, 0, ~std::uint64_t{0}};
    if (!valid || thread % lanes != 0) return;
    static_cast<U*>(minima.keys)[segment * sample.groups + group] = static_cast<U>(key);
    minima.numbers[segment * sample.groups + group] = number;
}

// Rows: widths; columns: integers, floats.
constexpr KernelTable<decltype(&group_minima<std::uint8_t, false>), 8> kGroupMinima = {
    "group_minima",
    "reads a sector of 32 B an element of the sample",
    {variant(group_minima<std::uint8_t, false>, "u8", "integer"),
     {},
     variant(group_minima<std::uint16_t, false>, "u16", "integer"),
     variant(group_minima<std::uint16_t, true>, "u16", "float"),
     variant(group_minima<std::uint32_t, false>, "u32", "integer"),
     variant(group_minima<std::uint32_t, true>, "u32", "float"),
     variant(group_minima<std::uint64_t, false>, "u64", "integer"),
     variant(group_minima<std::uint64_t, true>, "u64", "float")}};

}  // namespace

LaunchStatus launch_group_minima(const KeySegments& in, const GroupMinima& minima, SelectState* states,
                                 const SelectionConfig& config) {
    const GroupedSample& sample = minima.sample;
    const unsigned lanes = sample.each > kMinimaLoads ? sample.each / kMinimaLoads : 1;
    const unsigned all = sample.groups * lanes;
    const unsigned threads = all < kMinimaThreads ? all : kMinimaThreads;
    const LaunchShape shape{(all + threads - 1) / threads, static_cast<unsigned>(in.count), threads, 0};
    return launch(kGroupMinima[2 * width_index(in.width) + (in.is_float ? 1 : 0)], shape, config.stream, in,
                  minima, lanes, states);
}

void list_selection_cut_minima_kernels(KernelLister& to) {
    to.add(4, listed(kGroupMinima, BlockSize{kMinimaThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
