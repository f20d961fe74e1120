// SPDX-License-Identifier: Apache-2.0
// S3 on the CPU: a plain loop, and tegu's own kernel. The first shape is the author's, the second its small
// sister for boards with little memory; the others have numbers of columns that fill no warp, or are more
// than a warp holds.
#include "tools/field/seeds/rowscale/cases.h"

#include "tools/field/seeds/kernels/cpu_rivals.h"
#include "tools/field/seeds/seeds.h"

namespace tegu::field {
namespace {

constexpr std::uint64_t kRows = 442368, kCols = 128;

std::vector<FieldJob> describe_rowscale(const PartContext& context) {
    std::vector<FieldJob> jobs;
    const auto add = [&](std::uint64_t rows, std::uint64_t cols, int priority) {
        jobs.push_back(rows_job(ElementType::F32, rows, cols, RowscaleParams(), "", priority));
    };
    add(kRows, kCols, 0);
    add(kRows / 16, kCols, 1);
    add(kRows / 16, 100, 2);
    add(kRows / 128, 1000, 2);
    add(kRows / 512, 4096, 2);
    return seed_jobs(context, std::move(jobs));
}

Case row_loop(const FieldJob& job, const std::shared_ptr<RowValues>& values) {
    const auto found = std::make_shared<std::vector<float>>();
    Case one = host_case(
        job, "plain loop", "plain loop, CPU",
        [values, found] {
            Result<void> done = values->make();
            return done ? within_memory([&] { found->resize(values->rows() * values->cols()); }) : done;
        },
        [values, found] {
            seeds::row_scale_on_cpu(values->x(), found->data(), values->rows(), values->cols());
        },
        [values, found] { return *found == values->expected(); });
    one.bytes = 2 * values->bytes();
    return one;
}

}  // namespace

Result<void> RowValues::make() {
    if (!expected_.empty()) return {};
    return within_memory([&] {
        x_ = context_.inputs.get(ElementType::F32, rows_ * cols_);
        expected_.resize(rows_ * cols_);
        context_.pool.parallel_for(rows_, [&](std::uint64_t row, unsigned) {  // a row each, unlike row_loop()
            const float* const from = x() + row * cols_;
            float largest = 0;
            for (std::uint64_t c = 0; c < cols_; ++c) largest = from[c] > largest ? from[c] : largest;
            for (std::uint64_t c = 0; c < cols_; ++c) expected_[row * cols_ + c] = from[c] / largest;
        });
    });
}

void add_s3_cases(PartContext& context, CaseList& cases) {
    const std::size_t first = cases.cases().size();
    for (const FieldJob& job : describe_rowscale(context)) {
        const auto values = std::make_shared<RowValues>(context, job);
        if (3 * values->bytes() > context.memory_bytes) {
            cases.skip(job.name, "seed", memory_reason(3 * values->bytes()));
            continue;
        }
        cases.add(row_loop(job, values));
        add_own_cases(context, cases, job);
        if (has_seed_gpu(context)) add_s3_gpu_cases(context, cases, job, values);
    }
    if (!has_seed_gpu(context)) skip_gpu(context, cases);
    keep_wanted(context, cases, first);
}

}  // namespace tegu::field
