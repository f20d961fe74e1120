// SPDX-License-Identifier: Apache-2.0
// S2 on the CPU: plain loops, and tegu's own kernels.
#include "tools/field/seeds/add/cases.h"

#include <numeric>

#include "tools/field/seeds/kernels/cpu_rivals.h"
#include "tools/field/seeds/seeds.h"

namespace tegu::field {
namespace {

constexpr std::uint64_t kSide = 4096;
constexpr std::uint64_t kLadderElements = std::uint64_t{1} << 24;

S2 describe_add(const PartContext& context) {
    ReduceParams sum;
    sum.statistics = statistic_bit(Statistic::Sum);
    std::vector<FieldJob> jobs =
        seed_jobs(context, {sequence_job(ElementType::F32, kSide * kSide, AddParams(), "4096x4096", 0),
                            sequence_job(ElementType::F32, kLadderElements, sum, "sum", 0),
                            sequence_job(ElementType::I32, kLadderElements, sum, "sum", 1)});
    return {std::move(jobs[0]), std::move(jobs[1]), std::move(jobs[2])};
}

struct Vectors {
    Bytes x, y;
    std::vector<float> z;
};

Case add_loop(PartContext& context, const FieldJob& job) {
    const auto vectors = std::make_shared<Vectors>();
    const std::uint64_t n = job.elements();
    Case one = host_case(
        job, "plain loop", "plain loop, CPU",
        [vectors, n, &context] {
            return within_memory([&] {
                vectors->x = context.inputs.get(ElementType::F32, n, Values::Small, 0);
                vectors->y = context.inputs.get(ElementType::F32, n, Values::Small, 1);
                vectors->z.resize(n);
            });
        },
        [vectors, n] {
            seeds::add_on_cpu(values_of<float>(vectors->x), values_of<float>(vectors->y), vectors->z.data(),
                              n);
        },
        [vectors, n] {
            const float* const x = values_of<float>(vectors->x);
            const float* const y = values_of<float>(vectors->y);
            for (std::uint64_t i = 0; i < n; ++i)
                if (vectors->z[i] != x[i] + y[i]) return false;
            return true;
        });
    one.bytes = 12 * n;
    return one;
}

Case float_sum_loop(const FieldJob& job, const std::shared_ptr<SumValues>& values) {
    const auto sum = std::make_shared<float>();
    Case one = host_case(
        job, "plain loop", "plain loop, CPU", [values] { return values->make(); },
        [values, sum] { *sum = seeds::sum_on_cpu(values->values().data(), values->values().size()); },
        [values, sum] { return *sum == values->sum(); });
    one.bytes = 4 * job.elements();
    return one;
}

Case integer_sum_loop(PartContext& context, const FieldJob& job) {
    const auto x = std::make_shared<Bytes>();
    const auto sum = std::make_shared<std::int64_t>();
    const std::uint64_t n = job.elements();
    Case one = host_case(
        job, "plain loop", "plain loop, CPU",
        [x, n, &context] { return within_memory([&] { *x = context.inputs.get(ElementType::I32, n); }); },
        [x, n, sum] { *sum = seeds::sum_on_cpu(values_of<std::int32_t>(*x), n); },
        [x, n, sum] {
            const std::int32_t* const values = values_of<std::int32_t>(*x);
            return *sum == std::accumulate(values, values + n, std::int64_t{0});
        });
    one.bytes = 4 * n;
    return one;
}

}  // namespace

Result<void> SumValues::make() {
    if (!values_.empty()) return {};
    return within_memory([&] {
        values_ = signs(n_, 2);
        sum_ = static_cast<float>(std::accumulate(values_.begin(), values_.end(), 0.0));
    });
}

void add_s2_cases(PartContext& context, CaseList& cases) {
    const std::size_t first = cases.cases().size();
    const S2 s2 = describe_add(context);
    const auto floats = std::make_shared<SumValues>(s2.sum_f32.elements());
    cases.add(add_loop(context, s2.add));
    cases.add(float_sum_loop(s2.sum_f32, floats));
    cases.add(integer_sum_loop(context, s2.sum_i32));
    add_own_cases(context, cases, s2.add, true);
    add_own_cases(context, cases, s2.sum_f32);
    add_own_cases(context, cases, s2.sum_i32);
    if (has_seed_gpu(context))
        add_s2_gpu_cases(context, cases, s2, floats);
    else
        skip_gpu(context, cases);
    keep_wanted(context, cases, first);
}

}  // namespace tegu::field
