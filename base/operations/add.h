// SPDX-License-Identifier: Apache-2.0
// add: z = x + y into an output of the type of the inputs. An integer sum that does not fit it is Overflow.
// Axis::Whole only.
#pragma once

#include "base/parameter.h"

namespace tegu {

struct AddParams {
    static constexpr auto parameters() { return std::make_tuple(); }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        add(of.elements(), of.element_bytes);
    }
};

}  // namespace tegu
