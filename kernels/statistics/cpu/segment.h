// SPDX-License-Identifier: Apache-2.0
// A segment of elements and its way to one partial result: chunks, groups of chunks at fixed positions,
// threads. Nothing here changes a bit of a result.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/execution/cpu/block_run.h"
#include "kernels/statistics/partial.h"

namespace tegu::kernels {

constexpr std::uint64_t kMaxGroups = 4096;  // partial results that are held at once
// of a group while there are few enough; between as many chunks a thread looks at the stop token
constexpr std::uint64_t kMaxGroupChunks = 16;

inline std::uint64_t chunks_of(std::uint64_t n) {
    return n / kChunkElements + (n % kChunkElements != 0);
}

// The elements of one result in their order; they may lie in rows with gaps between them.
struct Segment {
    const std::byte* data;
    std::uint64_t n;
    std::uint64_t cols;
    std::uint64_t row_stride;
    std::size_t element_bytes;
    bool direct;  // contiguous, and aligned for the type
};

// The whole array as one segment.
inline Segment whole_segment(const Job& job, const InputView& input) {
    const std::uint64_t n = job.rows * job.cols;
    const std::size_t width = element_bytes(job.type);
    const bool contiguous = job.rows <= 1 || input.row_stride == job.cols;
    const bool aligned = reinterpret_cast<std::uintptr_t>(input.data) % width == 0;
    return Segment{input.data,       n,     contiguous ? std::max<std::uint64_t>(n, 1) : job.cols,
                   input.row_stride, width, contiguous && aligned};
}

// Row `row` of it.
inline Segment row_segment(const Job& job, const InputView& input, std::uint64_t row) {
    const std::size_t width = element_bytes(job.type);
    const std::byte* data = job.cols == 0 ? input.data : input.data + row * input.row_stride * width;
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % width == 0;
    return Segment{data, job.cols, std::max<std::uint64_t>(job.cols, 1), job.cols, width, aligned};
}

// Copies elements [begin, begin + count).
inline void gather(const Segment& segment, std::uint64_t begin, std::uint64_t count, std::byte* to) {
    std::uint64_t row = begin / segment.cols;
    std::uint64_t col = begin % segment.cols;
    while (count != 0) {
        const std::uint64_t width = std::min(count, segment.cols - col);
        const std::size_t bytes = width * segment.element_bytes;
        std::memcpy(to, segment.data + (row * segment.row_stride + col) * segment.element_bytes, bytes);
        to += bytes;
        count -= width;
        col = 0;
        ++row;
    }
}

inline void set_positions(FloatPartial* partial, std::uint64_t begin) {
    const bool has_value = partial->min <= partial->max;  // else every element is a NaN
    partial->min_at = partial->max_at = has_value ? begin : ~std::uint64_t{0};
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

// The subtree of chunks [begin, end), of which chunk(c, &partial) gives one. False: stopped.
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

// A power of two of chunks, such that there are enough groups for all threads and fewer than kMaxGroups:
// above 2^30 elements a group has more than kMaxGroupChunks.
inline std::uint64_t group_chunks(std::uint64_t chunks, unsigned threads) {
    std::uint64_t group = 1;
    while (group < kMaxGroupChunks && chunks / (2 * group) >= 8 * std::uint64_t{threads}) group *= 2;
    while (chunks / group >= kMaxGroups) group *= 2;
    return group;
}

// The tree of all chunks, shared by the threads of `pool`, which may be null. REQUIRES: chunks != 0.
template <class Partial, class Chunk>
Result<void> reduce_tree(std::uint64_t chunks, ThreadPool* pool, const StopToken& stop, const Chunk& chunk,
                         Partial* out) {
    if (pool == nullptr || chunks == 1) {
        if (!reduce_chunks(0, chunks, stop, chunk, out)) return stop.error();
        return {};
    }
    const std::uint64_t width = group_chunks(chunks, pool->threads());
    const std::uint64_t groups = blocks_of(chunks, width);
    const std::unique_ptr<Partial[]> partials(new (std::nothrow) Partial[groups]);
    if (partials == nullptr) return make_error(Status::OutOfMemory, "no memory for partial results");
    Result<void> done = for_blocks(groups, pool, stop, [&](std::uint64_t g, unsigned) -> Result<void> {
        if (reduce_chunks(g * width, std::min((g + 1) * width, chunks), stop, chunk, &partials[g])) return {};
        return stop.error();
    });
    if (!done) return done;
    PartialTree<Partial> tree;
    for (std::uint64_t g = 0; g < groups; ++g) tree.push(partials[g]);
    *out = tree.finish();
    return {};
}

// REQUIRES: the segment has elements.
template <class Partial>
Result<void> reduce_segment(const ChunkWork<Partial>& work, const Segment& segment, ThreadPool* pool,
                            const StopToken& stop, Partial* out) {
    const auto chunk = [&](std::uint64_t c, Partial* partial) {
        work.reduce(segment, c * kChunkElements, partial);
    };
    return reduce_tree(chunks_of(segment.n), pool, stop, chunk, out);
}

// row(r, pool) -> Result<void> for each row of a job, of row_bytes bytes of input: a few long rows one after
// another by all threads, other rows in blocks of which each thread takes one at a time, without a pool.
template <class Row>
Result<void> for_rows(const Job& job, std::uint64_t row_bytes, ThreadPool* pool, const StopToken& stop,
                      const Row& row) {
    constexpr std::uint64_t kBlockBytes = 256 << 10;
    const bool few = pool != nullptr && job.rows < 4 * std::uint64_t{pool->threads()};
    if (few && job.cols > kMaxGroupChunks * kChunkElements) {
        for (std::uint64_t r = 0; r < job.rows; ++r) {
            Result<void> done = row(r, pool);
            if (!done) return done;
        }
        return {};
    }
    const std::uint64_t block = std::max<std::uint64_t>(1, kBlockBytes / (row_bytes + 64));
    return for_blocks(blocks_of(job.rows, block), pool, stop, [&](std::uint64_t b, unsigned) -> Result<void> {
        const std::uint64_t end = std::min((b + 1) * block, job.rows);
        for (std::uint64_t r = b * block; r < end; ++r) {
            Result<void> done = row(r, static_cast<ThreadPool*>(nullptr));
            if (!done) return done;
        }
        return {};
    });
}

}  // namespace tegu::kernels
