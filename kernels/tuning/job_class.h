// SPDX-License-Identifier: Apache-2.0
// A job as tuning rows describe it: operation, element, shape and one number of its parameters (TuningClass
// in base/tuning_row.h). Tuner, lookup and cost model share this description, so a row means the same to all
// of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/job.h"
#include "base/tuning_row.h"

namespace tegu::tuning {

// Bits of a set.
enum JobVariant : unsigned {
    kDistinct = 1,
    kSkipNans = 2,
    kMirror = 4,
};

struct JobClass {
    Operation operation = Operation::Reduce;
    ElementType type = ElementType::F32;
    unsigned width = 4;     // bytes of an element
    unsigned variants = 0;  // JobVariant bits
    std::uint64_t sequences = 1;
    std::uint64_t elements = 0;  // of a segment
    std::uint64_t detail = 0;
    std::uint64_t levels = 0;  // of a pixel; 0: the job has no image
};

// No allocation. REQUIRES: kernels::plan_job(job) succeeded.
JobClass class_of(const Job& job);
// The class of a part of a fused job, as of a separate job.
JobClass class_of(const Job& job, const FusedPart& part);

// The variant of a word in a row: "plain" is 0. Empty for an unknown word; "" is no variant.
std::optional<unsigned> find_variant(std::string_view word);
inline constexpr std::string_view kVariantWords = "plain, distinct, skip_nans or mirror";

// "f32". Empty for an unknown word.
std::optional<ElementType> find_element_type(std::string_view word);

// True if a row or a cost applies to such jobs. Slow: for tools and tests; DeviceTuning::choose() is the fast
// path. REQUIRES: the class names a known operation, type and variant, or none.
bool holds(const TuningClass& wanted, const JobClass& job);

}  // namespace tegu::tuning
