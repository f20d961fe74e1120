// SPDX-License-Identifier: Apache-2.0
// The input elements in the form that kernels take: one segment for each result. C++14.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegu {
namespace cuda {

// Element i of segment s lies at data + s * step + i / cols * stride + i % cols elements.
struct Segments {
    const void* data;      // aligned to the element
    std::uint64_t count;   // segments
    std::uint64_t n;       // elements of each
    std::uint64_t step;    // elements from one segment to the next
    std::uint64_t cols;    // elements of a line, which has no gaps; n where there are none
    std::uint64_t stride;  // elements from line to line

    // Number of lines, the parts of a segment without gaps.
    std::uint64_t lines() const { return cols == 0 ? 1 : n / cols; }
    // Segments [first, first + some).
    Segments part(std::size_t element_bytes, std::uint64_t first, std::uint64_t some) const {
        Segments part = *this;
        part.data = static_cast<const char*>(data) + first * step * element_bytes;
        part.count = some;
        return part;
    }
};

// Elements [begin, end) of each segment.
struct ElementRange {
    std::uint64_t begin, end;
};

}  // namespace cuda
}  // namespace tegu
