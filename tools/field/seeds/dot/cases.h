// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and GPU cases of S5.
#pragma once

#include "tools/field/seeds/dot/vector.h"
#include "tools/field/seeds/seed_case.h"

namespace tegu::field {

// Two vectors of -1, 0 and 1: every statistic of S5 is exact in f32 whatever the order of its sum is.
class VectorValues {
  public:
    explicit VectorValues(std::uint64_t n) : n_(n) {}
    std::uint64_t n() const { return n_; }
    // Errors: OutOfMemory.
    Result<void> make();
    // REQUIRES: make() succeeded.
    const std::vector<float>& x() const { return x_; }
    const std::vector<float>& y() const { return y_; }
    float expected(seeds::VectorStatistic statistic) const;

  private:
    const std::uint64_t n_;
    std::vector<float> x_, y_;
};

struct VectorJob {
    seeds::VectorStatistic statistic;
    FieldJob job;
};
// REQUIRES: context.gpu.
void add_s5_gpu_cases(PartContext& context, CaseList& cases, const VectorJob& vector,
                      const std::shared_ptr<VectorValues>& values);

}  // namespace tegu::field
