// SPDX-License-Identifier: Apache-2.0
// The working memory of consecutive selections. A large one uses huge pages: page faults on small pages cost
// as much as the sort.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "kernels/execution/cpu/aligned_memory.h"

namespace tegu::kernels::selection {

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
    AlignedBytes allocated_;  // null: mapped
    std::byte* memory_ = nullptr;
    std::uint64_t mapped_ = 0;  // bytes from mmap
};

}  // namespace tegu::kernels::selection
