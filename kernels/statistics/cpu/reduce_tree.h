// SPDX-License-Identifier: Apache-2.0
// Reduces a segment to one partial result: chunks, groups of chunks at fixed positions, the tree. The
// assignment of groups to workers changes no bit.
#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "kernels/execution/cpu/sweep.h"
#include "kernels/statistics/partial_tree.h"

namespace tegu::kernels {

inline void set_positions(FloatPartial* partial, std::uint64_t begin) {
    const bool has_value = partial->min <= partial->max;  // else every element is a NaN
    partial->min_at = partial->max_at = has_value ? begin : ~std::uint64_t{0};
    partial->nan_at = partial->nans != 0 ? begin : ~std::uint64_t{0};
}
inline void set_positions(IntegerPartial* partial, std::uint64_t begin) {
    partial->min_at = partial->max_at = begin;
}

// Input from this size on is read in the order of memory: caches of a core do not hold it.
constexpr std::uint64_t kFromMemoryBytes = 8 << 20;

// `needs` for a job with so many bytes of input.
inline unsigned needs_of_job(unsigned needs, std::uint64_t bytes) {
    return needs != 0 && bytes >= kFromMemoryBytes ? needs | kFromMemory : needs;
}

// The computation that a run applies to each chunk.
template <class Partial>
struct ChunkWork {
    void (*kernel)(unsigned, const void*, std::size_t, Partial*);
    unsigned needs;

    // The chunk that begins at element `begin`, a multiple of kChunkElements.
    void reduce(const Segment& segment, std::uint64_t begin, Partial* out) const {
        const std::uint64_t count = std::min<std::uint64_t>(kChunkElements, segment.n - begin);
        if (segment.direct)
            kernel(needs, segment.data + begin * segment.element_bytes, count, out);
        else
            reduce_gathered(segment, begin, count, out);
        set_positions(out, begin);
    }

    __attribute__((noinline)) void reduce_gathered(const Segment& segment, std::uint64_t begin,
                                                   std::uint64_t count, Partial* out) const {
        alignas(64) std::byte buffer[kChunkElements * sizeof(std::uint64_t)];
        gather(segment, begin, count, buffer);
        kernel(needs, buffer, count, out);
    }
};

// The subtree of chunks [begin, end); chunk(c, &partial) computes one. False: stopped.
template <class Partial, class Chunk>
bool reduce_chunks(std::uint64_t begin, std::uint64_t end, const StopToken& stop, const Chunk& chunk,
                   Partial* out) {
    if (end - begin == 1) return chunk(begin, out), true;
    PartialTree<Partial> tree;
    Partial partial;
    for (std::uint64_t c = begin; c < end; ++c) {
        if (c != begin && c % kMaxGroupChunks == 0 && stop.stop_requested()) return false;
        chunk(c, &partial);
        tree.push(partial);
    }
    *out = tree.finish();
    return true;
}

// The tree of all chunks, shared by the worker group. REQUIRES: chunks != 0.
template <class Partial, class Chunk>
Result<void> reduce_tree(std::uint64_t chunks, const WorkerGroup& workers, const Chunk& chunk, Partial* out) {
    if (workers.size() == 1 || chunks == 1) {
        if (!reduce_chunks(0, chunks, workers.stop(), chunk, out)) return workers.stop().error();
        return {};
    }
    const std::uint64_t width = group_chunks(chunks, workers.size());
    const std::uint64_t groups = blocks_of(chunks, width);
    const std::unique_ptr<Partial[]> partials(new (std::nothrow) Partial[groups]);
    if (partials == nullptr) return make_error(Status::OutOfMemory, "no memory for partial results");
    const bool done = workers.run(groups, [&](std::uint64_t g, unsigned) {
        const std::uint64_t end = std::min((g + 1) * width, chunks);
        return reduce_chunks(g * width, end, workers.stop(), chunk, &partials[g]);
    });
    if (!done) return workers.stop().error();
    PartialTree<Partial> tree;
    for (std::uint64_t g = 0; g < groups; ++g) tree.push(partials[g]);
    *out = tree.finish();
    return {};
}

// REQUIRES: the segment has elements.
template <class Partial>
Result<void> reduce_segment(const ChunkWork<Partial>& work, const Segment& segment,
                            const WorkerGroup& workers, Partial* out) {
    const auto chunk = [&](std::uint64_t c, Partial* partial) {
        work.reduce(segment, c * kChunkElements, partial);
    };
    return reduce_tree(chunks_of(segment.n), workers, chunk, out);
}

}  // namespace tegu::kernels
