// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/policies.h"

#include <algorithm>

namespace tegu::tune {
namespace {

const tuning::PolicyField& field_of(const PolicySubject& subject, const PolicyAxis& axis) {
    return *tuning::find_policy_field(subject.backend, subject.operation, axis.name);
}

// More threads than the pool has count as all of them.
bool is_useful(const PolicySubject& subject, std::string_view name, std::int64_t value) {
    return subject.backend == TuningBackend::Cuda || name != "threads" || value < subject.cpu_threads;
}

PolicyAxis axis_of(const PolicySubject& subject, const tuning::PolicyField& field) {
    PolicyAxis axis;
    axis.name = std::string(field.name);
    axis.ordered = field.words.empty();
    for (const std::int64_t value : tuning::allowed_candidates(field, subject.limits))
        if (is_useful(subject, field.name, value)) axis.values.push_back(value);
    axis.initial = add_value(axis, field.get(tuning::PolicySet()));
    return axis;
}

}  // namespace

PolicySpace policy_space(const PolicySubject& subject, const std::vector<tuning::PolicySet>& known) {
    PolicySpace space;
    for (const tuning::PolicyField& field : tuning::policy_fields(subject.backend, subject.operation)) {
        if (field.candidates.empty()) continue;
        PolicyAxis axis = axis_of(subject, field);
        for (const tuning::PolicySet& policies : known) (void)add_value(axis, field.get(policies));
        if (axis.values.size() > 1) space.axes.push_back(std::move(axis));
    }
    space.is_valid = [axes = space.axes, subject](const PolicyPoint& point) {
        const tuning::PolicySet policies = policies_at(PolicySpace{axes, {}}, subject, point);
        return tuning::check_policies(subject.backend, subject.operation, policies, subject.limits).ok();
    };
    return space;
}

PolicyPoint point_of(const PolicySpace& space, const PolicySubject& subject,
                     const tuning::PolicySet& policies) {
    PolicyPoint point;
    for (const PolicyAxis& axis : space.axes) {
        const std::int64_t value = field_of(subject, axis).get(policies);
        const auto place = std::lower_bound(axis.values.begin(), axis.values.end(), value);
        const bool known = place != axis.values.end() && *place == value;
        point.push_back(known ? static_cast<std::size_t>(place - axis.values.begin()) : axis.initial);
    }
    return point;
}

tuning::PolicySet policies_at(const PolicySpace& space, const PolicySubject& subject,
                              const PolicyPoint& point) {
    tuning::PolicySet policies;
    for (std::size_t a = 0; a < point.size(); ++a)
        field_of(subject, space.axes[a]).set(&policies, space.axes[a].values[point[a]]);
    return policies;
}

}  // namespace tegu::tune
