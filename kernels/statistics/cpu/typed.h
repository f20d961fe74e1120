// SPDX-License-Identifier: Apache-2.0
// Code per element type that reduce and fused share: the chunk kernel, and the conversion of a segment's
// partial result to the arrays of the job.
#pragma once

#include <string>

#include "kernels/execution/cpu/isa.h"
#include "kernels/statistics/cpu/chunk.h"
#include "kernels/statistics/cpu/reduce_tree.h"
#include "kernels/statistics/cpu/search.h"
#include "kernels/statistics/finish.h"

namespace tegu::kernels {

template <class T>
struct ReduceKernel;
#define TEGU_X(number, Name, word, type)                                      \
    template <>                                                               \
    struct ReduceKernel<type> {                                               \
        using Partial = FloatPartial;                                         \
        static auto select() { return TEGU_ISA_SELECT(reduce_chunk_##word); } \
    };
TEGU_FLOAT_TYPES(TEGU_X)
#undef TEGU_X
#define TEGU_X(number, Name, word, type)                                      \
    template <>                                                               \
    struct ReduceKernel<type> {                                               \
        using Partial = IntegerPartial;                                       \
        static auto select() { return TEGU_ISA_SELECT(reduce_chunk_##word); } \
    };
TEGU_INTEGER_TYPES(TEGU_X)
#undef TEGU_X

// Writes the statistics of a job, in the order of their numbers, one segment per row.
template <class T>
class StatisticWriter {
  public:
    using Partial = typename ReduceKernel<T>::Partial;

    // `outputs`: one for each statistic of the set.
    StatisticWriter(const Job& job, const ReduceParams& params, const OutputView* outputs)
        : job_(job), params_(params) {
        for (const StatisticInfo& info : kStatisticInfos) {
            if (!(params.statistics & statistic_bit(info.statistic))) continue;
            const std::size_t bytes = element_bytes(statistic_type(info.statistic, job.type));
            columns_[count_] = Column{info.statistic, outputs[count_].data,
                                      bytes * static_cast<std::size_t>(info.values_per_row)};
            ++count_;
        }
    }

    // Errors: Overflow, which names the statistic, the value and, for rows, the row.
    Result<void> write(const Segment& segment, const Partial& partial, std::uint64_t row) const {
        FinishContext context{job_.type, segment.n, params_.skip_nans, params_.ddof, -1, -1, 0};
        if (params_.statistics & (statistic_bit(Statistic::Var) | statistic_bit(Statistic::Std)))
            context.var = variance(context, partial);
        if (params_.statistics & statistic_bit(Statistic::Argmin))
            context.argmin = find_extreme<T>(segment, params_.skip_nans, partial, false);
        if (params_.statistics & statistic_bit(Statistic::Argmax))
            context.argmax = find_extreme<T>(segment, params_.skip_nans, partial, true);
        for (std::size_t i = 0; i < count_; ++i) {
            Result<void> done = write_statistic(columns_[i].statistic, context, partial,
                                                columns_[i].data + row * columns_[i].row_bytes);
            if (done) continue;
            if (job_.axis == Axis::Rows) return in_row(std::move(done).error(), row);
            return done;
        }
        return {};
    }

  private:
    struct Column {
        Statistic statistic;
        std::byte* data;
        std::size_t row_bytes;
    };

    const Job& job_;
    const ReduceParams& params_;
    Column columns_[kStatisticCount];
    std::size_t count_ = 0;
};

}  // namespace tegu::kernels
