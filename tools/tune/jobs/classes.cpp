// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/classes.h"

#include "kernels/operation.h"
#include "tools/tune/jobs/families.h"

namespace tegu::tune {
namespace {

std::vector<Family> families_of(TuningBackend backend, std::string_view operation) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    if (operation == #stem) return stem##_families(backend);
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return {};
}

Job job_of(const Family& family, const Shape& shape, std::size_t sample) {
    return Job{family.type, shape.axis, shape.rows, shape.cols, family.params(sample)};
}

std::string id_of(std::string_view operation, const Family& family, const SizeClass& size) {
    std::string id(operation);
    id += family.any_of_width ? "-w" + std::to_string(element_bytes(family.type))
                              : "-" + std::string(element_word(family.type));
    if (family.variant != "plain") id += "-" + family.variant;
    id += "-" + size.word;
    return family.detail_word.empty() ? id : id + "-" + family.detail_word;
}

TuneClass class_of(TuningBackend backend, std::string_view operation, const Family& family,
                   const SizeClass& size) {
    TuneClass made;
    made.id = id_of(operation, family, size);
    made.rank = family.rank + size.rank;
    made.jobs.backend = backend;
    made.jobs.operation = std::string(operation);
    made.jobs.width = static_cast<unsigned>(element_bytes(family.type));
    if (!family.any_of_width) made.jobs.type = std::string(element_word(family.type));
    made.jobs.variant = family.variant;
    made.jobs.sequences = size.sequences;
    made.jobs.elements = size.elements;
    made.jobs.detail = family.detail;
    made.jobs.levels = family.levels;
    return made;
}

}  // namespace

bool fits(const Job& job, const ClassLimits& limits) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);  // refuses a k above n
    if (!plan || job.rows == 0 || (job.axis == Axis::Rows && job.rows < 2)) return false;
    const std::uint64_t elements = job.rows * job.cols;
    std::uint64_t bytes =
        elements * element_bytes(job.type) * static_cast<std::uint64_t>(info_of(operation_of(job)).inputs);
    for (const ArraySpec& output : plan->outputs) bytes += array_bytes(output);
    return elements <= limits.elements && bytes <= limits.array_bytes;
}

std::vector<TuneClass> tune_classes(TuningBackend backend, std::string_view operation,
                                    const ClassLimits& limits) {
    std::vector<TuneClass> classes;
    for (const Family& family : families_of(backend, operation))
        for (const std::vector<SizeClass>* sizes : family.sizes)
            for (const SizeClass& size : *sizes) {
                TuneClass made = class_of(backend, operation, family, size);
                for (std::size_t sample = 0; sample < size.shapes.size(); ++sample) {
                    Job job = job_of(family, size.shapes[sample], sample);
                    if (fits(job, limits)) made.samples.push_back({std::move(job), family.content});
                }
                if (!made.samples.empty()) classes.push_back(std::move(made));
            }
    return classes;
}

}  // namespace tegu::tune
