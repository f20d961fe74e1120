// SPDX-License-Identifier: Apache-2.0
// rowscale: each row (Axis::Rows), or the whole array as one, divided by its largest magnitude. Float types
// only.
#pragma once

#include "base/parameter.h"

namespace tegu {

struct RowscaleParams {
    bool skip_nans = false;

    static constexpr auto parameters() {
        return std::make_tuple(Flag{"skip_nans", &RowscaleParams::skip_nans,
                                    "NaN elements stay NaN, and do not count for the scale"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        add(of.elements(), of.element_bytes);
        add(of.segments, of.element_bytes);
    }
};

}  // namespace tegu
