// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and GPU cases of S2.
#pragma once

#include "tools/field/seeds/seed_case.h"

namespace tegu::field {

// Two matrices of f32, and a vector of f32 and of i32 for the sums.
struct S2 {
    FieldJob add, sum_f32, sum_i32;
};
// Whole numbers of both signs whose sum is exact in f32. Kept for all cases of the part. Errors: OutOfMemory.
class SumValues {
  public:
    explicit SumValues(std::uint64_t n) : n_(n) {}
    Result<void> make();
    // REQUIRES: make() succeeded.
    const std::vector<float>& values() const { return values_; }
    float sum() const { return sum_; }

  private:
    const std::uint64_t n_;
    std::vector<float> values_;
    float sum_ = 0;
};

// REQUIRES: context.gpu.
void add_s2_gpu_cases(PartContext& context, CaseList& cases, const S2& s2,
                      const std::shared_ptr<SumValues>& floats);

}  // namespace tegu::field
