// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/job_class.h"

#include "kernels/tuning/operation_tuning.h"

namespace tegu::tuning {
namespace {

JobClass shape_of(const Job& job) {
    JobClass made;
    made.type = job.type;
    made.width = static_cast<unsigned>(element_bytes(job.type));
    const bool rows = job.axis == Axis::Rows;
    made.sequences = rows ? job.rows : 1;
    made.elements = rows ? job.cols : job.rows * job.cols;
    return made;
}

}  // namespace

JobClass class_of(const Job& job) {
    JobClass made = shape_of(job);
    made.operation = operation_of(job);
    std::visit([&](const auto& params) { describe(params, &made); }, job.params);
    return made;
}

JobClass class_of(const Job& job, const FusedPart& part) {
    JobClass made = shape_of(job);
    made.operation = operation_of(part);
    std::visit([&](const auto& params) { describe(params, &made); }, part);
    return made;
}

std::optional<unsigned> find_variant(std::string_view word) {
    if (word == "plain") return 0u;
    if (word == "distinct") return unsigned{kDistinct};
    if (word == "skip_nans") return unsigned{kSkipNans};
    if (word == "mirror") return unsigned{kMirror};
    return std::nullopt;
}

std::optional<ElementType> find_element_type(std::string_view word) {
    for (std::uint8_t number = 1; is_element_type(number); ++number)
        if (element_word(static_cast<ElementType>(number)) == word) return static_cast<ElementType>(number);
    return std::nullopt;
}

bool holds(const TuningClass& wanted, const JobClass& job) {
    const OperationInfo* const operation = find_operation(wanted.operation);
    if (operation == nullptr || operation->operation != job.operation) return false;
    if (wanted.width != 0 && wanted.width != job.width) return false;
    if (!wanted.type.empty() && element_word(job.type) != wanted.type) return false;
    if (!wanted.variant.empty() && find_variant(wanted.variant) != job.variants) return false;
    return wanted.sequences.contains(job.sequences) && wanted.elements.contains(job.elements) &&
           wanted.detail.contains(job.detail) && wanted.levels.contains(job.levels);
}

}  // namespace tegu::tuning
