// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and GPU cases of S1.
#pragma once

#include "tools/field/seeds/seed_case.h"

namespace tegu::field {

// The values of all cases, and the largest of them.
class ListValues {
  public:
    ListValues(PartContext& context, std::uint64_t n, unsigned max_k)
        : context_(context), n_(n), max_k_(max_k) {}

    std::uint64_t n() const { return n_; }
    // Makes both. Errors: OutOfMemory.
    Result<void> make();
    // REQUIRES: make() succeeded.
    const std::int32_t* data() const { return values_of<std::int32_t>(bytes_); }
    const Bytes& bytes() const { return bytes_; }
    // Whether `found` are the k largest distinct values, descending, and INT32_MIN where there are fewer.
    bool are_largest(const std::vector<std::int32_t>& found) const;

  private:
    PartContext& context_;
    const std::uint64_t n_;
    const unsigned max_k_;
    Bytes bytes_;
    std::vector<std::int32_t> largest_;  // max_k of them
};

struct S1 {
    std::vector<FieldJob> jobs;  // top-k, one for each k
    FieldJob extremes;
    std::shared_ptr<ListValues> values;
};
// REQUIRES: context.gpu.
void add_s1_gpu_cases(PartContext& context, CaseList& cases, const S1& s1);

inline unsigned k_of(const FieldJob& job) {
    return static_cast<unsigned>(std::get<TopkParams>(job.job.params).k);
}

}  // namespace tegu::field
