// SPDX-License-Identifier: Apache-2.0
// The words of a node of the canonical tree, in which a partial of reduce keeps it. docs/partials.md has the
// table.
#pragma once

#include "base/job.h"
#include "base/result.h"
#include "kernels/statistics/partial.h"

namespace tegu::kernels {

// Where a word of a node begins. Words that nobody asked for are 0.
enum NodeWord : unsigned {
    kNodeSum = 0,      // f64
    kNodeL1 = 1,       // f64
    kNodeMoments = 2,  // f64 n, s, q, and u64 flags (FloatFlag). With a flag the three are 0
    kNodeWide = 0,     // integers: sum and l1 of 128 bits, squares of 192 bits
    kNodeMin = 7,      // this and the next: the element, in the low bytes
    kNodeMax = 8,
    kNodeArgmin = 9,  // this and the next: i64, from the beginning of the node
    kNodeArgmax = 10,
    kNodeNonzero = 11,
    kNodeNans = 12,
};

// Calls visit(statistic, word) for the statistics that words of a node hold as reduce would give them.
template <class Visit>
void for_each_node_statistic(ElementType type, StatisticSet set, Visit&& visit) {
    const auto add = [&](Statistic statistic, unsigned word) {
        if ((set & statistic_bit(statistic)) != 0) visit(statistic, word);
    };
    if (is_float(type)) {
        add(Statistic::Sum, kNodeSum);
        add(Statistic::L1, kNodeL1);
    }
    add(Statistic::Min, kNodeMin);
    add(Statistic::Max, kNodeMax);
    add(Statistic::Argmin, kNodeArgmin);
    add(Statistic::Argmax, kNodeArgmax);
    add(Statistic::Nonzero, kNodeNonzero);
    add(Statistic::Nans, kNodeNans);
}

// The statistics of nodes from which those of `params` follow. Var stands for the moments.
ReduceParams node_params(const ReduceParams& params, ElementType type);

// The place of a piece, of reduce or dot.
struct PieceParams {
    bool partial;
    bool last;
    std::uint32_t offset;
};
// Errors of the place, and of the shape of a piece: it is one row.
Result<void> check_piece(const Job& job, const PieceParams& params);
template <class Params>
Result<void> check_piece(const Job& job, const Params& params) {
    return check_piece(job, PieceParams{params.partial, params.last, params.offset});
}

// The moments of a node, four words. Sums of integers, seven words: those that `needs` has.
void write_moments(const FloatPartial& partial, std::byte* to);
void write_wide(const IntegerPartial& partial, unsigned needs, std::byte* to);

}  // namespace tegu::kernels
