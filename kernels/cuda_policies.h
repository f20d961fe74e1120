// SPDX-License-Identifier: Apache-2.0
// The launch policies of a device: one plain struct per kind of launch, with defaults that hold without a
// tuning row. A policy changes the speed of a result, never a bit of it.
#pragma once

#include "kernels/add/cuda/add.h"
#include "kernels/counting/cuda/count.h"
#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/quantile/cuda/quantile.h"
#include "kernels/rowscale/cuda/rowscale.h"
#include "kernels/selection/cuda/cut.h"
#include "kernels/statistics/cuda/shape.h"

namespace tegu {
namespace cuda {

struct Policies {
    AddPolicy add = kDefaultAddPolicy;
    EntropyMapPolicy entropy_map = kDefaultEntropyMapPolicy;
    CountPolicy count = kDefaultCountPolicy;  // histogram and entropy
    QuantilePolicy quantile = kDefaultQuantilePolicy;
    ReducePolicy reduce = kDefaultReducePolicy;
    RowscalePolicy rowscale = kDefaultRowscalePolicy;
    SelectionPolicy selection = kDefaultSelectionPolicy;  // for k results, and cuts of long segments
};

// The policies of one job: nothing is owned; null: the defaults.
constexpr unsigned kMaxPolicyParts = 5;
struct JobPolicies {
    const Policies* whole = nullptr;
    // of the parts of a fused job, in their order; null: as the whole
    const Policies* parts[kMaxPolicyParts] = {};
};

}  // namespace cuda
}  // namespace tegu
