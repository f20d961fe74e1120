// SPDX-License-Identifier: Apache-2.0
// Input arrays of the cases: the same bytes on every board and in every run, so that times of boards are
// comparable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/element_type.h"
#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::field {

// Uniform: integers over their whole range, floats in [0, 1). Small: integers of a quarter of it, so that two
// can be added.
enum class Values { Uniform, Small };

using Bytes = std::shared_ptr<const std::vector<std::byte>>;

// For the thread of the pool's caller alone.
class InputStore {
  public:
    // Keeps arrays for later cases with the same input, up to `limit_bytes` in total. The pool outlives it.
    InputStore(kernels::ThreadPool& pool, std::uint64_t limit_bytes) : pool_(pool), limit_(limit_bytes) {}

    // `which`: 0 or 1, of two different arrays of the same kind. Throws std::bad_alloc.
    Bytes get(ElementType type, std::uint64_t n, Values values = Values::Uniform, int which = 0);
    // Frees the kept arrays.
    void clear() { kept_.clear(); }

  private:
    struct Kept {
        ElementType type;
        std::uint64_t n;
        Values values;
        int which;
        Bytes bytes;
    };
    kernels::ThreadPool& pool_;
    const std::uint64_t limit_;
    std::deque<Kept> kept_;  // the oldest first
};

}  // namespace tegu::field
