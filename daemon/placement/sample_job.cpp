// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/sample_job.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "daemon/placement/operations.h"

namespace tegu::daemon {
namespace {

ElementType type_of_width(unsigned width) {
    return width == 1   ? ElementType::U8
           : width == 2 ? ElementType::U16
           : width == 8 ? ElementType::F64
                        : ElementType::F32;
}

JobParams params_of(const Sample& sample) {
    switch (sample.operation) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    case Operation::Name: return sample_##stem(sample);
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return ReduceParams{};
}

SampleRows rows_of(const JobParams& params) {
    return std::visit([](const auto& each) { return sample_rows(each); }, params);
}

}  // namespace

std::optional<Job> job_of(const Sample& sample) {
    Job job;
    job.type = sample.type;
    job.rows = sample.rows;
    job.cols = sample.cols;
    job.params = params_of(sample);
    job.axis = sample.rows > 1 && rows_of(job.params) == SampleRows::Segments ? Axis::Rows : Axis::Whole;
    if (!kernels::plan_job(job)) return std::nullopt;
    return job;
}

std::optional<CostClass> class_of(const Sample& sample) {
    const std::optional<Job> job = job_of(sample);
    if (!job) return std::nullopt;
    return classify(*job, kernels::plan_job(*job).value());
}

std::string text_of(const Sample& sample) {
    std::ostringstream text;
    text << info_of(sample.operation).stem << ' ' << element_word(sample.type) << ' ' << sample.rows << ' '
         << sample.cols << ' ' << sample.detail << ' ' << sample.levels << ' '
         << (sample.distinct ? "distinct" : "plain");
    return text.str();
}

std::optional<Sample> sample_from(const std::string& text) {
    std::istringstream in(text);
    std::string operation, type, variant, more;
    Sample sample;
    if (!(in >> operation >> type >> sample.rows >> sample.cols >> sample.detail >> sample.levels >>
          variant) ||
        (in >> more))
        return std::nullopt;
    const OperationInfo* info = find_operation(std::string_view(operation));
    const std::optional<ElementType> found = tuning::find_element_type(type);
    if (info == nullptr || !found || (variant != "plain" && variant != "distinct")) return std::nullopt;
    sample.operation = info->operation;
    sample.type = *found;
    sample.distinct = variant == "distinct";
    return sample;
}

std::optional<CostClass> sample_of(const TuningClass& jobs, double elements) {
    const OperationInfo* info = find_operation(std::string_view(jobs.operation));
    if (info == nullptr || !(elements >= 1) || !(elements < 1e15)) return std::nullopt;
    Sample sample;
    sample.operation = info->operation;
    const std::optional<ElementType> type = tuning::find_element_type(jobs.type);
    sample.type = type ? *type : type_of_width(jobs.width);
    sample.detail = jobs.detail.begin;
    sample.levels = static_cast<std::uint32_t>(std::min<std::uint64_t>(jobs.levels.begin, 256));
    sample.distinct = jobs.variant == "distinct";
    const auto all = static_cast<std::uint64_t>(elements);
    sample.rows = std::max<std::uint64_t>(1, jobs.sequences.begin);
    sample.cols = std::max<std::uint64_t>(1, all / sample.rows);
    if (rows_of(params_of(sample)) == SampleRows::Image) {
        sample.rows = static_cast<std::uint64_t>(std::sqrt(elements));
        sample.cols = std::max<std::uint64_t>(1, all / std::max<std::uint64_t>(1, sample.rows));
    }
    return class_of(sample);
}

}  // namespace tegu::daemon
