// SPDX-License-Identifier: Apache-2.0
// Builder for the lists of policy fields: one expression per field, with the member and its allowed values.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "kernels/tuning/policy_fields.h"

namespace tegu::tuning {

// The part of either backend, of a constant set or not.
template <class Part>
Part& part_of(PolicySet& set, Part cuda::Policies::*part) {
    return set.cuda.*part;
}
template <class Part>
const Part& part_of(const PolicySet& set, Part cuda::Policies::*part) {
    return set.cuda.*part;
}
template <class Part>
Part& part_of(PolicySet& set, Part kernels::CpuPolicies::*part) {
    return set.cpu.*part;
}
template <class Part>
const Part& part_of(const PolicySet& set, Part kernels::CpuPolicies::*part) {
    return set.cpu.*part;
}

class FieldBuilder {
  public:
    explicit FieldBuilder(PolicyField field) : field_(std::move(field)) {}
    operator PolicyField() const { return field_; }

    FieldBuilder range(std::int64_t min, std::int64_t max) const { return multiples(1, min, max); }
    FieldBuilder multiples(std::int64_t step, std::int64_t min, std::int64_t max) const {
        FieldBuilder next = *this;
        next.field_.step = step;
        next.field_.min = min;
        next.field_.max = max;
        return next;
    }
    FieldBuilder powers(std::int64_t min, std::int64_t max) const {
        FieldBuilder next = range(min, max);
        next.field_.power_of_two = true;
        return next;
    }
    FieldBuilder or_zero() const {
        FieldBuilder next = *this;
        next.field_.or_zero = true;
        return next;
    }
    FieldBuilder choices(std::initializer_list<std::string_view> words) const {
        return choices(Span<const std::string_view>(words.begin(), words.size()));
    }
    FieldBuilder choices(Span<const std::string_view> words) const {
        FieldBuilder next = range(0, static_cast<std::int64_t>(words.size()) - 1);
        next.field_.words.assign(words.begin(), words.end());
        for (std::int64_t value = 0; value < static_cast<std::int64_t>(words.size()); ++value)
            next.field_.candidates.push_back(value);
        return next;
    }
    FieldBuilder at_most(std::int64_t (*of_device)(const cuda::DeviceLimits&)) const {
        FieldBuilder next = *this;
        next.field_.max_of_device = of_device;
        return next;
    }
    FieldBuilder tries(std::initializer_list<std::int64_t> candidates) const {
        FieldBuilder next = *this;
        next.field_.candidates = candidates;
        return next;
    }

  private:
    PolicyField field_;
};

// Part: a member of cuda::Policies or of kernels::CpuPolicies; Member: one of that.
template <auto Part, auto Member>
FieldBuilder field(std::string_view name, std::string_view sentence) {
    PolicyField made;
    made.name = name;
    made.sentence = sentence;
    made.get = [](const PolicySet& set) { return static_cast<std::int64_t>(part_of(set, Part).*Member); };
    made.set = [](PolicySet* set, std::int64_t value) {
        auto& to = part_of(*set, Part).*Member;
        to = static_cast<std::decay_t<decltype(to)>>(value);
    };
    return FieldBuilder(std::move(made));
}

}  // namespace tegu::tuning
