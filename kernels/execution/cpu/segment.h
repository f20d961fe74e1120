// SPDX-License-Identifier: Apache-2.0
// Segment: the elements of one result in order, with or without gaps between its rows. Also the groups of
// chunks that workers take from a long segment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/numerics/chunk.h"
#include "kernels/operation.h"

namespace tegu::kernels {

struct Segment {
    const std::byte* data;
    std::uint64_t n;
    std::uint64_t cols;        // of a row, at least 1
    std::uint64_t row_stride;  // elements
    unsigned element_bytes;
    bool direct;  // contiguous, and aligned for the type

    bool contiguous() const { return cols >= n; }
};

// n contiguous elements.
inline Segment dense_segment(const std::byte* data, std::uint64_t n, unsigned element_bytes) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % element_bytes == 0;
    return Segment{data, n, std::max<std::uint64_t>(n, 1), n, element_bytes, aligned};
}

// The whole array as one segment.
inline Segment whole_segment(const Job& job, const InputView& input) {
    const std::uint64_t n = job.rows * job.cols;
    Segment segment = dense_segment(input.data, n, static_cast<unsigned>(element_bytes(job.type)));
    if (job.rows <= 1 || input.row_stride == job.cols) return segment;
    segment.cols = std::max<std::uint64_t>(job.cols, 1);
    segment.row_stride = input.row_stride;
    segment.direct = false;
    return segment;
}

// Row `row` of the input as one segment.
inline Segment row_segment(const Job& job, const InputView& input, std::uint64_t row) {
    const auto width = static_cast<unsigned>(element_bytes(job.type));
    const std::byte* data = job.cols == 0 ? input.data : input.data + row * input.row_stride * width;
    return dense_segment(data, job.cols, width);
}

// Copies elements [begin, begin + count) into contiguous memory.
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

constexpr std::uint64_t kMaxGroups = 4096;  // partial results in memory at the same time
// Maximum chunks of a group below kMaxGroups groups; also the chunks between two polls of the stop token.
constexpr std::uint64_t kMaxGroupChunks = 16;

// Chunks per group: a power of two that gives enough groups for all workers and fewer than kMaxGroups. Above
// 2^30 elements a group has more than kMaxGroupChunks.
inline std::uint64_t group_chunks(std::uint64_t chunks, unsigned workers) {
    std::uint64_t group = 1;
    while (group < kMaxGroupChunks && chunks / (2 * group) >= 8 * std::uint64_t{workers}) group *= 2;
    while (chunks / group >= kMaxGroups) group *= 2;
    return group;
}

}  // namespace tegu::kernels
