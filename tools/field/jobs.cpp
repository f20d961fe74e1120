// SPDX-License-Identifier: Apache-2.0
#include "tools/field/jobs.h"

#include <algorithm>
#include <initializer_list>

namespace tegu::field {
namespace {

using Type = ElementType;
using Jobs = std::vector<FieldJob>;

constexpr std::uint64_t kLarge = 10000000;  // elements: beyond the caches of boards
constexpr std::uint64_t kHuge = 100000000;
constexpr std::uint64_t kRows = 55296, kCols = 128;  // many short rows, as S3 has them
constexpr std::uint64_t kQuickElements = 20000, kQuickSide = 64;

struct AddDetail {
    Axes& axes;
    void add(const char* name, std::uint64_t value) {
        axes.emplace_back(name, static_cast<std::int64_t>(value));
    }
    void operator()(const TopkParams& p) {
        add("k", p.k);
        if (p.distinct) axes.emplace_back("variant", std::string("distinct"));
    }
    void operator()(const EntropyMapParams& p) { add("window", p.window_rows), add("levels", p.levels); }
    void operator()(const QuantileParams& p) { add("quantiles", p.q.size()); }
    void operator()(const HistogramParams& p) { add("bins", p.bins); }
    void operator()(const EntropyParams& p) { add("levels", p.levels); }
    void operator()(const FusedParams& p) { add("parts", p.parts.size()); }
    void operator()(const ReduceParams& p) {
        std::string words;
        for (const StatisticInfo& info : kStatisticInfos)
            if ((p.statistics & statistic_bit(info.statistic)) != 0)
                words += (words.empty() ? "" : "+") + std::string(info.word);
        axes.emplace_back("statistics", p.statistics == kAllStatistics ? "all" : words);
    }
    void operator()(const AddParams&) {}
    void operator()(const DotParams&) {}
    void operator()(const RowscaleParams&) {}
};

std::optional<double> flops_of(const Job& job) {
    const auto n = static_cast<double>(job.rows * job.cols);
    if (std::holds_alternative<AddParams>(job.params)) return n;
    if (std::holds_alternative<DotParams>(job.params)) return 2 * n;
    if (std::holds_alternative<RowscaleParams>(job.params)) return 2 * n;  // a comparison and a division
    const auto* reduce = std::get_if<ReduceParams>(&job.params);
    if (reduce != nullptr && reduce->statistics == statistic_bit(Statistic::Sum)) return n;
    return std::nullopt;
}

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
    std::visit(AddDetail{one.axes}, one.job.params);
    one.flops = flops_of(one.job);
    one.energy = priority == 0;
    if (std::holds_alternative<AddParams>(one.job.params)) one.values = Values::Small;
    return one;
}

// One size of many types, and one type of many sizes. The first size and type is the one that a short run
// measures.
void add_types_and_sizes(Jobs& jobs, std::initializer_list<Type> types, Type main, const JobParams& params,
                         const std::string& detail, std::initializer_list<std::uint64_t> sizes) {
    jobs.push_back(sequence_job(main, kLarge, params, detail, 0));
    for (const std::uint64_t n : sizes) jobs.push_back(sequence_job(main, n, params, detail, 1));
    for (const Type type : types) jobs.push_back(sequence_job(type, kLarge, params, detail, 2));
}

ReduceParams statistics(StatisticSet set) {
    ReduceParams params;
    params.statistics = set;
    return params;
}

Jobs reduce_jobs() {
    Jobs jobs;
    const ReduceParams sum = statistics(statistic_bit(Statistic::Sum)), all = statistics(kAllStatistics);
    add_types_and_sizes(jobs, {Type::U8, Type::I16, Type::I32, Type::F16, Type::F64}, Type::F32, sum, "sum",
                        {1000, 10000, 100000, 1000000, kHuge});
    for (const Statistic one : {Statistic::Max, Statistic::Argmax, Statistic::L2, Statistic::Std}) {
        const std::string word(kStatisticInfos[static_cast<std::size_t>(one)].word);
        jobs.push_back(sequence_job(Type::F32, kLarge, statistics(statistic_bit(one)), word, 1));
    }
    jobs.push_back(sequence_job(Type::I64, kLarge, statistics(statistic_bit(Statistic::Max)), "max", 2));
    for (const Type type : {Type::U8, Type::I32, Type::F32})
        jobs.push_back(sequence_job(type, kLarge, all, "all", type == Type::F32 ? 1 : 2));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, sum, "sum", 1));
    return jobs;
}

