// SPDX-License-Identifier: Apache-2.0
// Summary of an array: a few statistics for text output, and its elements as floats for a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace tegu {
namespace cli {

// Of the elements that are not NaN; NaN if there are none.
struct Summary {
    double min = 0, mean = 0, max = 0;
    std::uint64_t nans = 0;
};
Summary summarise(const client::Array& array);
// "min 0, mean 1.5, max 4, 3 nan"; "no numbers" if there are none.
std::string summary_text(const Summary& summary);

// Rounded. Empty if the elements are f32 already.
std::vector<float> to_floats(const client::Array& array);

}  // namespace cli
}  // namespace tegu
