// SPDX-License-Identifier: Apache-2.0
// Sample jobs: one job that stands for a class, to be timed by probing or to be compared with a row of a
// tuning table. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/tuning_row.h"
#include "daemon/placement/cost_class.h"

namespace tegu::daemon {

// What a sample is; as a text it stands in the file of kept costs.
struct Sample {
    Operation operation = Operation::Reduce;
    ElementType type = ElementType::F32;
    std::uint64_t rows = 1;  // above 1 each row is a segment, but of an image
    std::uint64_t cols = 0;
    std::uint64_t detail = 0;  // as of TuningClass; 0: the operation's default
    std::uint32_t levels = 0;  // of an image; 0: 16
    bool distinct = false;
};

// Nothing: the operation has no such job.
std::optional<Job> job_of(const Sample& sample);
// The class of the sample; nothing if there is no such job.
std::optional<CostClass> class_of(const Sample& sample);

// "reduce f32 1 1048576 1 0 plain", and back. Nothing: the text is none.
std::string text_of(const Sample& sample);
std::optional<Sample> sample_from(const std::string& text);

// The class that a row of a table was measured with, at one of its points. Nothing: there is no such job.
std::optional<CostClass> sample_of(const TuningClass& jobs, double elements);

}  // namespace tegu::daemon
