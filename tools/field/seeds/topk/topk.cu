// SPDX-License-Identifier: Apache-2.0
// Kernels as a first course writes them. Each comment states the cost of the form.
#include "tools/field/seeds/topk/topk.h"

#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

constexpr std::int32_t kNothing = INT32_MIN;
constexpr std::uint32_t kSignBit = 0x80000000u;

// plain_extremes: a minimum and a maximum per thread, a tree in shared memory, one atomic each per block.
// in:    x [n] i32                              in/out: keys [2] u32
// grid:  x strides over the elements            block: policy.threads, a power of two
// shared: 8 B per thread                        result valid in: keys, after the launch
// moves: reads 4n B                             order: any
// why:   one load per thread is in flight at a time, so the kernel waits for memory; the atomics are too few
//        to matter
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    plain_extremes(const std::int32_t* x, std::uint64_t n, std::uint32_t* keys) {
    TEGU_DYNAMIC_SHARED(memory);
    std::int32_t* const smallest = reinterpret_cast<std::int32_t*>(memory);
    std::int32_t* const largest = smallest + block_threads();
    const unsigned t = thread_index();
    std::int32_t low = INT32_MAX;
    std::int32_t high = INT32_MIN;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    TEGU_NO_UNROLL
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + t; i < n; i += stride) {
        const std::int32_t value = x[i];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    smallest[t] = low;
    largest[t] = high;
    block_barrier();
    for (unsigned half = block_threads() / 2; half != 0; half /= 2) {
        if (t < half) {
            smallest[t] = smallest[t + half] < smallest[t] ? smallest[t + half] : smallest[t];
            largest[t] = largest[t + half] > largest[t] ? largest[t + half] : largest[t];
        }
        block_barrier();
    }
    if (t != 0 || n == 0) return;
    atomic_min(keys, static_cast<std::uint32_t>(smallest[0]) ^ kSignBit);
    atomic_max(keys + 1, static_cast<std::uint32_t>(largest[0]) ^ kSignBit);
}

// --- a list [K]: descending, distinct, kNothing behind its entries

// Calls act(i) for each entry. Long lists would fill the registers with unrolled copies.
template <unsigned K, class Act>
TEGU_DEVICE void for_each_entry(Act act) {
    if (K <= 50)
        for (unsigned i = 0; i < K; ++i) act(i);
    else {
        TEGU_NO_UNROLL
        for (unsigned i = 0; i < K; ++i) act(i);
    }
}

template <unsigned K>
TEGU_DEVICE bool holds(const std::int32_t* list, std::int32_t value) {
    for (unsigned i = 0; i < K; ++i)
        if (list[i] == value) return true;
    return false;
}

// REQUIRES: value > list[K - 1], and the list does not hold it.
template <unsigned K>
TEGU_DEVICE void shift_in(std::int32_t* list, std::int32_t value) {
    unsigned at = K - 1;
    for (; at > 0 && list[at - 1] < value; --at) list[at] = list[at - 1];
    list[at] = value;
}

template <ListMethod Method, unsigned K>
TEGU_DEVICE void insert(std::int32_t* list, std::int32_t value) {
    if (Method == ListMethod::Search) {
        if (holds<K>(list, value) || value <= list[K - 1]) return;
    } else {
        if (value <= list[K - 1] || holds<K>(list, value)) return;
    }
    shift_in<K>(list, value);
}

// merged [K]: the largest K distinct values of two lists.
template <unsigned K>
TEGU_DEVICE void merge_lists(const std::int32_t* a, const std::int32_t* b, std::int32_t* merged) {
    unsigned next_a = 0, next_b = 0;
    for (unsigned i = 0; i < K; ++i) {  // at most i entries of each list are used before step i
        const std::int32_t of_a = a[next_a], of_b = b[next_b];
        merged[i] = of_a > of_b ? of_a : of_b;
        next_a += of_a >= of_b && of_a != kNothing;
        next_b += of_b >= of_a && of_b != kNothing;
    }
}

// Leaves the merged list of the block in lists[0, K). Thread t gives `own`, which lists[t * K] holds, too.
template <ListMethod Method, unsigned K>
TEGU_DEVICE void merge_lists_of_block(std::int32_t* lists, std::int32_t* own) {
    const unsigned t = thread_index();
    for (unsigned half = block_threads() / 2; half != 0; half /= 2) {
        const std::int32_t* const other = lists + (t + half) * K;
        if (t < half) {
            if (Method == ListMethod::Search)
                for_each_entry<K>([=](unsigned i) { insert<Method, K>(own, other[i]); });
            else if (Method == ListMethod::Threshold)
                for_each_entry<K>([=](unsigned i) { insert<Method, K>(lists + t * K, other[i]); });
            else
                merge_lists<K>(lists + t * K, other, own);
        }
        if (Method != ListMethod::Threshold && t < half)
            for_each_entry<K>([=](unsigned i) { lists[t * K + i] = own[i]; });
        block_barrier();
    }
}

