// SPDX-License-Identifier: Apache-2.0
// Reconstructs partial results from the statistics of runs, as far as the result needs them. The CPU
// backend's code merges the runs in a tree and writes the result.
#include "kernels/split/reduce_join.h"

#include <cassert>
#include <cstring>
#include <limits>
#include <vector>

#include "base/half.h"
#include "kernels/numerics/chunk.h"
#include "kernels/statistics/finish.h"
#include "kernels/statistics/partial_tree.h"

namespace tegu::split {
namespace {

using kernels::FinishContext;
using kernels::FloatPartial;
using kernels::Int128;
using kernels::IntegerPartial;

constexpr StatisticSet bits(Statistic a) {
    return statistic_bit(a);
}
template <class... More>
constexpr StatisticSet bits(Statistic a, More... more) {
    return statistic_bit(a) | bits(more...);
}

constexpr StatisticSet kWithoutState = bits(Statistic::L2, Statistic::Var, Statistic::Std);

StatisticSet state_of(Statistic statistic) {
    switch (statistic) {
        case Statistic::Mean: return bits(Statistic::Sum);
        case Statistic::Minmax:
        case Statistic::Absmax: return bits(Statistic::Min, Statistic::Max);
        case Statistic::Argmin: return bits(Statistic::Min, Statistic::Argmin);
        case Statistic::Argmax: return bits(Statistic::Max, Statistic::Argmax);
        case Statistic::Count:
        case Statistic::Sum:
        case Statistic::Min:
        case Statistic::Max:
        case Statistic::L1:
        case Statistic::Nonzero:
        case Statistic::Nans:
        case Statistic::L2:
        case Statistic::Var:
        case Statistic::Std: break;
    }
    return bits(statistic);
}

// The values of one run, by statistic.
class States {
  public:
    States(const StateOutputs& run, StatisticSet set, ElementType type) : type_(type) {
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos) {
            const auto at = static_cast<std::size_t>(info.statistic);
            data_[at] = set & statistic_bit(info.statistic) ? run.outputs[next++].data : nullptr;
        }
    }
    bool has(Statistic statistic) const { return data(statistic) != nullptr; }
    // A missing value is 0.
    template <class T>
    T get(Statistic statistic) const {
        T value = T();
        if (has(statistic)) std::memcpy(&value, data(statistic), sizeof value);
        return value;
    }
    double real(Statistic statistic) const {
        if (kernels::statistic_type(statistic, type_) == ElementType::F64) return get<double>(statistic);
        if (type_ == ElementType::F32) return static_cast<double>(get<float>(statistic));
        return static_cast<double>(half_to_float(get<Half>(statistic)));
    }
    Int128 integer(Statistic statistic) const {
        return visit_element_type(kernels::statistic_type(statistic, type_), [&](auto element) -> Int128 {
            using T = decltype(element);
            if constexpr (std::is_integral_v<T>) return static_cast<Int128>(get<T>(statistic));
            return 0;
        });
    }