Jobs topk_jobs() {
    Jobs jobs;
    add_types_and_sizes(jobs, {Type::U8, Type::F16, Type::F32, Type::F64}, Type::I32,
                        TopkParams{10, true, false}, "k=10", {10000, 100000, 1000000, kHuge});
    for (const std::uint64_t k : {100u, 1000u, 10000u, 65536u})
        jobs.push_back(
            sequence_job(Type::I32, kLarge, TopkParams{k, true, false}, "k=" + std::to_string(k), 1));
    for (const std::uint64_t k : {10u, 384u})
        jobs.push_back(sequence_job(Type::I32, kLarge, TopkParams{k, true, true},
                                    "k=" + std::to_string(k) + " distinct", 1));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, TopkParams{10, true, false}, "k=10", 1));
    return jobs;
}

Jobs entropy_map_jobs() {
    Jobs jobs;
    jobs.push_back(image_job(Type::U8, 2560, 5, 16, 0));
    for (const std::uint64_t side : {400u, 1024u, 10240u})
        jobs.push_back(image_job(Type::U8, side, 5, 16, 1));
    for (const std::uint32_t window : {9u, 31u, 63u})
        jobs.push_back(image_job(Type::U8, 2560, window, 16, 1));
    for (const std::uint32_t window : {5u, 31u}) jobs.push_back(image_job(Type::U8, 2560, window, 256, 1));
    for (const Type type : {Type::U16, Type::I32, Type::F32}) jobs.push_back(image_job(type, 2560, 5, 16, 2));
    return jobs;
}

Jobs add_jobs() {
    Jobs jobs;
    add_types_and_sizes(jobs, {Type::U8, Type::I32, Type::F16, Type::F64}, Type::F32, AddParams(), "",
                        {10000, 100000, 1000000, kHuge});
    return jobs;
}

Jobs dot_jobs() {
    Jobs jobs;
    add_types_and_sizes(jobs, {Type::U8, Type::I16, Type::F16, Type::F64}, Type::F32, DotParams(), "",
                        {100000, 1000000});
    jobs.push_back(rows_job(Type::F32, kRows, kCols, DotParams(), "", 1));
    return jobs;
}

Jobs rowscale_jobs() {
    Jobs jobs;
    jobs.push_back(rows_job(Type::F32, kRows, kCols, RowscaleParams(), "", 0));
    jobs.push_back(rows_job(Type::F32, 8 * kRows, kCols, RowscaleParams(), "", 1));  // that of S3
    for (const std::uint64_t cols : {32u, 1024u, 8192u})
        jobs.push_back(rows_job(Type::F32, kRows * kCols / cols, cols, RowscaleParams(), "", 1));
    for (const Type type : {Type::F16, Type::F64})
        jobs.push_back(rows_job(type, kRows, kCols, RowscaleParams(), "", 2));
    jobs.push_back(sequence_job(Type::F32, kLarge, RowscaleParams(), "", 2));
    return jobs;
}

Jobs quantile_jobs() {
    Jobs jobs;
    QuantileParams middle, nine;
    middle.q = {0.5};
    for (int i = 1; i < 10; ++i) nine.q.push_back(i / 10.0);
    add_types_and_sizes(jobs, {Type::U8, Type::I32, Type::F16, Type::F64}, Type::F32, middle, "q=0.5",
                        {10000, 100000, 1000000, kHuge});
    jobs.push_back(sequence_job(Type::F32, kLarge, nine, "q=0.1..0.9", 1));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, middle, "q=0.5", 1));
    return jobs;
}

HistogramParams bins(std::uint32_t count, double hi) {
    HistogramParams params;
    params.bins = count;
    params.has_range = hi != 0;
    params.hi = hi;
    return params;
}

Jobs histogram_jobs() {
    Jobs jobs;
    add_types_and_sizes(jobs, {}, Type::U8, bins(256, 256), "bins=256", {100000, 1000000, kHuge});
    jobs.push_back(sequence_job(Type::F32, kLarge, bins(256, 1), "bins=256 range", 1));
    jobs.push_back(sequence_job(Type::F32, kLarge, bins(256, 0), "bins=256", 2));
    jobs.push_back(sequence_job(Type::U16, kLarge, bins(65536, 65536), "bins=65536", 2));
    jobs.push_back(rows_job(Type::F32, kRows, kCols, bins(256, 1), "bins=256 range", 2));
    return jobs;
}

