// SPDX-License-Identifier: Apache-2.0
// Random policies that the registry allows, for tests that no policy changes a bit.
#pragma once

#include "kernels/tuning/policy_fields.h"
#include "tests/kernels/digests/inputs.h"

namespace tegu::test {

// Sets some fields of the operation's policy to values that are allowed on the device: candidates, the
// borders of the range, or any number between them.
tuning::PolicySet random_policies(TuningBackend backend, std::string_view operation,
                                  const cuda::DeviceLimits& limits, testing_support::SplitMix* random);

}  // namespace tegu::test
