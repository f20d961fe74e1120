// SPDX-License-Identifier: Apache-2.0
// The grid of candidate policies of an operation on a device, from the registry of kernels/tuning, and the
// policy of each point.
#pragma once

#include <string_view>

#include "kernels/tuning/policy_fields.h"
#include "tools/tune/search/policy_space.h"

namespace tegu::tune {

// The subject of a policy: backend, operation and device.
struct PolicySubject {
    TuningBackend backend = TuningBackend::Cpu;
    std::string_view operation;  // the stem; outlives the space
    cuda::DeviceLimits limits;   // of Cuda
    unsigned cpu_threads = 1;    // of Cpu: of the pool; candidates for more are left out
};

// One axis for each field that has candidates on the device. The values of `known` (a row of a table, say)
// are candidates, too.
PolicySpace policy_space(const PolicySubject& subject, const std::vector<tuning::PolicySet>& known);
// The point of the policies. REQUIRES: they are the default, or were among `known`.
PolicyPoint point_of(const PolicySpace& space, const PolicySubject& subject,
                     const tuning::PolicySet& policies);
tuning::PolicySet policies_at(const PolicySpace& space, const PolicySubject& subject,
                              const PolicyPoint& point);

}  // namespace tegu::tune
