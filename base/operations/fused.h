// SPDX-License-Identifier: Apache-2.0
// fused: several operations on one input. The arrays of the result come in the order of the parts.
#pragma once

#include <variant>

#include "base/operations/entropy.h"
#include "base/operations/histogram.h"
#include "base/operations/quantile.h"
#include "base/operations/reduce.h"
#include "base/operations/topk.h"

namespace tegu {

using FusedPart = std::variant<ReduceParams, TopkParams, QuantileParams, HistogramParams, EntropyParams>;
inline constexpr std::uint32_t kMaxFusedParts = 5;

struct FusedParams {
    std::vector<FusedPart> parts;  // each operation at most once

    static constexpr auto parameters() {
        return std::make_tuple(List{"parts", &FusedParams::parts, kMaxFusedParts, "1..5 operations",
                                    "there are too many parts", "part_count", "1 to 5", ""});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        for (const FusedPart& part : parts)
            std::visit([&](const auto& params) { params.outputs(of, add); }, part);
    }
};

}  // namespace tegu
