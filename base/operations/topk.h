// SPDX-License-Identifier: Apache-2.0
// topk: the k largest or smallest elements and their indices.
#pragma once

#include "base/parameter.h"

namespace tegu {

struct TopkParams {
    std::uint64_t k = 0;
    bool largest = true;
    bool distinct = false;  // fewer than k results if there are fewer values

    static constexpr auto parameters() {
        return std::make_tuple(
            Number{"k", &TopkParams::k, 1, UINT64_MAX, "1 to the number of elements",
                   "of a row, with axis 1"},
            Flag{"largest", &TopkParams::largest, "the largest, else the smallest"},
            Flag{"distinct", &TopkParams::distinct, "each value once, with its first index"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        const std::uint64_t found = of.segments * (k < of.segment_elements ? k : of.segment_elements);
        add(found, of.element_bytes);
        add(found, 8);
        add(of.segments, 8);
    }
};

}  // namespace tegu
