// SPDX-License-Identifier: Apache-2.0
// The parts s1 to s5 of a field run: the kernels of the seeds, each beside tegu's kernel for the same result.
// A part declares the cases that the board can run, and the reasons for skipped ones.
#pragma once

#include "tools/field/part.h"

namespace tegu::field {

void add_s1_cases(PartContext& context, CaseList& cases);  // distinct top-k by lists, extremes by atomics
void add_s2_cases(PartContext& context, CaseList& cases);  // sum of two vectors, the ladder of sums
void add_s3_cases(PartContext& context, CaseList& cases);  // rows divided by their largest magnitude
void add_s4_cases(PartContext& context, CaseList& cases);  // entropy of the 5 x 5 window
void add_s5_cases(PartContext& context, CaseList& cases);  // statistics of vectors by one block and by many

}  // namespace tegu::field
