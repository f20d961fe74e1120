// SPDX-License-Identifier: Apache-2.0
// Scales dense rows whose width is no multiple of a pack, several rows at a time.
#pragma once

#include "kernels/rowscale/cuda/rowscale.h"

namespace tegu {
namespace cuda {

constexpr unsigned kRowscaleJointThreads = 512;  // of a block at most: each needs many registers

// One launch. REQUIRES: shape.method is Joint, shape.threads at most kRowscaleJointThreads.
LaunchStatus launch_rowscale_joint(const RowscaleArrays& arrays, const RowscaleShape& shape,
                                   const RowscaleConfig& config);

}  // namespace cuda
}  // namespace tegu
