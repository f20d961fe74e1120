// SPDX-License-Identifier: Apache-2.0
// The kernels of the steps. Those from 1 to 6 have the same form: a thread loads, the block adds up in shared
// memory, one partial sum per block is left to the caller. An element beyond the end counts as 0, so that
// every thread reaches every barrier, whatever n is. C++14; for ladder.cu.
#pragma once

#include "tools/field/seeds/kernels/device.cuh"

namespace tegu {
namespace seeds {
namespace {

using namespace cuda;

template <class T>
struct SumOf;
template <>
struct SumOf<std::int32_t> {
    using type = std::int64_t;
};
template <>
struct SumOf<float> {
    using type = float;
};
template <class T>
using Sum = typename SumOf<T>::type;

template <class T>
TEGU_DEVICE Sum<T> element_or_zero(const T* x, std::uint64_t n, std::uint64_t i) {
    return i < n ? static_cast<Sum<T>>(x[i]) : Sum<T>{0};
}

// Loads `Loads` elements a block size apart, the first of the block being number block * threads * Loads, and
// adds them.
template <class T, unsigned Loads>
TEGU_DEVICE Sum<T> load_and_add(const T* x, std::uint64_t n) {
    const std::uint64_t first = std::uint64_t{block_x()} * block_threads() * Loads + thread_index();
    Sum<T> loaded[Loads];
    TEGU_UNROLL
    for (unsigned i = 0; i < Loads; ++i) loaded[i] = element_or_zero(x, n, first + i * block_threads());
    Sum<T> own = loaded[0];
    TEGU_UNROLL
    for (unsigned i = 1; i < Loads; ++i) own += loaded[i];
    return own;
}

// global_atomics (step 0a): no tree, no shared memory.
// in:    x [n] T, total: 0                      out: total: the sum
// grid:  x = ceil(n / threads)                  block: policy.threads
// shared: none                                  result valid in: total, after the launch
// moves: reads n sizeof(T) B, and one atomic addition per element
// order: any; of floats the bits differ from run to run
// why:   the shortest kernel. All threads of the device wait for one word, which one unit of the L2 cache
//        changes one addition after the other
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) global_atomics(const T* x, std::uint64_t n, Sum<T>* total) {
    const std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index();
    if (i < n) atomic_add(total, static_cast<Sum<T>>(x[i]));
}

// shared_atomics (step 0b): the same word per block, in shared memory.
// in, out, grid, block: as step 0a              shared: sizeof(Sum<T>) bytes static
// moves: reads n sizeof(T) B, one shared atomic per element, one global atomic per block      order: any
// why:   blocks no longer wait for each other, but the threads of a block still do. A tree needs
//        log2(threads) steps instead of `threads`
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) shared_atomics(const T* x, std::uint64_t n, Sum<T>* total) {
    TEGU_SHARED(Sum<T>, of_block);
    if (thread_index() == 0) of_block = 0;
    block_barrier();
    const std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index();
    if (i < n) atomic_add(&of_block, static_cast<Sum<T>>(x[i]));
    block_barrier();
    if (thread_index() == 0) atomic_add(total, of_block);
}

// neighbours (step 1): the tree as one would draw it: pairs of neighbours, then neighbours of pairs.
// in:    x [n] T                                out: partials [blocks] Sum<T>
// grid:  x = ceil(n / threads)                  block: policy.threads (128..1024, a power of two)
// shared: threads * sizeof(Sum<T>) bytes        result valid in: partials, after the launch
// moves: reads n sizeof(T) B, writes one sum a block      order: fixed by threads
// why:   where to begin. At each level the lanes that add stand apart, so every warp runs to the end for one
//        lane: the next step moves them together
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) neighbours(const T* x, std::uint64_t n, Sum<T>* partials) {
    TEGU_DYNAMIC_SHARED(memory);
    Sum<T>* const sums = reinterpret_cast<Sum<T>*>(memory);
    const unsigned t = thread_index();
    sums[t] = load_and_add<T, 1>(x, n);
    block_barrier();
    for (unsigned stride = 1; stride < block_threads(); stride *= 2) {
        if (t % (2 * stride) == 0) sums[t] += sums[t + stride];
        block_barrier();
    }
    if (t == 0) partials[block_x()] = sums[0];
}

