// SPDX-License-Identifier: Apache-2.0
// A program without CUDA opens no GPU, so this is never called.
#include "tools/field/seeds/topk/cases.h"

void tegu::field::add_s1_gpu_cases(PartContext&, CaseList&, const S1&) {}