// list_topk: a sorted list in every thread, merged in shared memory; a second launch of one block merges the
// lists of the blocks.
// in:    x [n] i32                              out: out [blocks, K] i32, each descending, then kNothing
// grid:  x strides over the elements            block: policy.threads, a power of two
// shared: 4 * K B per thread                    result valid in: out, after the launch
// moves: reads 4n B, writes 4 * K B per block   order: any
// why:   The list is indexed at run time, so it lies in local memory. An insertion moves up to K words while
//        31 lanes wait. Search reads the whole list for almost every element; Threshold only for elements
//        that enter it. The merge keeps ever fewer threads at work
template <ListMethod Method, unsigned K>
TEGU_KERNEL TEGU_BOUNDS(kMaxListThreads)
    list_topk(const std::int32_t* x, std::uint64_t n, std::int32_t* out) {
    TEGU_DYNAMIC_SHARED(memory);
    std::int32_t* const lists = reinterpret_cast<std::int32_t*>(memory);
    const unsigned t = thread_index();
    std::int32_t own[K];
    for_each_entry<K>([&](unsigned i) { own[i] = kNothing; });
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + t; i < n; i += stride)
        insert<Method, K>(own, x[i]);
    for_each_entry<K>([&](unsigned i) { lists[t * K + i] = own[i]; });
    block_barrier();
    merge_lists_of_block<Method, K>(lists, own);
    for (unsigned i = t; i < K; i += block_threads()) out[std::uint64_t{block_x()} * K + i] = lists[i];
}

using ListKernel = void (*)(const std::int32_t*, std::uint64_t, std::int32_t*);

template <ListMethod Method>
ListKernel kernel_for(unsigned k) {
    switch (k) {
#define TEGU_X(K) \
    case K: return list_topk<Method, K>;
        TEGU_SEED_LIST_SIZES(TEGU_X)
#undef TEGU_X
        default: return nullptr;
    }
}

ListKernel kernel_for(ListMethod method, unsigned k) {
    switch (method) {
        case ListMethod::Search: return kernel_for<ListMethod::Search>(k);
        case ListMethod::Threshold: return kernel_for<ListMethod::Threshold>(k);
        case ListMethod::Merge: break;
    }
    return kernel_for<ListMethod::Merge>(k);
}

const char* word_of(ListMethod method) {
    return method == ListMethod::Search ? "search" : method == ListMethod::Threshold ? "threshold" : "merge";
}

}  // namespace

LaunchStatus launch_plain_extremes(const std::int32_t* x, std::uint64_t n, std::uint32_t* keys,
                                   const ListPolicy& policy, Stream stream) {
    const LaunchShape shape{policy.blocks, 1, policy.threads, policy.threads * 2 * sizeof(std::int32_t)};
    return launch_seed(plain_extremes, shape, stream, x, n, keys);
}
KernelEntry plain_extremes_kernel(unsigned threads) {
    return kernel_entry("plain_extremes", {}, plain_extremes, threads, threads * 2 * sizeof(std::int32_t),
                        "reads 4 n B");
}

bool has_list_size(unsigned k) {
    return kernel_for<ListMethod::Search>(k) != nullptr;
}

LaunchStatus launch_list_topk(ListMethod method, unsigned k, const std::int32_t* x, std::uint64_t n,
                              std::int32_t* out, std::int32_t* lists, const ListPolicy& policy,
                              Stream stream) {
    const ListKernel kernel = kernel_for(method, k);
    const LaunchShape many{policy.blocks, 1, policy.threads, list_topk_shared_bytes(k, policy.threads)};
    const LaunchStatus first = launch_seed(kernel, many, stream, x, n, lists);
    if (first != 0) return first;
    const LaunchShape one{1, 1, policy.threads, many.shared_bytes};
    return launch_seed(kernel, one, stream, static_cast<const std::int32_t*>(lists),
                       std::uint64_t{policy.blocks} * k, out);
}
KernelEntry list_topk_kernel(ListMethod method, unsigned k, unsigned threads) {
    return kernel_entry("list_topk", {word_of(method), std::to_string(k).c_str()}, kernel_for(method, k),
                        threads, list_topk_shared_bytes(k, threads), "reads 4 n B, writes 4 k B per block");
}

}  // namespace seeds
}  // namespace tegu
