// SPDX-License-Identifier: Apache-2.0
// dot: the scalar product.
#pragma once

#include "base/parameter.h"

namespace tegu {

struct DotParams {
    bool skip_nans = false;

    static constexpr auto parameters() {
        return std::make_tuple(Flag{"skip_nans", &DotParams::skip_nans, "leave out the pairs with a NaN"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        add(of.segments, 8);
    }
};

}  // namespace tegu
