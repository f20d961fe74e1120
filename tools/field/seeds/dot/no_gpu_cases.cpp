// SPDX-License-Identifier: Apache-2.0
// A program without CUDA opens no GPU, so this is never called.
#include "tools/field/seeds/dot/cases.h"

void tegu::field::add_s5_gpu_cases(PartContext&, CaseList&, const VectorJob&,
                                   const std::shared_ptr<VectorValues>&) {}
