// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/tuning/random_policies.h"

#include <algorithm>

namespace tegu::test {
namespace {

using tuning::PolicyField;

std::int64_t random_between(std::int64_t min, std::int64_t max, testing_support::SplitMix* random) {
    const auto span = static_cast<std::uint64_t>(max - min) + 1;
    return min + static_cast<std::int64_t>(random->next() % span);
}

std::int64_t random_value(const PolicyField& field, const cuda::DeviceLimits& limits,
                          testing_support::SplitMix* random) {
    const std::vector<std::int64_t> candidates = tuning::allowed_candidates(field, limits);
    if (!field.words.empty() || (!candidates.empty() && random->next() % 2 == 0))
        return candidates[random->next() % candidates.size()];
    const std::int64_t device = field.max_of_device == nullptr ? field.max : field.max_of_device(limits);
    const std::int64_t max = std::min(field.max, device);
    if (field.or_zero && random->next() % 4 == 0) return 0;
    if (random->next() % 4 == 0) return field.min;
    if (!field.power_of_two) return random_between(field.min, max, random) / field.step * field.step;
    std::int64_t power = field.min;
    for (std::uint64_t doublings = random->next() % 12; doublings > 0 && 2 * power <= max; --doublings)
        power *= 2;
    return power;
}

}  // namespace

tuning::PolicySet random_policies(TuningBackend backend, std::string_view operation,
                                  const cuda::DeviceLimits& limits, testing_support::SplitMix* random) {
    for (;;) {
        tuning::PolicySet policies;
        for (const PolicyField& field : tuning::policy_fields(backend, operation)) {
            if (random->next() % 3 == 0) continue;
            const std::int64_t value = random_value(field, limits, random);
            if (tuning::is_allowed(field, value, limits)) field.set(&policies, value);
        }
        if (tuning::check_policies(backend, operation, policies, limits)) return policies;
    }
}

}  // namespace tegu::test
