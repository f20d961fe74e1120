// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/row_check.h"

#include "kernels/tuning/job_class.h"
#include "kernels/tuning/revisions.h"

namespace tegu::tuning {
namespace {

std::string element_words() {
    std::string words;
    for (std::uint8_t number = 1; is_element_type(number); ++number)
        words += (words.empty() ? "" : ", ") + std::string(element_word(static_cast<ElementType>(number)));
    return words;
}

Result<void> check_element(const TuningClass& jobs) {
    const unsigned width = jobs.width;
    if (width != 0 && width != 1 && width != 2 && width != 4 && width != 8)
        return bad_range("width", "1, 2, 4 or 8", "width is " + std::to_string(width));
    if (jobs.type.empty()) return {};
    const std::optional<ElementType> type = find_element_type(jobs.type);
    if (!type)
        return field_error(Status::BadRequest, "type", element_words(), "\"" + jobs.type + "\" is no type");
    if (width == 0 || width == element_bytes(*type)) return {};
    return bad_range("width", std::to_string(element_bytes(*type)) + ", the width of " + jobs.type,
                     "width is " + std::to_string(width));
}

// The range of plausible measurements; values outside would make sums and logarithms useless.
constexpr double kMinUs = 1e-3, kMaxUs = 1e9;
constexpr double kMaxElements = 1e15;

Result<void> check_range(const char* key, const TuningRange& range) {
    if (range.begin < range.end) return {};
    return bad_range(
        key, "[begin, end) with begin < end",
        "the range " + std::to_string(range.begin) + " to " + std::to_string(range.end) + " is empty");
}

}  // namespace

Result<void> check_class(const TuningClass& jobs, unsigned revision) {
    const OperationInfo* const operation = find_operation(jobs.operation);
    if (operation == nullptr)
        return field_error(Status::BadRequest, "operation", operation_words(),
                           "\"" + jobs.operation + "\" is no operation");
    if (Result<void> element = check_element(jobs); !element) return element;
    if (!jobs.variant.empty() && !find_variant(jobs.variant))
        return field_error(Status::BadRequest, "variant", std::string(kVariantWords),
                           "\"" + jobs.variant + "\" is no variant");
    for (const auto& [key, range] : {std::pair<const char*, TuningRange>{"sequences", jobs.sequences},
                                     {"elements", jobs.elements},
                                     {"detail", jobs.detail},
                                     {"levels", jobs.levels}}) {
        Result<void> checked = check_range(key, range);
        if (!checked) return checked;
    }
    const unsigned current = revision_of(jobs.backend, operation->operation);
    if (revision == current) return {};
    return bad_range("revision", std::to_string(current) + ", that of these kernels",
                     "the row was measured with revision " + std::to_string(revision));
}

Result<PolicySet> policies_of(const TuningRow& row, const cuda::DeviceLimits& limits, SourceLocation* where) {
    *where = row.where;
    Result<void> checked = check_class(row.jobs, row.revision);
    if (!checked) return std::move(checked).error();
    PolicySet policies;
    for (const TuningValue& value : row.policy) {
        checked = set_policy_value(row.jobs.backend, row.jobs.operation, value, limits, &policies);
        if (checked) continue;
        if (value.where.line != 0) *where = value.where;
        return std::move(checked).error();
    }
    checked = check_policies(row.jobs.backend, row.jobs.operation, policies, limits);
    if (!checked) return std::move(checked).error();
    return policies;
}

Result<void> check_cost(const CostRow& cost) {
    Result<void> checked = check_class(cost.jobs, cost.revision);
    if (!checked) return checked;
    if (cost.points.empty()) return bad_range("points", "at least one", "there are no points");
    double before = 0;
    for (const CostPoint& point : cost.points) {
        if (!(point.elements > before) || !(point.elements <= kMaxElements))
            return bad_range("points", "elements above 0, up to 1e15, that ascend",
                             "the elements of a point do not ascend, or are too many");
        if (!(point.time_us >= kMinUs && point.time_us <= kMaxUs))
            return bad_range("points", "a time of 1e-3 to 1e9 us", "the time of a point is not within");
        before = point.elements;
    }
    return {};
}

}  // namespace tegu::tuning
