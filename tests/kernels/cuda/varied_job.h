// SPDX-License-Identifier: Apache-2.0
// Jobs of every operation whose parameters vary with a number, and launch policies far from each other: what
// the tests that go through all of them share.
#pragma once

#include <vector>

#include "base/job.h"
#include "kernels/execution/cuda/context.h"

namespace tegu::test {

// What the device chooses, and three policies that are far from it.
std::vector<cuda::Context> contexts_with_policies(const cuda::Context& context);

// A job of the operation on n elements; `variant` turns through its parameters. It may be one that cannot be
// planned.
Job varied_job(Operation operation, ElementType type, std::uint64_t n, std::uint64_t variant);

}  // namespace tegu::test
