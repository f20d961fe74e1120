// SPDX-License-Identifier: Apache-2.0
// add: z = x + y into an output of the type of the inputs. An integer sum that does not fit it is Overflow.
// Axis::Whole only.
#pragma once

#include "base/parameter.h"

namespace tegu {

struct AddParams {
    static constexpr auto parameters() { return std::make_tuple(); }
};

}  // namespace tegu
