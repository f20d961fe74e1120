// SPDX-License-Identifier: Apache-2.0
// Segments counted by workers that each have memory of their own: a crew is the workers that share one
// segment. Long segments are shared by all, short rows are dealt out, one worker a row. There are at most
// kMaxCrew workers however many threads the pool has, which bounds their memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "kernels/execution/cpu/block_run.h"
#include "kernels/statistics/cpu/segment.h"

namespace tegu::kernels {

inline constexpr unsigned kMaxCrew = 16;

struct Crew {
    ThreadPool* pool = nullptr;  // null: one worker, on the calling thread
    unsigned first = 0;          // the workers are first .. first + workers - 1
    unsigned workers = 1;
};

// body(task, worker) -> bool for tasks [0, count) until one gives false or a stop is requested; then the
// result is false.
template <class Body>
bool run_tasks(std::uint64_t count, const Crew& crew, const StopToken& stop, const Body& body) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stopped{false};
    const auto work = [&](std::uint64_t worker, unsigned) {
        while (!stopped.load(std::memory_order_relaxed)) {
            const std::uint64_t task = next.fetch_add(1, std::memory_order_relaxed);
            if (task >= count) return;
            if (stop.stop_requested() || !body(task, crew.first + static_cast<unsigned>(worker)))
                stopped.store(true, std::memory_order_relaxed);
        }
    };
    if (crew.pool == nullptr || count <= 1)
        work(0, 0);
    else
        crew.pool->parallel_for(std::min<std::uint64_t>(crew.workers, count), work);
    return !stopped.load(std::memory_order_relaxed);
}

// Memory for one chunk of any type that does not lie in one piece.
struct ChunkBuffer {
    alignas(64) std::byte bytes[kChunkElements * sizeof(std::uint64_t)];
};

// Elements [begin, begin + count) in one piece: aligned for the type if `aligned`, else at any address.
// REQUIRES: count <= kChunkElements.
inline const std::byte* chunk_at(const Segment& segment, std::uint64_t begin, std::uint64_t count,
                                 bool aligned, ChunkBuffer* buffer) {
    if (segment.direct || (!aligned && segment.cols >= segment.n))
        return segment.data + begin * segment.element_bytes;
    gather(segment, begin, count, buffer->bytes);
    return buffer->bytes;
}

// take(data, n, worker) for every chunk of the segment, each once. False: stopped.
template <class Take>
bool sweep(const Segment& segment, const Crew& crew, const StopToken& stop, const Take& take) {
    const std::uint64_t chunks = chunks_of(segment.n);
    // Nothing is held for a group here, so however long the segment is, a worker looks at the stop token
    // every kMaxGroupChunks.
    const std::uint64_t group = std::min(group_chunks(chunks, crew.workers), kMaxGroupChunks);
    return run_tasks((chunks + group - 1) / group, crew, stop, [&](std::uint64_t g, unsigned worker) {
        ChunkBuffer buffer;  // not initialised
        for (std::uint64_t c = g * group; c < std::min((g + 1) * group, chunks); ++c) {
            const std::uint64_t begin = c * kChunkElements;
            const std::uint64_t count = std::min<std::uint64_t>(kChunkElements, segment.n - begin);
            take(chunk_at(segment, begin, count, false, &buffer), static_cast<std::size_t>(count), worker);
        }
        return true;
    });
}

// How many workers a job of predicted cost has: each needs memory of its own.
inline unsigned crew_size(const CpuContext& context, std::uint64_t predicted_ns, unsigned most) {
    const ThreadPool* const pool = context.pool_for(predicted_ns, kParallelWorkNs);
    if (pool == nullptr) return 1;
    return std::min(std::min(pool->threads(), most), kMaxCrew);
}

// one(segment, row, crew) -> Result<void> for the whole array, or for each row; of errors in several rows,
// that of the first such row.
template <class One>
Result<void> run_segments(const Job& job, const InputView& input, ThreadPool* pool, unsigned workers,
                          const StopToken& stop, const One& one) {
    Crew all{workers > 1 ? pool : nullptr, 0, workers};
    if (job.axis == Axis::Whole) return one(whole_segment(job, input), 0, all);
    if (workers > 1 && job.rows < 4 * std::uint64_t{workers} && job.cols > kMaxGroupChunks * kChunkElements) {
        for (std::uint64_t row = 0; row < job.rows; ++row) {
            Result<void> done = one(row_segment(job, input, row), row, all);
            if (!done) return done;
        }
        return {};
    }
    constexpr std::uint64_t kBlockBytes = 256 << 10;
    const std::uint64_t block =
        std::max<std::uint64_t>(1, kBlockBytes / (job.cols * element_bytes(job.type) + 4096));
    FirstError first;
    const bool finished =
        run_tasks(blocks_of(job.rows, block), all, stop, [&](std::uint64_t b, unsigned worker) {
            for (std::uint64_t row = b * block; row < std::min((b + 1) * block, job.rows); ++row) {
                if (job.cols == 0 && stop.stop_requested()) return false;  // a sweep of nothing does not look
                Result<void> done = one(row_segment(job, input, row), row, Crew{nullptr, worker, 1});
                if (done) continue;
                first.keep(row, std::move(done).error());
                return false;
            }
            return true;
        });
    if (first.seen()) return first.result();
    if (!finished) return stop.error();
    return {};
}

}  // namespace tegu::kernels
