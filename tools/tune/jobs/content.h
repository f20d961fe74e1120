// SPDX-License-Identifier: Apache-2.0
// The content of measured arrays: the same bytes in every run and on every machine. All threads of a pool
// fill them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::tune {

enum class Content : std::uint8_t {
    Uniform,  // integers over their whole range, floats in [-1, 1)
    Small,    // integers of a quarter of their range, so that two can be added; floats as Uniform
    // A pattern of some hundred elements with noise over it, in the middle half of the type's range;
    // floats in [0, 1).
    Image,
};

// Fills `memory`, n elements of the type. `which`: arrays of different numbers differ.
void fill(ElementType type, Content content, unsigned which, std::byte* memory, std::uint64_t n,
          kernels::ThreadPool& pool);

}  // namespace tegu::tune