  private:
    const std::byte* data(Statistic statistic) const { return data_[static_cast<std::size_t>(statistic)]; }
    ElementType type_;
    const std::byte* data_[kStatisticCount];
};

// `counted`: the number of elements of the run that are not skipped.
FloatPartial partial_of(const States& states, std::uint64_t counted, bool skip_nans, FloatPartial) {
    FloatPartial partial{};
    partial.nans = states.get<std::uint64_t>(Statistic::Nans);
    const bool has_extremes = counted != 0 && (skip_nans || partial.nans == 0);
    partial.sum = states.real(Statistic::Sum);
    partial.l1 = counted == 0 ? 0 : states.real(Statistic::L1);
    partial.min = has_extremes ? states.real(Statistic::Min) : std::numeric_limits<double>::infinity();
    partial.max = has_extremes ? states.real(Statistic::Max) : -std::numeric_limits<double>::infinity();
    partial.zeros = counted - states.get<std::uint64_t>(Statistic::Nonzero);
    return partial;
}

IntegerPartial partial_of(const States& states, std::uint64_t counted, bool, IntegerPartial) {
    IntegerPartial partial{};
    partial.sum = states.integer(Statistic::Sum);
    partial.l1 = static_cast<kernels::Uint128>(states.integer(Statistic::L1));
    partial.min = states.integer(Statistic::Min);
    partial.max = states.integer(Statistic::Max);
    partial.zeros = counted - states.get<std::uint64_t>(Statistic::Nonzero);
    return partial;
}

template <class Partial>
class Join {
  public:
    Join(const Job& job, Span<const StateOutputs> runs)
        : params_(*std::get_if<ReduceParams>(&job.params)), type_(job.type), runs_(runs) {
        const StatisticSet set = states_of(params_, type_)->statistics;
        for (const StateOutputs& run : runs) {
            states_.emplace_back(run, set, type_);
            const std::uint64_t nans = states_.back().get<std::uint64_t>(Statistic::Nans);
            counted_.push_back(params_.skip_nans && is_float(type_) ? run.elements - nans : run.elements);
            partials_.push_back(partial_of(states_.back(), counted_.back(), params_.skip_nans, Partial()));
            poisoned_ = poisoned_ || (!params_.skip_nans && nans != 0);
            n_ += run.elements;
        }
    }

    Result<void> write(Span<const kernels::OutputView> outputs) const {
        kernels::PartialTree<Partial> tree;
        for (const Partial& partial : partials_) tree.push(partial);
        const Partial whole = tree.finish();
        const FinishContext context{type_,
                                    n_,
                                    params_.skip_nans,
                                    params_.ddof,
                                    first_of(Statistic::Argmin, &Partial::min, whole),
                                    first_of(Statistic::Argmax, &Partial::max, whole),
                                    0};
        std::size_t next = 0;
        for (const StatisticInfo& info : kStatisticInfos) {
            if (!(params_.statistics & statistic_bit(info.statistic))) continue;
            Result<void> written =
                kernels::write_statistic(info.statistic, context, whole, outputs[next++].data);
            if (!written) return written;
        }
        return {};
    }

  private:
    // The index in the whole segment of the first NaN, if a NaN counts, else of the first extreme; -1 if no
    // element counts.
    template <class Value>
    std::int64_t first_of(Statistic index, Value Partial::*extreme, const Partial& whole) const {
        std::uint64_t begin = 0;
        for (std::size_t i = 0; i < runs_.size() && states_[i].has(index); ++i) {
            const bool here = poisoned_ ? states_[i].template get<std::uint64_t>(Statistic::Nans) != 0
                                        : counted_[i] != 0 && partials_[i].*extreme == whole.*extreme;
            if (here) return static_cast<std::int64_t>(begin) + states_[i].template get<std::int64_t>(index);
            begin += runs_[i].elements;
        }
        return -1;
    }

    const ReduceParams& params_;
    ElementType type_;
    Span<const StateOutputs> runs_;
    std::vector<States> states_;
    std::vector<std::uint64_t> counted_;
    std::vector<Partial> partials_;
    bool poisoned_ = false;  // a NaN counts
    std::uint64_t n_ = 0;
};

}  // namespace

std::optional<ReduceParams> states_of(const ReduceParams& params, ElementType type) {
    if (params.statistics & kWithoutState) return std::nullopt;
    ReduceParams states = params;
    states.statistics = 0;
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic)) states.statistics |= state_of(info.statistic);
    // The NaNs decide which elements count and whether there is an extreme. A sum already includes them.
    if (is_float(type) && (states.statistics & ~bits(Statistic::Sum)) != 0)
        states.statistics |= bits(Statistic::Nans);
    if (params.statistics & bits(Statistic::Mean) && is_float(type))
        states.statistics |= bits(Statistic::Nans);
    return states;
}

Result<void> join_states(const Job& job, Span<const StateOutputs> runs,
                         Span<const kernels::OutputView> outputs) {
    assert(!runs.empty());
    return is_float(job.type) ? Join<FloatPartial>(job, runs).write(outputs)
                              : Join<IntegerPartial>(job, runs).write(outputs);
}

}  // namespace tegu::split
