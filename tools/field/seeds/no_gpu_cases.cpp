// SPDX-License-Identifier: Apache-2.0
// A program without CUDA opens no GPU, so these are never called.
#include "tools/field/seeds/add/cases.h"
#include "tools/field/seeds/dot/cases.h"
#include "tools/field/seeds/entropy_map/cases.h"
#include "tools/field/seeds/rowscale/cases.h"
#include "tools/field/seeds/topk/cases.h"

namespace tegu::field {

void add_s1_gpu_cases(PartContext&, CaseList&, const S1&) {}
void add_s2_gpu_cases(PartContext&, CaseList&, const S2&, const std::shared_ptr<SumValues>&) {}
void add_s3_gpu_cases(PartContext&, CaseList&, const FieldJob&, const std::shared_ptr<RowValues>&) {}
void add_s4_gpu_cases(PartContext&, CaseList&, const FieldJob&, const std::shared_ptr<WindowValues>&) {}
void add_s5_gpu_cases(PartContext&, CaseList&, const VectorJob&, const std::shared_ptr<VectorValues>&) {}

}  // namespace tegu::field
