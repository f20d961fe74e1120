// SPDX-License-Identifier: Apache-2.0
// A sequence of elements and its way to one partial result: chunks, groups of chunks at fixed positions, threads. Nothing here
// changes a bit of a result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/cpu/reduce_partial.h"
#include "kernels/operation.h"
#include "kernels/thread_pool.h"

namespace tegu::kernels {

constexpr std::uint64_t kMaxGroups = 4096;  // partial results that are held at once
constexpr std::uint64_t kMaxGroupChunks =
    16;  // of a group while there are few enough; between as many chunks a thread looks at the stop token

inline std::uint64_t chunks_of(std::uint64_t n) {
    return n / kChunkElements + (n % kChunkElements != 0);
}

// The elements of one result in their order; they may lie in rows with gaps between them.
struct Sequence {
    const std::byte* data;
    std::uint64_t n;
    std::uint64_t cols;
    std::uint64_t row_stride;
    std::size_t element_bytes;
    bool direct;  // contiguous, and aligned for the type
};

// Copies elements [begin, begin + count).
inline void gather(const Sequence& sequence, std::uint64_t begin, std::uint64_t count, std::byte* to) {
    std::uint64_t row = begin / sequence.cols;
    std::uint64_t col = begin % sequence.cols;
    while (count != 0) {
        const std::uint64_t width = std::min(count, sequence.cols - col);
        const std::size_t bytes = width * sequence.element_bytes;
        std::memcpy(to, sequence.data + (row * sequence.row_stride + col) * sequence.element_bytes, bytes);
        to += bytes;
        count -= width;
        col = 0;
        ++row;
    }
}

inline void set_positions(FloatPartial* partial, std::uint64_t begin) {
    partial->min_at = partial->max_at = begin;
    partial->nan_at = partial->nans != 0 ? begin : ~std::uint64_t{0};
}
inline void set_positions(IntegerPartial* partial, std::uint64_t begin) {
    partial->min_at = partial->max_at = begin;
}

// What a run computes from each chunk.
template <class Partial>
struct ChunkWork {
    void (*kernel)(unsigned, const void*, std::size_t, Partial*);
    unsigned needs;

    // The chunk that begins at element `begin`, a multiple of kChunkElements.
    void reduce(const Sequence& sequence, std::uint64_t begin, Partial* out) const {
        const std::uint64_t count = std::min<std::uint64_t>(kChunkElements, sequence.n - begin);
        if (sequence.direct)
            kernel(needs, sequence.data + begin * sequence.element_bytes, count, out);
        else
            reduce_gathered(sequence, begin, count, out);
        set_positions(out, begin);
    }

    __attribute__((noinline)) void reduce_gathered(const Sequence& sequence, std::uint64_t begin, std::uint64_t count,
                                                   Partial* out) const {
        alignas(64) std::byte buffer[kChunkElements * sizeof(std::uint64_t)];
        gather(sequence, begin, count, buffer);
        kernel(needs, buffer, count, out);
    }

    // The subtree of chunks [begin, end). False: stopped.
    bool reduce_group(const Sequence& sequence, std::uint64_t begin, std::uint64_t end, const StopToken& stop,
                      Partial* out) const {
        if (end - begin == 1) return reduce(sequence, begin * kChunkElements, out), true;
        PartialTree<Partial> tree;
        Partial chunk;
        for (std::uint64_t c = begin; c < end; ++c) {
            if (c != begin && c % kMaxGroupChunks == 0 && stop.stop_requested()) return false;
            reduce(sequence, c * kChunkElements, &chunk);
            tree.push(chunk);
        }
        *out = tree.finish();
        return true;
    }
};

// Reduces a sequence on the calling thread. False: stopped.
template <class Partial>
bool reduce_serial(const ChunkWork<Partial>& work, const Sequence& sequence, const StopToken& stop, Partial* out) {
    return work.reduce_group(sequence, 0, chunks_of(sequence.n), stop, out);
}

// A power of two of chunks, such that there are enough groups for all threads and fewer than kMaxGroups: above 2^30 elements a group has
// more than kMaxGroupChunks.
inline std::uint64_t group_chunks(std::uint64_t chunks, unsigned threads) {
    std::uint64_t group = 1;
    while (group < kMaxGroupChunks && chunks / (2 * group) >= 8 * std::uint64_t{threads}) group *= 2;
    while (chunks / group >= kMaxGroups) group *= 2;
    return group;
}

template <class Partial>
Result<void> reduce_parallel(const ChunkWork<Partial>& work, const Sequence& sequence, ThreadPool* pool,
                             const StopToken& stop, Partial* out) {
    const std::uint64_t chunks = chunks_of(sequence.n);
    const std::uint64_t group = group_chunks(chunks, pool->threads());
    const std::uint64_t groups = (chunks + group - 1) / group;
    const std::unique_ptr<Partial[]> partials(new (std::nothrow) Partial[groups]);
    if (partials == nullptr) return make_error(Status::OutOfMemory, "no memory for the partial results of reduce");
    std::atomic<bool> stopped{false};
    pool->parallel_for(groups, [&](std::uint64_t g, unsigned) {
        if (stopped.load(std::memory_order_relaxed)) return;
        if (stop.stop_requested() ||
            !work.reduce_group(sequence, g * group, std::min((g + 1) * group, chunks), stop, &partials[g]))
            stopped.store(true, std::memory_order_relaxed);
    });
    if (stopped.load(std::memory_order_relaxed)) return stop.error();
    PartialTree<Partial> tree;
    for (std::uint64_t g = 0; g < groups; ++g) tree.push(partials[g]);
    *out = tree.finish();
    return {};
}

}  // namespace tegu::kernels
