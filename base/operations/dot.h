// SPDX-License-Identifier: Apache-2.0
// dot: the scalar product.
#pragma once

#include "base/parameter.h"
#include "base/tree_nodes.h"

namespace tegu {

struct DotParams {
    bool skip_nans = false;
    bool partial = false;  // this and the next two: as in reduce
    bool last = false;
    std::uint32_t offset = 0;

    static constexpr auto parameters() {
        return std::make_tuple(
            Flag{"skip_nans", &DotParams::skip_nans, "leave out the pairs with a NaN"},
            Flag{"partial", &DotParams::partial,
                 "the inputs are a piece of longer arrays; the result is its [nodes](partials.md)"},
            Flag{"last", &DotParams::last, "with `partial`: the piece ends the longer arrays"},
            Number{"offset", &DotParams::offset, 0, UINT32_MAX, "0 to 2^32 - 1",
                   "with `partial`: the place of the piece in the longer arrays, modulo 2^32"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        if (partial) return add(node_count(offset, of.elements(), last), 8 * kDotNodeWords);
        add(of.segments, 8);
    }
};

}  // namespace tegu
