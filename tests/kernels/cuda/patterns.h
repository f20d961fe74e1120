// SPDX-License-Identifier: Apache-2.0
// Inputs of one kind each, for every element type: what makes sums lose digits, selections tie and searches
// go wrong.
#pragma once

#include "tests/kernels/cuda/compare_backends.h"
#include "tests/kernels/digests/inputs.h"

namespace tegu::test {

enum class Pattern {
    Uniform,     // Content::Plain
    Wide,        // Content::Wide
    Ties,        // Content::Ties
    Equal,       // one value
    Nans,        // a third of them NaN of both signs, with payloads; of integers the limits of the type
    Infinities,  // a third of them infinite, of both signs; of integers all bits set, or none
    Subnormals,  // and zeros of both signs; of integers 0 to 3
    Ascending,   // sorted, with ties where there are more elements than values
    Descending,
    Adversarial,  // magnitudes that cancel and vanish; of integers one bit each
    Least,        // the least value of the type alone: -infinity of floats
    Greatest,
};
constexpr Pattern kPatterns[] = {Pattern::Uniform,     Pattern::Wide,      Pattern::Ties,
                                 Pattern::Equal,       Pattern::Nans,      Pattern::Infinities,
                                 Pattern::Subnormals,  Pattern::Ascending, Pattern::Descending,
                                 Pattern::Adversarial, Pattern::Least,     Pattern::Greatest};
const char* pattern_word(Pattern pattern);

// rows x cols elements as testing_support::make_digest_input() lays them out.
TestInput make_pattern(ElementType type, Pattern pattern, const testing_support::DigestShape& shape,
                       std::uint64_t seed);

}  // namespace tegu::test
