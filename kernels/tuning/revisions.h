// SPDX-License-Identifier: Apache-2.0
// The revision of the kernels of each operation and backend. A row that was measured with another revision is
// ignored: raise a number when a change of the kernels makes other policies the best, or changes what a field
// of a policy means.
#pragma once

#include "base/job.h"
#include "base/tuning_row.h"

// X(Name, revision on the CPU, revision on CUDA); fused runs the kernels of its parts, and has policies on
// the CPU alone.
#define TEGU_TUNING_REVISIONS(X) \
    X(Reduce, 1, 1)              \
    X(Topk, 1, 1)                \
    X(EntropyMap, 1, 1)          \
    X(Add, 1, 1)                 \
    X(Dot, 1, 1)                 \
    X(Rowscale, 1, 1)            \
    X(Quantile, 1, 1)            \
    X(Histogram, 1, 1)           \
    X(Entropy, 1, 1)             \
    X(Fused, 1, 1)

namespace tegu::tuning {

constexpr unsigned revision_of(TuningBackend backend, Operation operation) {
    switch (operation) {
#define TEGU_X(Name, cpu, cuda) \
    case Operation::Name: return backend == TuningBackend::Cuda ? cuda : cpu;
        TEGU_TUNING_REVISIONS(TEGU_X)
#undef TEGU_X
    }
    return 0;
}

}  // namespace tegu::tuning
