// SPDX-License-Identifier: Apache-2.0
// A program without CUDA opens no GPU, so this is never called.
#include "tools/field/seeds/rowscale/cases.h"

void tegu::field::add_s3_gpu_cases(PartContext&, CaseList&, const FieldJob&,
                                   const std::shared_ptr<RowValues>&) {}
