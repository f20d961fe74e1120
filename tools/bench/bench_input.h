// SPDX-License-Identifier: Apache-2.0
// Input arrays of the cases: created on first use, with the same bytes in every run and on every machine.
// Cases share equal arrays; old ones are freed when the total would exceed 1.5 GiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/element_type.h"

namespace tegu::bench {

// Uniform: integers over their whole range, floats in [0, 1). Small: integers of a quarter of it, so that two
// can be added. The others are points of the same range.
enum class Values { Uniform, Small, Ascending, Descending, Equal, Few };

// "uniform", "small", "ascending", "descending", "equal", "few16".
const char* word_of(Values values);

class InputStore {
  public:
    // `which`: 0 or 1, of two different arrays of the same kind. Valid until arrays of over 1.5 GiB were
    // asked for after it.
    const std::byte* get(ElementType type, std::uint64_t n, Values values, int which = 0);

  private:
    struct Input {
        ElementType type;
        std::uint64_t n;
        Values values;
        int which;
        std::vector<std::byte> memory;
    };
    std::deque<Input> inputs_;  // the oldest first
};

}  // namespace tegu::bench
