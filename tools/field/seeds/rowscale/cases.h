// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and GPU cases of S3.
#pragma once

#include "tools/field/seeds/seed_case.h"

namespace tegu::field {

// The matrix of one job and its result, made by the first case that needs them.
class RowValues {
  public:
    RowValues(PartContext& context, const FieldJob& job)
        : context_(context), rows_(job.job.rows), cols_(job.job.cols) {}

    std::uint64_t rows() const { return rows_; }
    std::uint64_t cols() const { return cols_; }
    std::uint64_t bytes() const { return 4 * rows_ * cols_; }
    // Errors: OutOfMemory.
    Result<void> make();
    // REQUIRES: make() succeeded. [rows, cols].
    const float* x() const { return values_of<float>(x_); }
    const std::vector<float>& expected() const { return expected_; }

  private:
    PartContext& context_;
    const std::uint64_t rows_, cols_;
    Bytes x_;
    std::vector<float> expected_;
};

// REQUIRES: context.gpu.
void add_s3_gpu_cases(PartContext& context, CaseList& cases, const FieldJob& job,
                      const std::shared_ptr<RowValues>& values);

}  // namespace tegu::field
