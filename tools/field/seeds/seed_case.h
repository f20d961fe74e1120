// SPDX-License-Identifier: Apache-2.0
// Shared by the cases of all seeds. A seed case is compared with a FieldJob: the job with the same result by
// tegu's kernels. Needs no CUDA.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/field/job_case.h"
#include "tools/field/part.h"

namespace tegu::field {

// A case "JOB, DETAIL" of backend "seed" with the axes of the job. `method`: how it computes, for people.
Case seed_case(const FieldJob& job, const std::string& detail, std::string method);
void add_axis(Case& one, const char* name, std::int64_t value);
void add_axis(Case& one, const char* name, std::string value);
void remove_axis(Case& one, const std::string& name);

enum class Data { Named, Anywhere };
// Adds tegu's own kernel for the job on the CPU with all threads and on the GPU; with `copied` also on the
// GPU with its data to be copied. Or says why it cannot run here. The axes are those of the seed cases:
// "data" is where the input lies, "resident" for the CPU, too; with Data::Anywhere there is no such axis.
void add_own_cases(PartContext& context, CaseList& cases, const FieldJob& job, bool copied = false,
                   Data data = Data::Named);

// Takes cases back, from the one with index `first` on, whose operation the run does not want.
void keep_wanted(const PartContext& context, CaseList& cases, std::size_t first);

// Jobs as they are, or small ones if the run is quick.
std::vector<FieldJob> seed_jobs(const PartContext& context, std::vector<FieldJob> jobs);

// A case of plain host code: run(), then a check of its result.
Case host_case(const FieldJob& job, const std::string& detail, std::string method,
               std::function<Result<void>()> prepare, std::function<void()> run,
               std::function<bool()> is_right);

template <class T>
const T* values_of(const Bytes& bytes) {
    return reinterpret_cast<const T*>(bytes->data());
}

// n values -1, 0 or 1. Every partial sum of fewer than 2^24 of them is a whole number that f32 holds, so sums
// are exact in every order.
std::vector<float> signs(std::uint64_t n, std::uint64_t seed);

// OutOfMemory where the code ran out of memory.
Result<void> within_memory(const std::function<void()>& make);

// The reason to leave out a case that takes this much memory.
std::string memory_reason(std::uint64_t bytes);

Error wrong_result(const std::string& where);

// Whether there is a GPU that runs the seeds' kernels. A guarded device does not.
bool has_seed_gpu(const PartContext& context);
// Says that the seed's GPU kernels are left out, and why.
void skip_gpu(const PartContext& context, CaseList& cases);

}  // namespace tegu::field
