// SPDX-License-Identifier: Apache-2.0
// The jobs of a field run: every operation over sizes, element types and parameters, with names that are the
// same on every board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/job.h"
#include "tools/field/inputs.h"
#include "tools/field/record.h"

namespace tegu::field {

struct FieldJob {
    std::string name;    // "reduce f32 1e7 sum"
    std::string detail;  // "sum": the end of the name
    Axes axes;
    Job job;
    Values values = Values::Uniform;
    int priority = 1;             // as of a Case
    std::optional<double> flops;  // arithmetic operations, where they are plain to count
    bool energy = false;
    bool crossover = false;  // its times at many sizes show where the GPU is worth its while

    std::string_view operation() const;
    std::uint64_t elements() const { return job.rows * job.cols; }
};

// "1e7" for powers of ten from 1000 on, else all digits.
std::string count_text(std::uint64_t count);

// A job over one segment, over the rows of an array, and over an image. `detail` ends the name: "sum"; may
// be empty.
FieldJob sequence_job(ElementType type, std::uint64_t n, const JobParams& params, const std::string& detail,
                      int priority);
FieldJob rows_job(ElementType type, std::uint64_t rows, std::uint64_t cols, const JobParams& params,
                  const std::string& detail, int priority);
FieldJob image_job(ElementType type, std::uint64_t side, std::uint32_t window, std::uint32_t levels,
                   int priority);

// All jobs of an operation, by its stem, for the part "operations".
std::vector<FieldJob> operation_jobs(std::string_view stem);
// The jobs marked `crossover`, each over `sizes` elements.
std::vector<FieldJob> crossover_jobs(const std::vector<std::uint64_t>& sizes);

// The same jobs over few elements, to see that all work. Their names stay.
void make_quick(std::vector<FieldJob>& jobs);

}  // namespace tegu::field
