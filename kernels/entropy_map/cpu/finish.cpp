// SPDX-License-Identifier: Apache-2.0
// The division that turns a sum of table entries into an entropy: a plain loop that the compiler vectorises.
#include "kernels/entropy_map/cpu/entropy_map.h"

namespace tegu::kernels::TEGU_ISA {

void entropy_finish(const std::uint32_t* sums, const std::uint32_t* whole, const float* divisor,
                    std::size_t n, float* out) {
    for (std::size_t i = 0; i < n;
         ++i)  // the difference is below 2^31: converted as signed, which every instruction set can
        out[i] = static_cast<float>(static_cast<std::int32_t>(whole[i] - sums[i])) / divisor[i];
}

}  // namespace tegu::kernels::TEGU_ISA
