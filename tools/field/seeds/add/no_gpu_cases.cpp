// SPDX-License-Identifier: Apache-2.0
// A program without CUDA opens no GPU, so this is never called.
#include "tools/field/seeds/add/cases.h"

void tegu::field::add_s2_gpu_cases(PartContext&, CaseList&, const S2&, const std::shared_ptr<SumValues>&) {}
