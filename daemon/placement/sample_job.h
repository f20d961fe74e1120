// SPDX-License-Identifier: Apache-2.0
// Sample jobs: one job that represents a class, for probes or for comparison with a tuning row. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/tuning_row.h"
#include "daemon/placement/cost_class.h"

namespace tegu::daemon {

// Describes a sample; the file of kept costs stores it as text.
struct Sample {
    Operation operation = Operation::Reduce;
    ElementType type = ElementType::F32;
    std::uint64_t rows = 1;  // above 1 each row is a segment, except for an image
    std::uint64_t cols = 0;
    std::uint64_t detail = 0;  // as in TuningClass; 0: the operation's default
    std::uint32_t levels = 0;  // of an image; 0: 16
    bool distinct = false;
};

// nullopt: the operation has no such job.
std::optional<Job> job_of(const Sample& sample);
// The class of the sample; nullopt if there is no such job.
std::optional<CostClass> class_of(const Sample& sample);

// Converts to text such as "reduce f32 1 1048576 1 0 plain", and back. nullopt: the text is invalid.
std::string text_of(const Sample& sample);
std::optional<Sample> sample_from(const std::string& text);

// The class that a tuning row was measured with, at one of its points. nullopt: there is no such job.
std::optional<CostClass> sample_of(const TuningClass& jobs, double elements);

}  // namespace tegu::daemon
