// SPDX-License-Identifier: Apache-2.0
// Selects order statistics of one segment. Every method gives the same keys; they differ in reads and memory.
//   counts    one pass counts each value. Elements of one byte, and longer segments of two bytes.
//   direct    copies the keys, and finds each statistic by halving their range. Short segments, few
//             statistics.
//   brackets  takes a bracket of two keys for each statistic from a spread sample. One pass counts the keys
//             below it and keeps those inside, which form a small segment. If the bracket missed, the
//             statistic is found digit by digit. Few statistics.
//   sort      copies and sorts all keys. Many statistics.
// Keys are ascending (kernels/numerics/sort_key.h), and every NaN is the largest: the values that are not NaN
// come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/job.h"
#include "kernels/quantile/cpu/scan.h"
#include "kernels/quantile/policy.h"
#include "kernels/selection/cpu/sample.h"

namespace tegu::kernels::quantile {

struct Problem {
    std::uint64_t n = 0;  // >= 1
    ElementType type = ElementType::U8;
    std::uint64_t statistics = 1;  // maximum number of distinct ranks
    bool skip_nans = false;
};

// The method for a problem, and its working memory.
struct Method {
    CpuQuantileMethod kind = CpuQuantileMethod::Direct;
    std::uint64_t sample = 0;    // brackets: elements of the sample
    std::uint64_t capacity = 0;  // brackets: maximum elements inside one
    unsigned workers = kMaxWorkers;
    std::uint64_t bytes = 0;  // working memory, with any number of threads
};

// `wanted`: the method to use if it can solve the problem; else, and for Chosen, the fastest as measured.
Method choose_method(const Problem& problem, CpuQuantileMethod wanted = CpuQuantileMethod::Chosen);
// Time on one thread, from a model fitted to random values on an x86-64 server core.
std::uint64_t predict_ns(const Problem& problem, const Method& method);
// "brackets sample=16384 passes=1"; `passes` over the elements.
void describe(const Method& method, std::uint64_t passes, RunPolicy* policy);

// The ranks of the wanted statistics among `valid` sorted elements, each < valid. May repeat; any order.
// Cheap: called more than once.
class Ranks {
  public:
    virtual ~Ranks() = default;
    virtual void of(std::uint64_t valid, std::vector<std::uint64_t>& ranks) const = 0;
};

struct Statistics {
    std::uint64_t nans = 0;
    std::vector<std::uint64_t> ranks;
    std::vector<Pair>
        // parallel to the ranks; both undefined if there are NaN that are not skipped, or nothing else
        pairs;
    std::uint64_t passes = 0;  // over the elements
};

// Fills `statistics`, whose memory is reused. False: a stop was requested. REQUIRES: method ==
// choose_method(problem, any); the workers begin at 0; `memory` has method.bytes, aligned to 64; segment.n ==
// problem.n.
bool select(const Segment& segment, const Problem& problem, const Method& method, std::byte* memory,
            const WorkerGroup& workers, const Ranks& ranks, Statistics& statistics);

}  // namespace tegu::kernels::quantile
