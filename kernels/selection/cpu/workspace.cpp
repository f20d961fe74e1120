// SPDX-License-Identifier: Apache-2.0
#include "kernels/selection/cpu/workspace.h"

#include <sys/mman.h>

#include <string>
#include <utility>

namespace tegu::kernels::selection {
namespace {

constexpr std::uint64_t kHugeFrom = 16u << 20;  // bytes of working memory from which huge pages pay
constexpr std::uint64_t kHugePage = 2u << 20;

}  // namespace

Result<Workspace> Workspace::create(std::uint64_t size) {
    Workspace workspace;
    if (size < kHugeFrom) {
        workspace.allocated_ = allocate_aligned(size);
        workspace.memory_ = workspace.allocated_.get();
    } else {
        const std::uint64_t bytes = size + kHugePage;  // begins anywhere in its first huge page
        void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: without it, small pages work too
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
    if (mapped_ != 0) munmap(memory_, mapped_);
}

Workspace::Workspace(Workspace&& other) noexcept
    : allocated_(std::move(other.allocated_)),
      memory_(std::exchange(other.memory_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
    std::swap(allocated_, other.allocated_);
    std::swap(memory_, other.memory_);
    std::swap(mapped_, other.mapped_);
    return *this;
}

}  // namespace tegu::kernels::selection