Jobs entropy_jobs() {
    Jobs jobs;
    EntropyParams params, sixteen;
    sixteen.levels = 16;
    sixteen.has_range = true;
    sixteen.hi = 1;
    add_types_and_sizes(jobs, {Type::I32, Type::F32}, Type::U8, params, "levels=256",
                        {100000, 1000000, kHuge});
    jobs.push_back(rows_job(Type::F32, kRows, kCols, sixteen, "levels=16 range", 1));
    params.levels = 65536;
    jobs.push_back(sequence_job(Type::U16, kLarge, params, "levels=65536", 2));
    return jobs;
}

Jobs fused_jobs() {
    Jobs jobs;
    ReduceParams some = statistics(statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Minmax) |
                                   statistic_bit(Statistic::Std));
    EntropyParams entropy;
    jobs.push_back(
        sequence_job(Type::U8, kLarge, FusedParams{{some, bins(256, 256), entropy}}, "3 parts", 0));
    QuantileParams middle;
    middle.q = {0.5};
    entropy.has_range = true;
    entropy.hi = 1;
    const FusedParams five{
        {statistics(kAllStatistics), TopkParams{10, true, false}, middle, bins(256, 1), entropy}};
    jobs.push_back(sequence_job(Type::F32, kLarge, five, "5 parts", 1));
    return jobs;
}

}  // namespace

std::string_view FieldJob::operation() const {
    return find_operation(static_cast<std::uint16_t>(operation_of(job)))->stem;
}

std::string count_text(std::uint64_t count) {
    std::uint64_t rest = count;
    int zeros = 0;
    for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++zeros;
    return rest < 10 && zeros >= 3 ? std::to_string(rest) + "e" + std::to_string(zeros)
                                   : std::to_string(count);
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

FieldJob image_job(ElementType type, std::uint64_t side, std::uint32_t window, std::uint32_t levels,
                   int priority) {
    EntropyMapParams params;
    params.window_rows = params.window_cols = window;
    params.levels = levels;
    Job job;
    job.type = type;
    job.rows = job.cols = side;
    job.params = params;
    const std::string shape = std::to_string(side) + "x" + std::to_string(side);
    return described(std::move(job), shape,
                     "window=" + std::to_string(window) + " levels=" + std::to_string(levels), priority);
}

std::vector<FieldJob> operation_jobs(std::string_view stem) {
#define TEGU_X(number, Name, word, inputs, sentence) \
    if (stem == #word) return word##_jobs();
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return {};
}

std::vector<FieldJob> crossover_jobs(const std::vector<std::uint64_t>& sizes) {
    Jobs jobs;
    QuantileParams middle;
    middle.q = {0.5};
    for (const std::uint64_t n : sizes) {
        jobs.push_back(sequence_job(Type::F32, n, statistics(statistic_bit(Statistic::Sum)), "sum", 1));
        jobs.push_back(sequence_job(Type::I32, n, TopkParams{10, true, false}, "k=10", 1));
        jobs.push_back(sequence_job(Type::U8, n, bins(256, 256), "bins=256", 1));
        jobs.push_back(sequence_job(Type::F32, n, middle, "q=0.5", 1));
        jobs.push_back(sequence_job(Type::F32, n, AddParams(), "", 1));
        std::uint64_t side = 1;
        while ((side + 1) * (side + 1) <= n) ++side;
        for (const std::uint32_t window : {5u, 31u}) jobs.push_back(image_job(Type::U8, side, window, 16, 1));
    }
    return jobs;
}

void make_quick(std::vector<FieldJob>& jobs) {
    for (FieldJob& one : jobs) {
        Job& job = one.job;
        if (std::holds_alternative<EntropyMapParams>(job.params)) {
            job.rows = std::min(job.rows, kQuickSide);
            job.cols = std::min(job.cols, kQuickSide);
        } else if (job.axis == Axis::Rows) {
            job.rows = std::max<std::uint64_t>(1, std::min(job.rows, kQuickElements / job.cols));
        } else {
            job.cols = std::min(job.cols, kQuickElements);
        }
        if (auto* topk = std::get_if<TopkParams>(&job.params)) topk->k = std::min(topk->k, job.cols);
        for (auto& [name, value] : one.axes) {
            if (name == "elements") value = static_cast<std::int64_t>(one.elements());
            if (name == "rows") value = static_cast<std::int64_t>(job.rows);
            if (name == "k") value = static_cast<std::int64_t>(std::get<TopkParams>(job.params).k);
        }
        one.flops = flops_of(job);
    }
}

}  // namespace tegu::field
