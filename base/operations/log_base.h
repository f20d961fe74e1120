// SPDX-License-Identifier: Apache-2.0
// The base of the logarithm of an entropy.
#pragma once

#include "base/parameter.h"

namespace tegu {

enum class LogBase : std::uint8_t { Two = 0, E = 1 };

inline constexpr const char* kLogBaseWords[] = {"2", "e"};
constexpr Words words_of(LogBase) {
    return words(kLogBaseWords);
}

}  // namespace tegu
