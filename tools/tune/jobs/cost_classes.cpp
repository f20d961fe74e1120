// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/cost_classes.h"

#include <cmath>
#include <functional>

#include "kernels/operation.h"

namespace tegu::tune {
namespace {

constexpr std::uint64_t kPoints[] = {1000,    10000,    100000,   300000,   1000000,
                                     3000000, 10000000, 30000000, 100000000};
constexpr std::uint64_t kEnd = UINT64_MAX;

struct RowLengths {
    TuningRange elements;
    std::uint64_t cols;
    const char* word;
};
constexpr RowLengths kRowLengths[] = {
    {{0, 256}, 64, "-rows-n0"}, {{256, 4096}, 1024, "-rows-n256"}, {{4096, kEnd}, 16384, "-rows-n4K"}};

// What the classes of one operation and type have in common.
struct CostFamily {
    ElementType type = ElementType::F32;
    bool any_of_width = false;
    std::string variant = "plain";
    char letter = 0;                     // of the detail in an id
    std::vector<std::uint64_t> details;  // ascending: each class ends where the next begins; empty: one class
    std::function<JobParams(std::uint64_t detail)> params;
    bool rows = false;  // jobs on rows, too
    TuningRange levels;
    std::uint32_t level_count = 0;  // of entropy_map, whose arrays are squares
    Content content = Content::Uniform;
    unsigned rank = 0;
};

JobParams reduce_params(std::uint64_t count) {
    constexpr Statistic kOrder[] = {Statistic::Sum,  Statistic::Min, Statistic::Max,
                                    Statistic::Mean, Statistic::Std, Statistic::Argmax};
    StatisticSet set = 0;
    for (std::uint64_t i = 0; i < count; ++i) set |= statistic_bit(kOrder[i]);
    return ReduceParams{set, false, 0};
}

JobParams quantile_params(std::uint64_t count) {
    QuantileParams params;
    for (std::uint64_t i = 1; i <= count; ++i)
        params.q.push_back(static_cast<double>(i) / static_cast<double>(count + 1));
    return params;
}

double low_of(ElementType type) {
    return is_float(type) ? -1 : 0;
}
double high_of(ElementType type) {
    return type == ElementType::U8 ? 256 : type == ElementType::U16 ? 65536 : 1;
}

template <class Params>
CostFamily plain(ElementType type, unsigned rank, bool rows) {
    CostFamily family;
    family.type = type;
    family.params = [](std::uint64_t) { return Params(); };
    family.content = Content::Small;
    family.rank = rank;
    family.rows = rows;
    return family;
}

CostFamily detailed(ElementType type, char letter, std::vector<std::uint64_t> details, unsigned rank,
                    bool rows, std::function<JobParams(std::uint64_t)> params) {
    CostFamily family;
    family.type = type;
    family.letter = letter;
    family.details = std::move(details);
    family.params = std::move(params);
    family.rank = rank;
    family.rows = rows;
    return family;
}

std::vector<CostFamily> reduce_costs() {
    std::vector<CostFamily> families;
    for (const ElementType type :
         {ElementType::F32, ElementType::U8, ElementType::I32, ElementType::F64, ElementType::F16})
        families.push_back(detailed(type, 's', {1, 2, 5}, type == ElementType::F32 ? 0 : 1,
                                    type == ElementType::F32, reduce_params));
    return families;
}

std::vector<CostFamily> topk_costs() {
    const auto params = [](std::uint64_t k) { return TopkParams{k, true, false}; };
    const auto distinct = [](std::uint64_t k) { return TopkParams{k, true, true}; };
    std::vector<CostFamily> families = {
        detailed(ElementType::F32, 'k', {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144}, 0, true,
                 params),
        detailed(ElementType::U8, 'k', {1, 16, 256, 4096, 65536}, 1, false, params),
        detailed(ElementType::F16, 'k', {1, 16, 256, 4096, 65536}, 1, false, params),
        detailed(ElementType::F64, 'k', {1, 16, 256, 4096, 65536}, 1, false, params),
        detailed(ElementType::F32, 'k', {1, 64, 4096}, 1, false, distinct)};
    for (CostFamily& family : families) family.any_of_width = true;
    families.back().variant = "distinct";
    return families;
}

std::vector<CostFamily> quantile_costs() {
    std::vector<CostFamily> families = {
        detailed(ElementType::F32, 'q', {1, 2, 4, 16, 64, 256}, 0, true, quantile_params),
        detailed(ElementType::U8, 'q', {1, 4, 32}, 1, false, quantile_params),
        detailed(ElementType::F16, 'q', {1, 4, 32}, 1, false, quantile_params),
        detailed(ElementType::F64, 'q', {1, 4, 32}, 1, false, quantile_params)};
    for (CostFamily& family : families) family.any_of_width = true;
    return families;
}

std::vector<CostFamily> histogram_costs() {
    std::vector<CostFamily> families;
    for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::U16}) {
        const auto params = [type](std::uint64_t bins) {
            return HistogramParams{static_cast<std::uint32_t>(bins), true, low_of(type), high_of(type),
                                   false};
        };
        const bool is_byte = type == ElementType::U8, is_float = type == ElementType::F32;
        families.push_back(detailed(
            type, 'b',
            is_byte ? std::vector<std::uint64_t>{16, 256} : std::vector<std::uint64_t>{16, 256, 4096, 65536},
            is_float ? 0 : 1, is_float, params));
    }
    return families;
}