// reindexed (step 2): the same tree, the same additions; thread t takes pair t.
// in, out, grid, block, shared, moves: as step 1                order: as step 1
// why:   the threads that add are the first ones: whole warps have nothing to do and cost nothing. But lane t
//        reads word 2 * stride * t, and such words share banks of the shared memory: lanes wait for one
//        another, which the next step ends
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) reindexed(const T* x, std::uint64_t n, Sum<T>* partials) {
    TEGU_DYNAMIC_SHARED(memory);
    Sum<T>* const sums = reinterpret_cast<Sum<T>*>(memory);
    const unsigned t = thread_index();
    sums[t] = load_and_add<T, 1>(x, n);
    block_barrier();
    for (unsigned stride = 1; stride < block_threads(); stride *= 2) {
        const unsigned at = 2 * stride * t;
        if (at < block_threads()) sums[at] += sums[at + stride];
        block_barrier();
    }
    if (t == 0) partials[block_x()] = sums[0];
}

// interleaved (step 3) and unrolled (steps 4a, 4b, 4c): the second half of the rest is added to the
// first.
// in:    x [n] T                                out: partials [blocks] Sum<T>
// grid:  x = ceil(n / (threads * Loads))        block: policy.threads
// shared: threads * sizeof(Sum<T>) bytes        result valid in: partials, after the launch
// moves: reads n sizeof(T) B, writes one sum a block      order: fixed by threads and Loads
// why:   3: neighbouring lanes read neighbouring words, one from every bank. 4: with one load a thread most
//        of the time goes by waiting for memory and at barriers; each further load is in flight beside the
//        first, and its addition needs no barrier. What is left is the tree: 11 barriers a block of 1024,
//        which the next step halves
template <class T, unsigned Loads>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) interleaved(const T* x, std::uint64_t n, Sum<T>* partials) {
    TEGU_DYNAMIC_SHARED(memory);
    Sum<T>* const sums = reinterpret_cast<Sum<T>*>(memory);
    const unsigned t = thread_index();
    sums[t] = load_and_add<T, Loads>(x, n);
    block_barrier();
    for (unsigned stride = block_threads() / 2; stride != 0; stride /= 2) {
        if (t < stride) sums[t] += sums[t + stride];
        block_barrier();
    }
    if (t == 0) partials[block_x()] = sums[0];
}

// The sum of the first 64 words, valid in lane 0. Called by one whole warp. A lane may run ahead of its
// neighbour, so each level has two barriers: one after its writes and one after its reads. Older texts have
// the word volatile there.
template <class S>
TEGU_DEVICE S add_last_warp(S* sums) {
    const unsigned lane = lane_index();
    S own = sums[lane];
    TEGU_UNROLL
    for (unsigned stride = kWarpLanes; stride != 0; stride /= 2) {
        own += sums[lane + stride];
        warp_barrier();
        sums[lane] = own;
        warp_barrier();
    }
    return own;
}

// last_warp (step 5): below 64 sums one warp is at work, and a warp needs no barrier of the block.
// in, out, grid, block, shared, moves: as step 4c               order: as step 4c
// why:   six of the levels cost a barrier of 32 threads instead of one of all. Warps that have nothing left
//        to add end early, and others take their place. The loop above it still counts and compares, which
//        the next step leaves to the compiler
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) last_warp(const T* x, std::uint64_t n, Sum<T>* partials) {
    TEGU_DYNAMIC_SHARED(memory);
    Sum<T>* const sums = reinterpret_cast<Sum<T>*>(memory);
    const unsigned t = thread_index();
    sums[t] = load_and_add<T, 8>(x, n);
    block_barrier();
    for (unsigned stride = block_threads() / 2; stride > kWarpLanes; stride /= 2) {
        if (t < stride) sums[t] += sums[t + stride];
        block_barrier();
    }
    if (warp_index() != 0) return;
    const Sum<T> total = add_last_warp(sums);
    if (t == 0) partials[block_x()] = total;
}

