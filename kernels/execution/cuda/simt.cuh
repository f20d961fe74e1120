// SPDX-License-Identifier: Apache-2.0
// The vocabulary of kernels: threads, warps, barriers, shuffles, shared memory, atomics. nvcc turns each
// function into one intrinsic; a host compiler turns it into a call of tests/simt. A kernel uses no other
// CUDA name, except the arithmetic of words.cuh.
//
// tests/simt runs the threads of a block as fibers. So the source of every kernel also runs under sanitizers
// on a machine without a GPU.
//
// Rules on both sides: blocks are one-dimensional; grids have x and y. All 32 lanes of a warp take part in
// its collectives, so threads per block are a multiple of 32 and no lane leaves early. Shared memory is
// uninitialized when a block starts. C++14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/execution/cuda/architecture.h"

#if defined(__CUDACC__)
#define TEGU_KERNEL __global__ void
#define TEGU_DEVICE __device__ __forceinline__
// A function that is never inlined: for long code that few threads reach, compiled once for all kernels of a
// file.
#define TEGU_DEVICE_CALLED inline __device__ __noinline__
#define TEGU_BOUNDS(threads) __launch_bounds__(threads)
#define TEGU_BOUNDS2(threads, blocks) __launch_bounds__(threads, blocks)
#define TEGU_SHARED(type, name) __shared__ type name
#define TEGU_SHARED_ARRAY(type, name, count) __shared__ type name[count]
#define TEGU_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define TEGU_UNROLL _Pragma("unroll")
#define TEGU_NO_UNROLL _Pragma("unroll 1")
#else
#define TEGU_KERNEL void
#define TEGU_DEVICE inline
#define TEGU_DEVICE_CALLED inline
#define TEGU_BOUNDS(threads)
#define TEGU_BOUNDS2(threads, blocks)
// Memory of the block, identified by the address of a variable that is unique to this declaration.
#define TEGU_SHARED_TAG(name) static char name##_tag = 0
#define TEGU_SHARED(type, name) \
    TEGU_SHARED_TAG(name);      \
    type& name = *static_cast<type*>(::tegu::simt::shared_memory(&name##_tag, sizeof(type)))
#define TEGU_SHARED_ARRAY(type, name, count) \
    TEGU_SHARED_TAG(name);                   \
    type* const name = static_cast<type*>(::tegu::simt::shared_memory(&name##_tag, sizeof(type) * (count)))
#define TEGU_DYNAMIC_SHARED(name) unsigned char* const name = ::tegu::simt::dynamic_shared_memory()
#define TEGU_UNROLL
#define TEGU_NO_UNROLL

// Defined by tests/simt. Each function acts on the calling fiber, which is one thread of the running block.
namespace tegu {
namespace simt {
struct Position {
    unsigned thread, threads, block_x, block_y, blocks_x, blocks_y;
};
const Position& position();
void* shared_memory(const void* tag, std::size_t bytes);  // aligned to 16 bytes
unsigned char* dynamic_shared_memory();
void block_barrier();
void warp_barrier();
// Every lane provides a word and receives the word of lane `from` (0..31).
std::uint32_t exchange(std::uint32_t word, unsigned from);
std::uint32_t ballot(bool predicate);
// The lanes of the warp that provide the same word.
std::uint32_t match(std::uint32_t word);
int count_of_block(bool predicate);
// Lets another thread run. Called at atomics and fences, where the order of threads matters.
void let_others_run();
}  // namespace simt
}  // namespace tegu
#endif

namespace tegu {
namespace cuda {

constexpr unsigned kWarpLanes = 32;
constexpr std::uint32_t kAllLanes = 0xffffffffu;

// --- thread indices

#if defined(__CUDACC__)
TEGU_DEVICE unsigned thread_index() {
    return threadIdx.x;
}
TEGU_DEVICE unsigned block_threads() {
    return blockDim.x;
}
TEGU_DEVICE unsigned block_x() {
    return blockIdx.x;
}
TEGU_DEVICE unsigned block_y() {
    return blockIdx.y;
}
TEGU_DEVICE unsigned grid_x() {
    return gridDim.x;
}
TEGU_DEVICE unsigned grid_y() {
    return gridDim.y;
}
#else
TEGU_DEVICE unsigned thread_index() {
    return simt::position().thread;
}
TEGU_DEVICE unsigned block_threads() {
    return simt::position().threads;
}
TEGU_DEVICE unsigned block_x() {
    return simt::position().block_x;
}
TEGU_DEVICE unsigned block_y() {
    return simt::position().block_y;
}
TEGU_DEVICE unsigned grid_x() {
    return simt::position().blocks_x;
}
TEGU_DEVICE unsigned grid_y() {
    return simt::position().blocks_y;
}
#endif
TEGU_DEVICE unsigned lane_index() {
    return thread_index() % kWarpLanes;
}
TEGU_DEVICE unsigned warp_index() {
    return thread_index() / kWarpLanes;
}
TEGU_DEVICE unsigned block_warps() {
    return block_threads() / kWarpLanes;
}

// --- barriers and fences

// All threads of the block arrive. Their writes to shared and global memory are then visible to all of them.
TEGU_DEVICE void block_barrier() {
#if defined(__CUDACC__)
    __syncthreads();
#else
    simt::block_barrier();
#endif
}
// As block_barrier(); returns the number of threads where the predicate holds.
TEGU_DEVICE int block_count(bool predicate) {
#if defined(__CUDACC__)
    return __syncthreads_count(predicate);
#else
    return simt::count_of_block(predicate);
#endif
}
TEGU_DEVICE bool block_any(bool predicate) {
#if defined(__CUDACC__)
    return __syncthreads_or(predicate) != 0;
#else
    return simt::count_of_block(predicate) != 0;
#endif
}
// All lanes of the warp arrive. Their writes to shared memory are then visible to all of them.
TEGU_DEVICE void warp_barrier() {
#if defined(__CUDACC__)
    __syncwarp();
#else
    simt::warp_barrier();
#endif
}
// Orders this thread's earlier writes before its later ones, for the whole grid.
TEGU_DEVICE void grid_fence() {
#if TEGU_HAS_GRID_FENCES
    // this fence is sufficient; __threadfence() orders more and takes longer
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#elif defined(__CUDACC__)
    __threadfence();
#else
    simt::let_others_run();
#endif
}

// --- lanes of a warp

TEGU_DEVICE std::uint32_t exchange_word(std::uint32_t word, unsigned from) {
#if defined(__CUDACC__)
    return __shfl_sync(kAllLanes, word, static_cast<int>(from));
#else
    return simt::exchange(word, from);
#endif
}
TEGU_DEVICE std::uint32_t exchange_word_xor(std::uint32_t word, unsigned mask) {
#if defined(__CUDACC__)
    return __shfl_xor_sync(kAllLanes, word, static_cast<int>(mask));
#else
    return simt::exchange(word, lane_index() ^ mask);
#endif
}

// Each lane gets the value of lane `from` (0..31, may differ from lane to lane). T: trivially copyable, a
// multiple of 4 bytes.
template <class T>
TEGU_DEVICE T shuffle(T value, unsigned from) {
    static_assert(sizeof(T) % 4 == 0, "shuffles move 32-bit words");
    std::uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof value);
    TEGU_UNROLL
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) words[i] = exchange_word(words[i], from);
    memcpy(&value, words, sizeof value);
    return value;
}
// Lane l gets the value of lane l ^ mask (mask 1..31).
template <class T>
TEGU_DEVICE T shuffle_xor(T value, unsigned mask) {
    static_assert(sizeof(T) % 4 == 0, "shuffles move 32-bit words");
    std::uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof value);
    TEGU_UNROLL
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) words[i] = exchange_word_xor(words[i], mask);
    memcpy(&value, words, sizeof value);
    return value;
}
// Lane l gets the value of lane l - delta; the first `delta` lanes keep their own.
template <class T>
TEGU_DEVICE T shuffle_up(T value, unsigned delta) {
    const unsigned lane = lane_index();
    return shuffle(value, lane >= delta ? lane - delta : lane);
}

// A mask of the lanes before this one.
TEGU_DEVICE std::uint32_t lanes_before() {
    return (1u << lane_index()) - 1u;
}

// Bit l: the predicate of lane l.
TEGU_DEVICE std::uint32_t warp_ballot(bool predicate) {
#if defined(__CUDACC__)
    return __ballot_sync(kAllLanes, predicate);
#else
    return simt::ballot(predicate);
#endif
}
TEGU_DEVICE bool warp_any(bool predicate) {
    return warp_ballot(predicate) != 0;
}
TEGU_DEVICE bool warp_all(bool predicate) {
    return warp_ballot(predicate) == kAllLanes;
}
// The smallest word of the lanes.
TEGU_DEVICE std::uint32_t warp_min(std::uint32_t word) {
#if TEGU_HAS_LANE_MINIMUM
    return __reduce_min_sync(kAllLanes, word);
#else
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
        const std::uint32_t other = exchange_word_xor(word, mask);
        word = other < word ? other : word;
    }
    return word;
#endif
}
// The lanes with the same word, this one included. REQUIRES: word < 2^bits.
TEGU_DEVICE std::uint32_t warp_match(std::uint32_t word, unsigned bits) {
#if TEGU_HAS_LANE_MATCH
    static_cast<void>(bits);
    return __match_any_sync(kAllLanes, word);
#elif defined(__CUDACC__)
    std::uint32_t same = kAllLanes;
    for (unsigned bit = 0; bit < bits; ++bit) {
        const bool set = (word >> bit & 1u) != 0;
        const std::uint32_t others = warp_ballot(set);
        same &= set ? others : ~others;
    }
    return same;
#else
    static_cast<void>(bits);
    return simt::match(word);
#endif
}

// --- atomics: each returns the previous value. Relaxed; at global or shared memory. Available from sm_53 on.

#if defined(__CUDACC__)
using Atomic64 = unsigned long long;
static_assert(sizeof(Atomic64) == sizeof(std::uint64_t), "64-bit atomics take unsigned long long");
TEGU_DEVICE Atomic64* as_atomic(std::uint64_t* at) {
    return reinterpret_cast<Atomic64*>(at);
}
TEGU_DEVICE std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
    return atomicAdd(at, value);
}
TEGU_DEVICE std::uint64_t atomic_add(std::uint64_t* at, std::uint64_t value) {
    return atomicAdd(as_atomic(at), value);
}
TEGU_DEVICE std::uint32_t atomic_min(std::uint32_t* at, std::uint32_t value) {
    return atomicMin(at, value);
}
TEGU_DEVICE std::uint64_t atomic_min(std::uint64_t* at, std::uint64_t value) {
    return atomicMin(as_atomic(at), value);
}
TEGU_DEVICE std::uint32_t atomic_max(std::uint32_t* at, std::uint32_t value) {
    return atomicMax(at, value);
}
TEGU_DEVICE std::uint64_t atomic_max(std::uint64_t* at, std::uint64_t value) {
    return atomicMax(as_atomic(at), value);
}
TEGU_DEVICE std::uint32_t atomic_or(std::uint32_t* at, std::uint32_t value) {
    return atomicOr(at, value);
}
// at = at >= last ? 0 : at + 1.
TEGU_DEVICE std::uint32_t atomic_wrap(std::uint32_t* at, std::uint32_t last) {
    return atomicInc(at, last);
}
#else
template <class T, class Change>
inline T atomic_change(T* at, Change change) {
    simt::let_others_run();
    const T before = *at;
    *at = change(before);
    return before;
}
inline std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
    return atomic_change(at, [=](std::uint32_t old) { return old + value; });
}
inline std::uint64_t atomic_add(std::uint64_t* at, std::uint64_t value) {
    return atomic_change(at, [=](std::uint64_t old) { return old + value; });
}
inline std::uint32_t atomic_min(std::uint32_t* at, std::uint32_t value) {
    return atomic_change(at, [=](std::uint32_t old) { return old < value ? old : value; });
}
inline std::uint64_t atomic_min(std::uint64_t* at, std::uint64_t value) {
    return atomic_change(at, [=](std::uint64_t old) { return old < value ? old : value; });
}
inline std::uint32_t atomic_max(std::uint32_t* at, std::uint32_t value) {
    return atomic_change(at, [=](std::uint32_t old) { return old > value ? old : value; });
}
inline std::uint64_t atomic_max(std::uint64_t* at, std::uint64_t value) {
    return atomic_change(at, [=](std::uint64_t old) { return old > value ? old : value; });
}
inline std::uint32_t atomic_or(std::uint32_t* at, std::uint32_t value) {
    return atomic_change(at, [=](std::uint32_t old) { return old | value; });
}
inline std::uint32_t atomic_wrap(std::uint32_t* at, std::uint32_t last) {
    return atomic_change(at, [=](std::uint32_t old) { return old >= last ? 0 : old + 1; });
}
#endif

// --- memory

template <class To, class From>
TEGU_DEVICE To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

// Elements of one access of up to 16 bytes. REQUIRES: its address is aligned to sizeof(T) * N.
template <class T, unsigned N>
struct alignas(sizeof(T) * N) Pack {
    T at[N];
};

// Returns true in the last block that calls this, which then sees the writes of the other blocks. All threads
// of each block call it once, after their writes to global memory. `ticket` is 0 before the first call and
// after the last, ready for the next launch.
TEGU_DEVICE bool last_block(std::uint32_t* ticket, unsigned blocks) {
    grid_fence();
    // all threads of the block have fenced: an earlier signal would let the last block read too early
    block_barrier();
    bool last = false;
    if (thread_index() == 0) {
        last = atomic_wrap(ticket, blocks - 1) == blocks - 1;
        grid_fence();
    }
    return block_any(last);
}

}  // namespace cuda
}  // namespace tegu