std::vector<CostFamily> entropy_costs() {
    std::vector<CostFamily> families;
    for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::U16}) {
        const auto params = [type](std::uint64_t levels) {
            EntropyParams made;
            made.levels = static_cast<std::uint32_t>(levels);
            made.has_range = is_float(type);
            made.lo = low_of(type);
            made.hi = high_of(type);
            return made;
        };
        const bool is_byte = type == ElementType::U8;
        families.push_back(detailed(
            type, 'l',
            is_byte ? std::vector<std::uint64_t>{16, 256} : std::vector<std::uint64_t>{16, 256, 4096, 65536},
            is_byte ? 0 : 1, is_byte, params));
    }
    return families;
}

std::vector<CostFamily> entropy_map_costs() {
    struct Levels {
        TuningRange range;
        std::uint32_t count;
    };
    constexpr Levels kLevels[] = {{{2, 17}, 16}, {{17, 65}, 64}, {{65, 257}, 256}};
    std::vector<CostFamily> families;
    for (const ElementType type : {ElementType::U8, ElementType::F32})
        for (const Levels& levels : kLevels) {
            const auto params = [type, levels](std::uint64_t pixels) {
                EntropyMapParams made;
                made.window_rows = made.window_cols =
                    static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(pixels))));
                made.levels = levels.count;
                made.has_range = is_float(type);
                made.hi = is_float(type) ? 1 : 0;
                return made;
            };
            families.push_back(detailed(type, 'w', {9, 25, 49, 121, 225, 625, 1521, 3969},
                                        type == ElementType::U8 ? 0 : 2, false, params));
            families.back().levels = levels.range;
            families.back().level_count = levels.count;
            families.back().content = Content::Image;
        }
    return families;
}

std::vector<CostFamily> families_of(std::string_view operation) {
    if (operation == "add")
        return {plain<AddParams>(ElementType::F32, 0, false), plain<AddParams>(ElementType::U8, 1, false),
                plain<AddParams>(ElementType::F64, 1, false)};
    if (operation == "dot")
        return {plain<DotParams>(ElementType::F32, 0, true), plain<DotParams>(ElementType::I16, 1, false),
                plain<DotParams>(ElementType::F64, 1, false)};
    if (operation == "rowscale")
        return {plain<RowscaleParams>(ElementType::F32, 0, true),
                plain<RowscaleParams>(ElementType::F16, 1, true)};
    if (operation == "reduce") return reduce_costs();
    if (operation == "topk") return topk_costs();
    if (operation == "quantile") return quantile_costs();
    if (operation == "histogram") return histogram_costs();
    if (operation == "entropy") return entropy_costs();
    if (operation == "entropy_map") return entropy_map_costs();
    return {};
}

// A sequence, rows of `cols` elements, or a square image.
Job job_of(const CostFamily& family, std::uint64_t elements, std::uint64_t cols, std::uint64_t detail) {
    Job job;
    job.type = family.type;
    job.params = family.params(detail);
    job.cols = elements;
    if (cols != 0) {
        job.axis = Axis::Rows;
        job.rows = elements / cols;
        job.cols = cols;
    } else if (family.level_count != 0) {
        job.rows = job.cols =
            static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(elements))));
    }
    return job;
}

TuningRange detail_range(const CostFamily& family, std::size_t index) {
    if (family.details.empty()) return {};
    const bool is_last = index + 1 == family.details.size();
    return {family.details[index], is_last ? kEnd : family.details[index + 1]};
}

CostClass class_of(TuningBackend backend, std::string_view operation, const CostFamily& family,
                   std::size_t index, const RowLengths* lengths) {
    CostClass made;
    made.rank = family.rank;
    made.jobs.backend = backend;
    made.jobs.operation = std::string(operation);
    made.jobs.width = static_cast<unsigned>(element_bytes(family.type));
    if (!family.any_of_width) made.jobs.type = std::string(element_word(family.type));
    made.jobs.variant = family.variant;
    made.jobs.detail = detail_range(family, index);
    made.jobs.levels = family.levels;
    made.jobs.sequences = lengths == nullptr ? TuningRange{1, 2} : TuningRange{2, kEnd};
    if (lengths != nullptr) made.jobs.elements = lengths->elements;
    made.id = "cost-" + std::string(operation) +
              (family.any_of_width ? "-w" + std::to_string(made.jobs.width) : "-" + made.jobs.type);
    if (family.variant != "plain") made.id += "-" + family.variant;
    if (lengths != nullptr) made.id += lengths->word;
    if (!family.details.empty())
        made.id += std::string("-") + family.letter + std::to_string(family.details[index]);
    if (family.level_count != 0) made.id += "-l" + std::to_string(family.level_count);
    return made;
}

void add_points(const CostFamily& family, std::size_t index, const RowLengths* lengths,
                const ClassLimits& limits, CostClass& made) {
    const std::uint64_t detail = family.details.empty() ? 0 : family.details[index];
    for (const std::uint64_t elements : kPoints) {
        Job job = job_of(family, elements, lengths == nullptr ? 0 : lengths->cols, detail);
        if (fits(job, limits)) made.points.push_back({std::move(job), family.content});
    }
}

}  // namespace

std::vector<CostClass> cost_classes(TuningBackend backend, std::string_view operation,
                                    const ClassLimits& limits) {
    std::vector<CostClass> classes;
    for (const CostFamily& family : families_of(operation))
        for (std::size_t index = 0; index < std::max<std::size_t>(1, family.details.size()); ++index)
            for (std::size_t shape = 0; shape <= (family.rows ? std::size(kRowLengths) : 0); ++shape) {
                const RowLengths* lengths = shape == 0 ? nullptr : &kRowLengths[shape - 1];
                CostClass made = class_of(backend, operation, family, index, lengths);
                add_points(family, index, lengths, limits, made);
                if (made.points.empty()) continue;
                classes.push_back(made);
                if (backend == TuningBackend::Cuda) continue;
                made.threads = 1;
                made.id += "-1t";
                classes.push_back(std::move(made));
            }
    return classes;
}

}  // namespace tegu::tune
