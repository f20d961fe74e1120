// SPDX-License-Identifier: Apache-2.0
// The parameters of a job as 64-bit words, in the order of their description in base/operations/. A double is
// its bits. A list is its length, then its elements; a part of a fused job is its operation, then its words.
#pragma once

#include <cstdint>
#include <vector>

#include "base/job.h"
#include "base/result.h"
#include "base/span.h"

namespace tegu::module {

// Replaces the content of `words`.
void write_words(const JobParams& params, std::vector<std::uint64_t>* words);

// Reads what write_words() wrote for this operation. Errors: Internal, for words that it did not write.
Result<JobParams> read_words(std::uint32_t operation, Span<const std::uint64_t> words);

}  // namespace tegu::module
