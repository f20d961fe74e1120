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

GroupedSample choose_groups(std::uint64_t k, std::uint64_t n, unsigned groups, const SelectionPolicy& policy,
                            const DeviceLimits& limits) {
    constexpr double kMaxHit = 0.3;           // more, and the smallest pair says little about its group
    constexpr std::uint32_t kEnoughMore = 2;  // an exact rank takes more steps to find
    const double part = static_cast<double>(k) / static_cast<double>(n);
    const std::uint64_t max = std::min<std::uint64_t>(
        n / 8, policy.sample * std::uint64_t{std::clamp(limits.multiprocessors / 16, 1u, 8u)});
    GroupedSample sample{groups, 1, 0, 0};
    while (sample.each < kMaxOfGroup && 2 * sample.size() <= max && 2 * sample.each * part <= kMaxHit)
        sample.each *= 2;
    const double hit = 1 - std::pow(1 - part, sample.each);  // the chance of a group to have one of the best
    const double expected = hit * groups;
    sample.rank = static_cast<std::uint32_t>(expected + 4 * std::sqrt(expected * (1 - hit)) + 4);
    sample.enough = sample.rank + std::max(sample.rank / 8, kEnoughMore);
    return sample;
}

std::uint64_t max_before(const GroupedSample& sample, std::uint64_t n) {
    const double before = sample.enough, groups = sample.groups;
    const double max = (before + 6 * std::sqrt(before) + 6) / groups;
    if (max >= 1) return n;
    return static_cast<std::uint64_t>((1 - std::pow(1 - max, 1.0 / sample.each)) * static_cast<double>(n));
}

}  // namespace tegu::cuda
