// SPDX-License-Identifier: Apache-2.0
#include "kernels/selection/cpu/segment.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "kernels/selection/cpu/sort.h"

namespace tegu::kernels::selection {
namespace {

constexpr std::uint64_t kHugeFrom = 16u << 20;  // bytes of working memory from which huge pages pay
constexpr std::uint64_t kHugePage = 2u << 20;

// A permutation of the 64-bit integers whose output looks random (the finaliser of SplitMix64).
std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// From the random bytes that the kernel gives every process, so that nobody can make input against the places
// of the sample. Results do not depend on it.
std::uint64_t secret() {
    static const std::uint64_t drawn = [] {
        std::uint64_t bytes[2] = {};
        const auto address = static_cast<std::uintptr_t>(getauxval(AT_RANDOM));
        if (address != 0) std::memcpy(bytes, reinterpret_cast<const void*>(address), sizeof bytes);
        return scramble(bytes[0] ^ scramble(bytes[1]));
    }();
    return drawn;
}

}  // namespace

void copy_elements(const StridedSegment& segment, std::uint64_t begin, std::uint64_t count, std::byte* to) {
    std::uint64_t row = begin / segment.cols;
    std::uint64_t col = begin % segment.cols;
    while (count > 0) {
        const std::uint64_t piece = std::min(count, segment.cols - col);
        std::memcpy(to, segment.data + (row * segment.stride + col) * segment.bytes, piece * segment.bytes);
        to += piece * segment.bytes;
        count -= piece;
        ++row;
        col = 0;
    }
}

const std::uint64_t* take_sample(const StridedSegment& segment, const topk::ScanKernels& kernels,
                                 std::uint64_t flip, std::uint64_t count, std::uint64_t* keys,
                                 const Team& team) {
    constexpr std::uint64_t kBatch = 256;
    const std::uint64_t n = segment.size();
    const std::uint64_t width = n / count;
    const std::uint64_t seed = secret();
    const bool done = team.run((count + kBatch - 1) / kBatch, [&](std::uint64_t batch, unsigned) {
        std::uint64_t positions[kBatch];
        const std::uint64_t begin = batch * kBatch;
        const std::uint64_t size = std::min(kBatch, count - begin);
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint64_t index = (begin + i) * width + scramble(seed + begin + i) % width;
            positions[i] =
                segment.dense() ? index : index / segment.cols * segment.stride + index % segment.cols;
        }
        kernels.gather(topk::Elements{segment.data, n, flip}, positions, size, keys + begin);
    });
    return done ? sort_by_key<topk::Entry64>(keys, keys + count, count, 0, team) : nullptr;
}

Result<Workspace> Workspace::create(std::uint64_t size) {
    Workspace workspace;
    if (size < kHugeFrom) {
        workspace.memory_ = static_cast<std::byte*>(operator new (size, std::align_val_t{64}, std::nothrow));
    } else {
        const std::uint64_t bytes = size + kHugePage;  // begins anywhere in its first huge page
        void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            madvise(memory, bytes, MADV_HUGEPAGE);  // advice: where it is refused, small pages do
            workspace.memory_ = static_cast<std::byte*>(memory);
            workspace.mapped_ = bytes;
        }
    }
    if (workspace.memory_ == nullptr)
        return make_error(Status::OutOfMemory,
                          "the job needs " + std::to_string(size) + " bytes of working memory");
    return workspace;
}

Workspace::~Workspace() {
    if (mapped_ != 0) {
        munmap(memory_, mapped_);
    } else {
        operator delete (memory_, std::align_val_t{64});
    }
}

Workspace::Workspace(Workspace&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), mapped_(std::exchange(other.mapped_, 0)) {}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(mapped_, other.mapped_);
    return *this;
}

}  // namespace tegu::kernels::selection
