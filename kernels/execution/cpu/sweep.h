// SPDX-License-Identifier: Apache-2.0
// How a worker group shares the segments of a job and the chunks of a segment.
#pragma once

#include "kernels/execution/cpu/segment.h"
#include "kernels/execution/cpu/worker_group.h"

namespace tegu::kernels {

// Memory for one chunk of any type whose elements are not contiguous.
struct ChunkBuffer {
    alignas(64) std::byte bytes[kChunkElements * sizeof(std::uint64_t)];
};

// Elements [begin, begin + count), contiguous; aligned for the type if `aligned`, else at any alignment.
// REQUIRES: count <= kChunkElements.
inline const std::byte* chunk_at(const Segment& segment, std::uint64_t begin, std::uint64_t count,
                                 bool aligned, ChunkBuffer* buffer) {
    if (segment.direct || (!aligned && segment.contiguous()))
        return segment.data + begin * segment.element_bytes;
    gather(segment, begin, count, buffer->bytes);
    return buffer->bytes;
}

// Calls take(data, n, worker) once for every chunk of the segment. False: a stop was requested.
template <class Take>
bool sweep(const Segment& segment, const WorkerGroup& workers, const Take& take) {
    if (segment.n == 0) return !workers.stop().stop_requested();
    const std::uint64_t chunks = chunks_of(segment.n);
    // A task has at most kMaxGroupChunks for any segment, because the stop token is polled between tasks.
    const std::uint64_t group = std::min(group_chunks(chunks, workers.size()), kMaxGroupChunks);
    return workers.run(blocks_of(chunks, group), [&](std::uint64_t g, unsigned worker) {
        ChunkBuffer buffer;  // not initialised
        for (std::uint64_t c = g * group; c < std::min((g + 1) * group, chunks); ++c) {
            const std::uint64_t begin = c * kChunkElements;
            const std::uint64_t count = std::min<std::uint64_t>(kChunkElements, segment.n - begin);
            take(chunk_at(segment, begin, count, false, &buffer), static_cast<std::size_t>(count), worker);
        }
        return true;
    });
}

// Calls each(row, workers) -> Result<void> for the whole array, as row 0, or for every row. If rows are few
// and long, all workers share each row, one row after another; else each worker takes blocks of rows.
// `row_cost`: bytes of input whose reading takes as long as a row. Errors: the first one in row order;
// Cancelled, DeadlineExceeded.
template <class Each>
Result<void> for_segments(const Job& job, std::uint64_t row_cost, const WorkerGroup& workers,
                          const Each& each) {
    if (job.axis == Axis::Whole) return each(std::uint64_t{0}, workers);
    const bool few = workers.size() > 1 && job.rows < 4 * std::uint64_t{workers.size()};
    if (few && job.cols > kMaxGroupChunks * kChunkElements) {
        for (std::uint64_t row = 0; row < job.rows; ++row) {
            Result<void> done = each(row, workers);
            if (!done) return done;
        }
        return {};
    }
    constexpr std::uint64_t kBlockBytes = 256 << 10;
    const std::uint64_t block = std::max<std::uint64_t>(1, kBlockBytes / row_cost);
    return workers.try_run(blocks_of(job.rows, block), [&](std::uint64_t b, unsigned worker) -> Result<void> {
        const WorkerGroup alone = workers.alone(worker);
        for (std::uint64_t row = b * block; row < std::min((b + 1) * block, job.rows); ++row) {
            Result<void> done = each(row, alone);
            if (!done) return done;
        }
        return {};
    });
}

// The segment of `row` in each().
inline Segment segment_at(const Job& job, const InputView& input, std::uint64_t row) {
    return job.axis == Axis::Whole ? whole_segment(job, input) : row_segment(job, input, row);
}

}  // namespace tegu::kernels
