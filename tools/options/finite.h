// SPDX-License-Identifier: Apache-2.0
// A check for numbers of a command line. CLI::Range accepts "nan", because no comparison with it is true.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace tegu {

inline CLI::Validator finite() {
    return CLI::Validator(
        [](const std::string& text) {
            return std::isfinite(std::strtod(text.c_str(), nullptr)) ? std::string()
                                                                     : text + " is no finite number";
        },
        "");
}

}  // namespace tegu
