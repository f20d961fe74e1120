// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/policy_fields.h"

#include <algorithm>

#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

const PolicySet& default_policies() {
    static const PolicySet defaults{};
    return defaults;
}

std::int64_t max_of(const PolicyField& field, const cuda::DeviceLimits& limits) {
    if (field.max_of_device == nullptr) return field.max;
    return std::min(field.max, field.max_of_device(limits));
}

// The name of the field in messages: "policy.block_threads".
std::string message_name(const PolicyField& field) {
    return "policy." + std::string(field.name);
}

std::string list_text(const std::vector<std::string_view>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::string names_of(Span<const PolicyField> fields) {
    std::vector<std::string_view> names;
    for (const PolicyField& field : fields) names.push_back(field.name);
    return list_text(names);
}

Error not_allowed(const PolicyField& field, std::int64_t value, const cuda::DeviceLimits& limits) {
    return bad_range(message_name(field), allowed_values(field, limits),
                     std::string(field.name) + " is " + value_text(field, value));
}

Result<std::int64_t> number_of(const PolicyField& field, const TuningValue& value,
                               const cuda::DeviceLimits& limits) {
    if (field.words.empty()) {
        if (value.word.empty()) return value.number;
        return field_error(Status::BadRequest, message_name(field), allowed_values(field, limits),
                           std::string(field.name) + " is the word \"" + value.word + "\"");
    }
    const auto found = std::find(field.words.begin(), field.words.end(), value.word);
    if (found != field.words.end()) return std::int64_t{found - field.words.begin()};
    return field_error(Status::BadRequest, message_name(field), allowed_values(field, limits),
                       std::string(field.name) + " is " +
                           (value.word.empty() ? std::to_string(value.number) : "\"" + value.word + "\""));
}

}  // namespace

Span<const PolicyField> policy_fields(TuningBackend backend, std::string_view operation) {
    const OperationInfo* const info = find_operation(operation);
    if (info == nullptr) return {};
    const OperationTuning& tuning = tuning_of(info->operation);
    return backend == TuningBackend::Cuda ? tuning.cuda : tuning.cpu;
}

const PolicyField* find_policy_field(TuningBackend backend, std::string_view operation,
                                     std::string_view name) {
    for (const PolicyField& field : policy_fields(backend, operation))
        if (field.name == name) return &field;
    return nullptr;
}

std::string allowed_values(const PolicyField& field, const cuda::DeviceLimits& limits) {
    if (!field.words.empty()) return list_text(field.words);
    const std::int64_t max = max_of(field, limits);
    const std::string zero = field.or_zero ? "0, or " : "";
    if (field.min == max) return zero + std::to_string(max);
    const std::string range = std::to_string(field.min) + " to " + std::to_string(max);
    if (field.power_of_two) return zero + "a power of two from " + range;
    if (field.step != 1) return zero + "a multiple of " + std::to_string(field.step) + " from " + range;
    return zero + range;
}

bool is_allowed(const PolicyField& field, std::int64_t value, const cuda::DeviceLimits& limits) {
    if (value == field.get(default_policies())) return true;  // the launches limit it to the device
    if (value == 0 && field.or_zero) return true;
    if (value < field.min || value > max_of(field, limits)) return false;
    return field.power_of_two ? (value & (value - 1)) == 0 : value % field.step == 0;
}

std::vector<std::int64_t> allowed_candidates(const PolicyField& field, const cuda::DeviceLimits& limits) {
    std::vector<std::int64_t> allowed;
    for (const std::int64_t value : field.candidates)
        if (is_allowed(field, value, limits)) allowed.push_back(value);
    return allowed;
}

std::string value_text(const PolicyField& field, std::int64_t value) {
    const auto index = static_cast<std::size_t>(value);
    if (value >= 0 && index < field.words.size()) return std::string(field.words[index]);
    return std::to_string(value);
}

Result<void> set_policy_value(TuningBackend backend, std::string_view operation, const TuningValue& value,
                              const cuda::DeviceLimits& limits, PolicySet* policies) {
    const PolicyField* const field = find_policy_field(backend, operation, value.name);
    if (field == nullptr) {
        const Span<const PolicyField> fields = policy_fields(backend, operation);
        return field_error(
            Status::BadRequest, "policy." + value.name, fields.empty() ? "no field" : names_of(fields),
            "the policy of " + std::string(operation) + " has no field \"" + value.name + "\"");
    }
    const Result<std::int64_t> number = number_of(*field, value, limits);
    if (!number) return number.error();
    if (!is_allowed(*field, *number, limits)) return not_allowed(*field, *number, limits);
    field->set(policies, *number);
    return {};
}

Result<void> check_policies(TuningBackend backend, std::string_view operation, const PolicySet& policies,
                            const cuda::DeviceLimits& limits) {
    for (const PolicyField& field : policy_fields(backend, operation))
        if (!is_allowed(field, field.get(policies), limits))
            return not_allowed(field, field.get(policies), limits);
    const OperationInfo* const info = find_operation(operation);
    if (info == nullptr || backend != TuningBackend::Cuda) return {};
    const auto check = tuning_of(info->operation).check_cuda;
    return check == nullptr ? Result<void>() : check(policies.cuda);
}

std::vector<TuningValue> changed_values(TuningBackend backend, std::string_view operation,
                                        const PolicySet& policies) {
    std::vector<TuningValue> values;
    for (const PolicyField& field : policy_fields(backend, operation)) {
        const std::int64_t number = field.get(policies);
        if (number == field.get(default_policies())) continue;
        TuningValue value;
        value.name = field.name;
        if (field.words.empty())
            value.number = number;
        else
            value.word = value_text(field, number);
        values.push_back(std::move(value));
    }
    return values;
}

std::string policy_text(TuningBackend backend, std::string_view operation, const PolicySet& policies) {
    std::string text;
    for (const PolicyField& field : policy_fields(backend, operation)) {
        if (!text.empty()) text += ' ';
        text.append(field.name).append("=").append(value_text(field, field.get(policies)));
    }
    return text;
}

}  // namespace tegu::tuning
