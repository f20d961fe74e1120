// SPDX-License-Identifier: Apache-2.0
#include "tools/field/jobs.h"

#include <algorithm>

#include "tools/field/operations.h"

namespace tegu::field {
namespace {

using Type = ElementType;
using Jobs = std::vector<FieldJob>;

constexpr std::uint64_t kQuickElements = 20000, kQuickSide = 64;

void set_flops(FieldJob& one) {
    const JobTraits traits = std::visit([](const auto& params) { return traits_of(params); }, one.job.params);
    one.flops.reset();
    if (traits.flops_per_element != 0)
        one.flops = traits.flops_per_element * static_cast<double>(one.elements());
}

// A u64 parameter is a number of result elements, so it is limited to cols.
template <class Params>
void shrink_params(FieldJob& one, Params& params) {
    for_each_parameter<Params>([&](const auto& parameter) {
        if constexpr (std::is_same_v<std::decay_t<decltype(parameter)>, Number<Params, std::uint64_t>>) {
            std::uint64_t& value = params.*parameter.member;
            value = std::min(value, one.job.cols);
            for (auto& [name, axis] : one.axes)
                if (name == parameter.name) axis = static_cast<std::int64_t>(value);
        }
    });
}

// The same job over a segment of n elements, or a square image of at most n.
FieldJob resized(const FieldJob& of, std::uint64_t n) {
    Job job = of.job;
    if (job.rows == 1) {
        job.cols = n;
        return described(std::move(job), count_text(n), of.detail, 1);
    }
    std::uint64_t side = 1;
    while ((side + 1) * (side + 1) <= n) ++side;
    job.rows = job.cols = side;
    return described(std::move(job), image_text(side), of.detail, 1);
}

}  // namespace

FieldJob described(Job job, const std::string& shape, const std::string& detail, int priority) {
    FieldJob one;
    one.job = std::move(job);
    one.priority = priority;
    one.detail = detail;
    one.name = std::string(one.operation()) + " " + std::string(element_word(one.job.type)) + " " + shape +
               (detail.empty() ? "" : " " + detail);
    one.axes.emplace_back("type", std::string(element_word(one.job.type)));
    one.axes.emplace_back("elements", static_cast<std::int64_t>(one.elements()));
    one.axes.emplace_back("rows", static_cast<std::int64_t>(one.job.rows));
    const JobTraits traits = std::visit([](const auto& params) { return traits_of(params); }, one.job.params);
    one.axes.insert(one.axes.end(), traits.axes.begin(), traits.axes.end());
    one.values = traits.values;
    set_flops(one);
    one.energy = priority == 0;
    return one;
}

void add_types_and_sizes(std::vector<FieldJob>& jobs, std::initializer_list<ElementType> types,
                         ElementType main, const JobParams& params, const std::string& detail,
                         std::initializer_list<std::uint64_t> sizes) {
    jobs.push_back(sequence_job(main, kLarge, params, detail, 0));
    for (const std::uint64_t n : sizes) jobs.push_back(sequence_job(main, n, params, detail, 1));
    for (const ElementType type : types) jobs.push_back(sequence_job(type, kLarge, params, detail, 2));
}

ReduceParams statistics(StatisticSet set) {
    ReduceParams params;
    params.statistics = set;
    return params;
}

HistogramParams bins(std::uint32_t count, double hi) {
    HistogramParams params;
    params.bins = count;
    params.has_range = hi != 0;
    params.hi = hi;
    return params;
}

std::string_view FieldJob::operation() const {
    return info_of(operation_of(job)).stem;
}

std::string count_text(std::uint64_t count) {
    std::uint64_t rest = count;
    int zeros = 0;
    for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++zeros;
    return rest < 10 && zeros >= 3 ? std::to_string(rest) + "e" + std::to_string(zeros)
                                   : std::to_string(count);
}

std::string image_text(std::uint64_t side) {
    return std::to_string(side) + "x" + std::to_string(side);
}

FieldJob sequence_job(ElementType type, std::uint64_t n, const JobParams& params, const std::string& detail,
                      int priority) {
    Job job;
    job.type = type;
    job.cols = n;
    job.params = params;
    return described(std::move(job), count_text(n), detail, priority);
}

FieldJob rows_job(ElementType type, std::uint64_t rows, std::uint64_t cols, const JobParams& params,
                  const std::string& detail, int priority) {
    Job job;
    job.type = type;
    job.axis = Axis::Rows;
    job.rows = rows;
    job.cols = cols;
    job.params = params;
    return described(std::move(job), std::to_string(rows) + "x" + std::to_string(cols) + " rows", detail,
                     priority);
}

std::vector<FieldJob> operation_jobs(std::string_view stem) {
#define TEGU_X(number, Name, word, inputs, sentence) \
    if (stem == #word) return word##_jobs();
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return {};
}

std::vector<FieldJob> crossover_jobs(const std::vector<std::uint64_t>& sizes) {
    Jobs marked, jobs;
    for (const OperationInfo& info : operation_infos())
        for (FieldJob& one : operation_jobs(info.stem))
            if (one.crossover) marked.push_back(std::move(one));
    for (const std::uint64_t n : sizes)
        for (const FieldJob& one : marked) jobs.push_back(resized(one, n));
    return jobs;
}

void make_quick(std::vector<FieldJob>& jobs) {
    for (FieldJob& one : jobs) {
        Job& job = one.job;
        if (job.axis == Axis::Rows) {
            job.rows = std::max<std::uint64_t>(1, std::min(job.rows, kQuickElements / job.cols));
        } else if (job.rows > 1) {  // an image
            job.rows = std::min(job.rows, kQuickSide);
            job.cols = std::min(job.cols, kQuickSide);
        } else {
            job.cols = std::min(job.cols, kQuickElements);
        }
        std::visit([&](auto& params) { shrink_params(one, params); }, job.params);
        for (auto& [name, value] : one.axes) {
            if (name == "elements") value = static_cast<std::int64_t>(one.elements());
            if (name == "rows") value = static_cast<std::int64_t>(job.rows);
        }
        set_flops(one);
    }
}

}  // namespace tegu::field
