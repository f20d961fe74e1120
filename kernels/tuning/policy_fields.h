// SPDX-License-Identifier: Apache-2.0
// The one description of every field of every launch policy: its name in tables, its safe values on a device,
// and the values that a tuner tries. The checks of table rows, the text of policies, the search of tegu-tune
// and the table in docs/tuning.md all use it. A value that passes the checks makes no launch fail and changes
// no bit of a result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "base/tuning_row.h"
#include "kernels/cpu_policies.h"
#include "kernels/cuda_policies.h"

namespace tegu::tuning {

// The policies of one job on both backends; a job uses one of them.
struct PolicySet {
    cuda::Policies cuda;
    kernels::CpuPolicies cpu;
};

struct PolicyField {
    std::string_view name;      // in tables: "block_threads"
    std::string_view sentence;  // its description, for docs
    // Choices: value i is written as words[i]. Empty: a number.
    std::vector<std::string_view> words;
    // Allowed numbers: multiples of `step` in [min, max], or powers of two in it; and 0 if or_zero.
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t step = 1;
    bool power_of_two = false;
    bool or_zero = false;
    // A smaller `max` of a device; null: none.
    std::int64_t (*max_of_device)(const cuda::DeviceLimits& limits) = nullptr;
    // The values that a tuner tries, ascending, the default included; some may not be allowed on a device.
    // Empty: not tunable.
    std::vector<std::int64_t> candidates;
    std::int64_t (*get)(const PolicySet& policies) = nullptr;
    void (*set)(PolicySet* policies, std::int64_t value) = nullptr;  // REQUIRES: an allowed value
};

// The fields of an operation's policy, by its stem. Empty: the operation has none on this backend,
// or is unknown. The list lives as long as the program. Any thread.
Span<const PolicyField> policy_fields(TuningBackend backend, std::string_view operation);
// Null if the operation has no such field.
const PolicyField* find_policy_field(TuningBackend backend, std::string_view operation,
                                     std::string_view name);

// "a multiple of 32 from 32 to 1024", "chosen, slide, pairs or columns".
std::string allowed_values(const PolicyField& field, const cuda::DeviceLimits& limits);
bool is_allowed(const PolicyField& field, std::int64_t value, const cuda::DeviceLimits& limits);
// The candidates that are allowed on the device.
std::vector<std::int64_t> allowed_candidates(const PolicyField& field, const cuda::DeviceLimits& limits);
// "512", or the word of a choice.
std::string value_text(const PolicyField& field, std::int64_t value);

// Sets one field from a table. Errors, with the name and the allowed values: BadRequest (no such field, or a
// word instead of a number or the reverse), BadRange (not allowed on this device). Unchanged on failure.
Result<void> set_policy_value(TuningBackend backend, std::string_view operation, const TuningValue& value,
                              const cuda::DeviceLimits& limits, PolicySet* policies);
// Checks every field of the operation alone, then fields that depend on each other. Errors: BadRange, with
// the field's name.
Result<void> check_policies(TuningBackend backend, std::string_view operation, const PolicySet& policies,
                            const cuda::DeviceLimits& limits);

// The fields that differ from the default, as in a row, in the order of policy_fields().
std::vector<TuningValue> changed_values(TuningBackend backend, std::string_view operation,
                                        const PolicySet& policies);
// "block_threads=512 room=8192 ...": all fields of the operation.
std::string policy_text(TuningBackend backend, std::string_view operation, const PolicySet& policies);

}  // namespace tegu::tuning
