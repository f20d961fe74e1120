// SPDX-License-Identifier: Apache-2.0
#include "tools/field/operations.h"

namespace tegu::field {

using Type = ElementType;

JobTraits traits_of(const EntropyMapParams& params) {
    JobTraits traits = detail_axis("window", params.window_rows);
    traits.axes.emplace_back("levels", static_cast<std::int64_t>(params.levels));
    traits.block_field = "threads_per_block";
    return traits;
}

std::vector<FieldJob> entropy_map_jobs() {
    std::vector<FieldJob> jobs;
    jobs.push_back(image_job(Type::U8, 2560, 5, 16, 0));
    jobs.back().crossover = true;
    for (const std::uint64_t side : {400u, 1024u, 10240u})
        jobs.push_back(image_job(Type::U8, side, 5, 16, 1));
    for (const std::uint32_t window : {9u, 31u, 63u}) {
        jobs.push_back(image_job(Type::U8, 2560, window, 16, 1));
        jobs.back().crossover = window == 31;
    }
    for (const std::uint32_t window : {5u, 31u}) jobs.push_back(image_job(Type::U8, 2560, window, 256, 1));
    for (const Type type : {Type::U16, Type::I32, Type::F32}) jobs.push_back(image_job(type, 2560, 5, 16, 2));
    return jobs;
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
    return described(std::move(job), image_text(side),
                     "window=" + std::to_string(window) + " levels=" + std::to_string(levels), priority);
}

}  // namespace tegu::field
