// SPDX-License-Identifier: Apache-2.0
// The launch policies of a device: one plain struct for each kind of launch, with the defaults that hold where nothing was tuned. A policy changes how
// fast a result comes, never a bit of it.
#pragma once

#include "kernels/cuda/add.h"
#include "kernels/cuda/entropy_map.h"
#include "kernels/cuda/histogram_count.h"
#include "kernels/cuda/quantile.h"
#include "kernels/cuda/reduce_shape.h"
#include "kernels/cuda/rowscale.h"
#include "kernels/cuda/topk.h"

namespace tegu {
namespace cuda {

struct Policies {
    AddPolicy add = kDefaultAddPolicy;
    EntropyMapPolicy entropy_map = kDefaultEntropyMapPolicy;
    CountPolicy count = kDefaultCountPolicy;  // histogram and entropy
    QuantilePolicy quantile = kDefaultQuantilePolicy;
    ReducePolicy reduce = kDefaultReducePolicy;
    RowscalePolicy rowscale = kDefaultRowscalePolicy;
    TopkPolicy topk = kDefaultTopkPolicy;
};

// The policies of one job: nothing is owned; null: the defaults.
constexpr unsigned kMostPolicyParts = 5;
struct JobPolicies {
    const Policies* whole = nullptr;
    const Policies* parts[kMostPolicyParts] = {};  // of the parts of a fused job, in their order; null: as the whole
};

}  // namespace cuda
}  // namespace tegu
