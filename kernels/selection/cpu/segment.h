// SPDX-License-Identifier: Apache-2.0
// What selecting of every kind begins with: a segment of elements and its tiles, a sample of it, and working
// memory. Top-k and quantiles share this, the keys (kernels/numerics/sort_key.h), the threads
// (kernels/selection/cpu/team.h) and the sort (kernels/selection/cpu/sort.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "kernels/selection/cpu/scan.h"
#include "kernels/selection/cpu/team.h"

namespace tegu::kernels::selection {

// elements that one call of a scan kernel gets; with gaps, they are copied first
constexpr std::uint64_t kTile = 8192;
constexpr std::uint64_t kTask = 4 * kTile;  // elements that a thread takes at a time

// Elements in rows that may have gaps between them, read as one segment.
struct StridedSegment {
    const std::byte* data = nullptr;
    std::uint64_t rows = 1;
    std::uint64_t cols = 0;
    std::uint64_t stride = 0;  // elements, >= cols
    unsigned bytes = 1;        // of an element

    std::uint64_t size() const { return rows * cols; }
    bool dense() const { return rows <= 1 || stride == cols; }
};

// Copies elements [begin, begin + count) side by side.
void copy_elements(const StridedSegment& segment, std::uint64_t begin, std::uint64_t count, std::byte* to);

inline std::uint64_t tasks_of(std::uint64_t n) {
    return (n + kTask - 1) / kTask;
}
inline std::uint64_t round_up(std::uint64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// The keys of a spread sample, sorted: one element from each of `count` stretches of the segment, at a
// place in it that looks random and differs between processes, so that no period in the data and no input
// made for it meets it. `keys` has room for 2 * count; the result lies in it. Null if a stop was requested.
// REQUIRES: 1 <= count <= elements of the segment.
const std::uint64_t* take_sample(const StridedSegment& segment, const topk::ScanKernels& kernels,
                                 std::uint64_t flip, std::uint64_t count, std::uint64_t* keys,
                                 const Team& team);

// The working memory of one selection after another. Large ones ask for huge pages: faulting small pages in
// costs as much as sorting.
class Workspace {
  public:
    // Errors: OutOfMemory.
    static Result<Workspace> create(std::uint64_t bytes);
    Workspace() = default;
    ~Workspace();
    Workspace(Workspace&& other) noexcept;
    Workspace& operator=(Workspace&& other) noexcept;

    std::byte* memory() const { return memory_; }  // aligned to 64 bytes; null before create

  private:
    std::byte* memory_ = nullptr;
    std::uint64_t mapped_ = 0;  // bytes from mmap; 0: from operator new
};

}  // namespace tegu::kernels::selection
