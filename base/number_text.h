// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers in messages, printed exactly: a rounded value could appear valid beside "0..1".
#pragma once

#include <string>

namespace tegu {

// The fewest digits, 15 to 17, that read back as `value`: "0.5", "1.0000000001", "-inf", "nan" for every NaN.
std::string number_text(double value);

}  // namespace tegu
