// SPDX-License-Identifier: Apache-2.0
// The classes of jobs that are tuned separately. A small, a middle and a large job represent a class; a
// policy gets a row if it is good for all of them. operations/<stem>.cpp lists the classes of an operation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/job.h"
#include "base/tuning_row.h"
#include "tools/tune/jobs/content.h"

namespace tegu::tune {

struct SampleJob {
    Job job;
    Content content = Content::Uniform;
};

struct TuneClass {
    std::string id;  // "reduce-f32-n1M-s1": unique within a backend
    TuningClass jobs;
    std::vector<SampleJob> samples;  // 1..3, the smaller first
    unsigned rank = 0;               // those of rank 0 first, where time is short
};

// The capacity of a machine.
struct ClassLimits {
    std::uint64_t array_bytes = UINT64_MAX;  // of all inputs and outputs of one job
    std::uint64_t elements = UINT64_MAX;     // of an input
};

// Whether the job is possible, matches the kind of its axis, and is within the limits.
bool fits(const Job& job, const ClassLimits& limits);

// The classes of an operation, by its stem, of which at least one job is within the limits. Empty: it has no
// policy of its own.
std::vector<TuneClass> tune_classes(TuningBackend backend, std::string_view operation,
                                    const ClassLimits& limits);

}  // namespace tegu::tune
