// SPDX-License-Identifier: Apache-2.0
#include "kernels/selection/cuda/run.h"

#include <algorithm>
#include <cmath>

#include "kernels/numerics/sort_key.h"

namespace tegu::cuda {

KeySegments segments_of(const Job& job, const kernels::InputView& input, bool largest) {
    const auto width = static_cast<unsigned>(element_bytes(job.type));
    const std::uint64_t flip = kernels::key::flip_of(largest, is_signed_integer(job.type), width);
    return KeySegments{segments_of(job, input), flip, width, is_float(job.type)};
}

KeySegments part_of(const KeySegments& all, std::uint64_t first, std::uint64_t count) {
    return KeySegments{all.part(all.width, first, count), all.flip, all.width, all.is_float};
}

std::uint64_t safe_rank(std::uint64_t k, std::uint64_t n, std::uint64_t sample) {
    const double part = static_cast<double>(k) / static_cast<double>(n);
    const double expected = part * static_cast<double>(sample);
    return static_cast<std::uint64_t>(expected + 4 * std::sqrt(expected * (1 - std::min(part, 1.0))) + 4);
}

std::uint64_t max_before(std::uint64_t rank, std::uint64_t n, std::uint64_t sample) {
    const double before = static_cast<double>(rank);
    const double max =
        (before + 6 * std::sqrt(before) + 6) / static_cast<double>(sample) * static_cast<double>(n);
    return max < static_cast<double>(n) ? static_cast<std::uint64_t>(max) : n;
}

}  // namespace tegu::cuda
