// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/kernels/cpu_rivals.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tegu::seeds {

void list_best_on_cpu(unsigned k, const std::int32_t* x, std::uint64_t n, std::int32_t* out) {
    std::fill_n(out, k, INT32_MIN);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::int32_t value = x[i];
        if (std::find(out, out + k, value) != out + k || value <= out[k - 1]) continue;
        unsigned at = k - 1;
        for (; at > 0 && out[at - 1] < value; --at) out[at] = out[at - 1];
        out[at] = value;
    }
}

void sorted_best_on_cpu(unsigned k, const std::int32_t* x, std::uint64_t n, std::vector<std::int32_t>& copy,
                        std::int32_t* out) {
    copy.assign(x, x + n);
    std::sort(copy.begin(), copy.end(), std::greater<>());
    unsigned found = 0;
    for (std::uint64_t i = 0; i < n && found < k; ++i)
        if (i == 0 || copy[i] != copy[i - 1]) out[found++] = copy[i];
    std::fill(out + found, out + k, INT32_MIN);
}

void add_on_cpu(const float* x, const float* y, float* z, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

float sum_on_cpu(const float* x, std::uint64_t n) {
    float sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}

std::int64_t sum_on_cpu(const std::int32_t* x, std::uint64_t n) {
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}

void row_scale_on_cpu(const float* x, float* values, std::uint64_t rows, std::uint64_t cols) {
    for (std::uint64_t row = 0; row < rows; ++row, x += cols, values += cols) {
        float magnitude = 0;
        for (std::uint64_t c = 0; c < cols; ++c) {
            const float own = std::fabs(x[c]);
            magnitude = own > magnitude ? own : magnitude;
        }
        const float divisor = magnitude == 0 ? 1.0f : magnitude;
        for (std::uint64_t c = 0; c < cols; ++c) values[c] = x[c] / divisor;
    }
}

}  // namespace tegu::seeds