// complete (step 6): the same with a block size that the compiler knows.
// in, out, grid, moves: as step 4c              block: Threads
// shared: Threads * sizeof(Sum<T>) bytes, static                order: as step 4c
// why:   every address is a constant, every level straight code. The kernel waits for memory now, and nothing
//        more is to be gained inside a block. What is wrong is outside: a sum for each 8192 elements is left
//        to somebody else, and at 2^31 elements these are many again. The next step leaves one
template <class T, unsigned Threads>
TEGU_KERNEL TEGU_BOUNDS(Threads) complete(const T* x, std::uint64_t n, Sum<T>* partials) {
    TEGU_SHARED_ARRAY(Sum<T>, sums, Threads);
    const unsigned t = thread_index();
    sums[t] = load_and_add<T, 8>(x, n);
    block_barrier();
    TEGU_UNROLL
    for (unsigned stride = Threads / 2; stride > kWarpLanes; stride /= 2) {
        if (t < stride) sums[t] += sums[t + stride];
        block_barrier();
    }
    if (warp_index() != 0) return;
    const Sum<T> total = add_last_warp(sums);
    if (t == 0) partials[block_x()] = total;
}

// Valid in thread 0. REQUIRES: a barrier of the block between two calls.
template <class S>
TEGU_DEVICE S block_sum(S own) {
    TEGU_SHARED_ARRAY(S, warps, kMaxThreads / kWarpLanes);
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) own += shuffle_xor(own, mask);
    if (lane_index() == 0) warps[warp_index()] = own;
    block_barrier();
    if (warp_index() == 0) {
        own = lane_index() < block_warps() ? warps[lane_index()] : S{0};
        TEGU_UNROLL
        for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) own += shuffle_xor(own, mask);
    }
    return own;
}

// grid_stride (step 7): as many blocks as the device holds, each reading on until the end; sums stay in
// registers.
// in:    x [n] T, ticket: 0
// out: partials [blocks] Sum<T>, of which [0] is the sum; ticket: 0
// grid:  x = blocks resident at once            block: policy.threads
// shared: 32 * sizeof(Sum<T>) bytes static      result valid in: partials[0], after the launch
// moves: reads n sizeof(T) B, writes one sum a block      order: fixed by threads and blocks
// why:   the tree runs once a block of the device instead of once every 8192 elements, so its cost does
//        not matter: shuffles move sums between lanes without shared memory, and the block that ends last
//        adds up the others'. No second launch, no host, the time of step 6. The bits of floats depend on the
//        number of blocks; kernels/statistics/cuda/float.cuh has a sum whose bits do not
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    grid_stride(const T* x, std::uint64_t n, Sum<T>* partials, std::uint32_t* ticket) {
    constexpr unsigned kLoads = 8;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index();
    Sum<T> own = 0;
    for (; i + (kLoads - 1) * stride < n; i += kLoads * stride) {
        T loaded[kLoads];
        TEGU_UNROLL
        for (unsigned l = 0; l < kLoads; ++l) loaded[l] = x[i + l * stride];
        TEGU_UNROLL
        for (unsigned l = 0; l < kLoads; ++l) own += static_cast<Sum<T>>(loaded[l]);
    }
    for (; i < n; i += stride) own += static_cast<Sum<T>>(x[i]);
    own = block_sum(own);
    if (thread_index() == 0) partials[block_x()] = own;
    if (!last_block(ticket, grid_x())) return;
    own = 0;
    for (unsigned b = thread_index(); b < grid_x(); b += block_threads()) own += partials[b];
    own = block_sum(own);
    if (thread_index() == 0) partials[0] = own;
}

}  // namespace
}  // namespace seeds
}  // namespace tegu
