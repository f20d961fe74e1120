// SPDX-License-Identifier: Apache-2.0
// S1 on the CPU: the author's list, a full sort, and tegu's own kernel.
#include "tools/field/seeds/topk/cases.h"

#include <algorithm>
#include <functional>

#include "tools/field/seeds/kernels/cpu_rivals.h"
#include "tools/field/seeds/seeds.h"
#include "tools/field/seeds/topk/topk.h"

namespace tegu::field {
namespace {

constexpr std::uint64_t kListElements = 10000000;
constexpr std::size_t kSorted = 8192;  // values that are sorted to find the largest distinct ones

ReduceParams minimum_and_maximum() {
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max);
    return params;
}

S1 describe_topk(PartContext& context) {
    std::vector<FieldJob> jobs;
#define TEGU_X(k)                                                                           \
    jobs.push_back(sequence_job(ElementType::I32, kListElements, TopkParams{k, true, true}, \
                                "k=" #k " distinct",                                        \
                                (k) == 10 || (k) == 48 ? 0                                  \
                                : (k) <= 384           ? 1                                  \
                                                       : 2));
    TEGU_SEED_LIST_SIZES(TEGU_X)
#undef TEGU_X
    jobs.push_back(sequence_job(ElementType::I32, kListElements, minimum_and_maximum(), "min+max", 1));
    jobs = seed_jobs(context, std::move(jobs));
    S1 s1;
    s1.extremes = std::move(jobs.back());
    jobs.pop_back();
    s1.jobs = std::move(jobs);
    s1.values = std::make_shared<ListValues>(context, s1.jobs.back().elements(), k_of(s1.jobs.back()));
    return s1;
}

using Topk = std::function<void(unsigned k, const ListValues& values, std::int32_t* out)>;

Case topk_on_cpu(const FieldJob& job, const std::shared_ptr<ListValues>& values, const std::string& detail,
                 const std::string& method, const Topk& topk) {
    const auto out = std::make_shared<std::vector<std::int32_t>>(k_of(job));
    Case one = host_case(
        job, detail, method, [values] { return values->make(); },
        [values, out, topk, k = k_of(job)] { topk(k, *values, out->data()); },
        [values, out] { return values->are_largest(*out); });
    one.bytes = 4 * job.elements();
    remove_axis(one, "data");  // it stands beside the lists in every memory
    return one;
}

}  // namespace

Result<void> ListValues::make() {
    if (!largest_.empty()) return {};
    return within_memory([&] {
        bytes_ = context_.inputs.get(ElementType::I32, n_);
        std::vector<std::int32_t> sorted(data(), data() + n_);
        const auto max = static_cast<std::ptrdiff_t>(std::min<std::size_t>(kSorted, sorted.size()));
        std::partial_sort(sorted.begin(), sorted.begin() + max, sorted.end(), std::greater<>());
        sorted.resize(static_cast<std::size_t>(max));
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        sorted.resize(max_k_, INT32_MIN);
        largest_ = std::move(sorted);
    });
}

bool ListValues::are_largest(const std::vector<std::int32_t>& found) const {
    return found.size() <= largest_.size() && std::equal(found.begin(), found.end(), largest_.begin());
}

void add_s1_cases(PartContext& context, CaseList& cases) {
    const std::size_t first = cases.cases().size();
    const S1 s1 = describe_topk(context);
    for (const FieldJob& job : s1.jobs) {
        Case list = topk_on_cpu(job, s1.values, "one list on the CPU", "one list, CPU",
                                [](unsigned k, const ListValues& values, std::int32_t* out) {
                                    seeds::list_best_on_cpu(k, values.data(), values.n(), out);
                                });
        list.work = static_cast<double>(job.elements()) * k_of(job);
        cases.add(std::move(list));
        if (job.priority == 0) {  // its time does not depend on k
            const auto copy = std::make_shared<std::vector<std::int32_t>>();
            cases.add(topk_on_cpu(job, s1.values, "full sort on the CPU", "full sort, CPU",
                                  [copy](unsigned k, const ListValues& values, std::int32_t* out) {
                                      seeds::sorted_best_on_cpu(k, values.data(), values.n(), *copy, out);
                                  }));
        }
    }
    for (const FieldJob& job : s1.jobs) add_own_cases(context, cases, job, false, Data::Anywhere);
    add_own_cases(context, cases, s1.extremes);
    if (has_seed_gpu(context))
        add_s1_gpu_cases(context, cases, s1);
    else
        skip_gpu(context, cases);
    keep_wanted(context, cases, first);
}

}  // namespace tegu::field
