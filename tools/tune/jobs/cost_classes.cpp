// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/cost_classes.h"

#include <cmath>

#include "kernels/operation.h"
#include "tools/tune/jobs/families.h"

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

std::vector<CostFamily> families_of(std::string_view operation) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    if (operation == #stem) return stem##_costs();
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return {};
}

// A segment, rows of `cols` elements, or a square image.
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
