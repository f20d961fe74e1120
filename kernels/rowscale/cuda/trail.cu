// SPDX-License-Identifier: Apache-2.0
// Blocks take tickets in order. A ticket is a part of a row to search, or an earlier part to divide. A block
// waits only for parts with lower tickets, whose blocks never wait while they search.
#include "kernels/rowscale/cuda/trail.h"

#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/rowscale/cuda/rowscale.cuh"

namespace tegu {
namespace cuda {
namespace {

using namespace rowscale;

constexpr unsigned kInFlight = kRowscaleInFlight;

struct Trail {
    std::uint32_t parts;  // of a row
    std::uint32_t all;    // of all rows
    std::uint32_t lead;   // parts that are searched before the first is divided
};
struct Task {
    bool divides;
    std::uint32_t part;
};
// `lead` searches, then a division and a search in turn, then the remaining divisions.
TEGU_DEVICE Task task_of(const Trail& trail, std::uint32_t ticket) {
    if (ticket < trail.lead) return Task{false, ticket};
    const std::uint32_t after = ticket - trail.lead, pairs = trail.all - trail.lead;
    if (after >= 2 * pairs) return Task{true, after - pairs};
    return Task{after % 2 == 0, after % 2 == 0 ? after / 2 : trail.lead + after / 2};
}

// The words of a job: a ticket, then three for each row.
struct RowWords {
    std::uint64_t* key;
    std::uint32_t* searched;  // parts
    std::uint32_t* divided;
    TEGU_DEVICE RowWords(std::uint64_t* keys, std::uint64_t row) {
        key = keys + 1 + 2 * row;
        searched = reinterpret_cast<std::uint32_t*>(key + 1);
        divided = searched + 1;
    }
};

// Returns when all parts of the row have been searched, with its key.
TEGU_DEVICE std::uint64_t await_key(const RowWords& words, std::uint32_t parts) {
    const volatile std::uint32_t* const searched = words.searched;
    while (*searched != parts) grid_fence();
    grid_fence();
    return *static_cast<const volatile std::uint64_t*>(words.key);
}

// rowscale_trail: scales rows that many blocks share.
// in:    x [rows, cols] T, keys [2 * rows + 1] u64, zero     out: values, scales; keys are zero again
// grid:  x = blocks that take tickets                  block: shape.threads
// shared: 272 B                                        result valid in: values and scales, after the launch
// moves: reads n * sizeof(T) B, and as much from the L2 cache; writes as much      order: any
// why:   a part is divided soon after its search, so the second read does not go to memory, for any length
template <class T, unsigned Width>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    rowscale_trail(RowscaleArrays arrays, Trail trail) {
    TEGU_SHARED(std::uint32_t, next);
    TEGU_SHARED(std::uint64_t, key_of_row);
    std::uint32_t* const tickets = reinterpret_cast<std::uint32_t*>(arrays.keys);
    const std::uint32_t all = 2 * trail.all, last = all + grid_x() - 1;
    const unsigned step = kInFlight * block_threads();
    const std::uint64_t packs = arrays.cols / Width;
    const bool leads = thread_index() == 0;
    if (leads) next = atomic_wrap(tickets, last);
    block_barrier();
    for (std::uint32_t ticket = next; ticket < all; ticket = next) {
        const Task task = task_of(trail, ticket);
        const std::uint64_t row = task.part / trail.parts;
        const std::uint64_t begin = std::uint64_t{task.part % trail.parts} * step;
        const unsigned count = packs - begin < step ? static_cast<unsigned>(packs - begin) : step;
        const RowWords words(arrays.keys, row);
        const T* const x = static_cast<const T*>(arrays.x) + row * arrays.row_stride + begin * Width;
        Held<T, Width, kInFlight> held;
        // A block takes its next ticket when it does not wait any more before that ticket's turn.
        std::uint32_t following = 0;
        if (!task.divides) {
            held.template load<false>(x, count, thread_index(), block_threads());
            if (leads) following = atomic_wrap(tickets, last);
            const auto key = block_max(held.key(count, thread_index(), block_threads(), arrays.skip_nans));
            if (leads) {
                if (key != 0) atomic_max(words.key, std::uint64_t{key});
                grid_fence();
                atomic_add(words.searched, 1u);
            }
        } else {
            held.template load<true>(x, count, thread_index(), block_threads());
            if (leads) {
                key_of_row = await_key(words, trail.parts);
                following = atomic_wrap(tickets, last);
            }
            block_barrier();
            const auto key = static_cast<typename Key<T>::type>(key_of_row);
            held.template store<true>(static_cast<T*>(arrays.values) + row * arrays.cols + begin * Width,
                                      count, thread_index(), block_threads(), Divisor<T>(key));
            if (leads && begin == 0) static_cast<T*>(arrays.scales)[row] = Key<T>::scale(key);
            if (leads && atomic_add(words.divided, 1u) == trail.parts - 1) {
                *words.key = 0;
                *words.searched = *words.divided = 0;
            }
        }
        block_barrier();  // the shared words have been read
        if (leads) next = following;
        block_barrier();
    }
}

// Rows: types; columns: packs, single elements.
#define TEGU_X(T, word, width) \
    numbered(rowscale_trail<T, width>, word, width##u), numbered(rowscale_trail<T, 1>, word, 1u)
constexpr KernelTable<void (*)(RowscaleArrays, Trail), 2 * kFloatTypes> kTrail = {
    "rowscale_trail",
    "reads n elements from memory and n from the L2 cache, writes n, and 1 a row",
    {TEGU_X(Half, "f16", 8), TEGU_X(float, "f32", 4), TEGU_X(double, "f64", 2)}};
#undef TEGU_X

}  // namespace

unsigned rowscale_trail_blocks(unsigned threads, const DeviceLimits& limits) {
    return blocks_for(~std::uint64_t{0} >> 1, threads, 1, limits);
}

LaunchStatus launch_rowscale_trail(const RowscaleArrays& arrays, const RowscaleShape& shape,
                                   const RowscaleConfig& config) {
    const std::uint64_t parts = rowscale_trail_parts(arrays.cols, shape.pack, shape.threads),
                        all = parts * arrays.rows;
    const unsigned blocks = rowscale_trail_blocks(shape.threads, config.limits);
    const std::uint64_t wanted = rowscale_trail_lead(parts, blocks), lead = wanted < all ? wanted : all;
    const Trail trail{static_cast<std::uint32_t>(parts), static_cast<std::uint32_t>(all),
                      static_cast<std::uint32_t>(lead)};
    const LaunchShape grid{all < blocks ? static_cast<unsigned>(all) : blocks, 1, shape.threads, 0};
    return launch(kTrail[2 * float_index(shape.type) + (shape.pack == 1 ? 1 : 0)], grid, config.stream,
                  arrays, trail);
}

void list_rowscale_trail_kernels(KernelLister& to) {
    to.add(kFloatTypes, listed(kTrail, BlockSize{4 * kDefaultRowscalePolicy.threads_per_block, 0}));
}

}  // namespace cuda
}  // namespace tegu
