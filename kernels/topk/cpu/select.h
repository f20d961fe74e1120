// SPDX-License-Identifier: Apache-2.0
// Selects the best k of one segment. Every method gives the same entries; they differ in reads and memory.
//   direct     bounds by the minima of interleaved lanes, collects the elements within, and sorts.
//              Short rows.
//   blocks     finds the smallest key of each block in one pass. The answer lies in the k blocks with the
//              best minima, so only these are read again. Small k: reads at most 9/8 of any input.
//   threshold  takes a bound from a sample, counts and stores the elements within it, and sorts. Middle k.
//   buckets    maps keys to buckets by a sample. One pass counts the buckets, one fills them, and a sort of
//              each writes the result. Large k, and large k of distinct values.
//   distinct   takes a bound from a sample; one pass collects the keys within it that are new.
// docs/topk.md has the measurements behind the choice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "kernels/selection/cpu/sample.h"
#include "kernels/selection/cpu/workspace.h"
#include "kernels/topk/policy.h"

namespace tegu::kernels::topk {

using selection::Elements;
using selection::Entry128;
using selection::Entry64;
using selection::ScanKernels;
using selection::SeenKeys;
using selection::Tally;
using selection::Workspace;

struct Problem {
    std::uint64_t n = 0;
    std::uint64_t k = 0;  // 1..n
    bool distinct = false;
    ElementType type = ElementType::U8;
    std::uint64_t flip = 0;  // key::flip_of
};

// The method for a problem, and its working memory.
struct Method {
    CpuTopkMethod kind = CpuTopkMethod::Direct;
    bool wide = false;         // entries are Entry128
    std::uint64_t block = 0;   // blocks: elements of one
    std::uint64_t blocks = 0;  // blocks: how many
    std::uint64_t lanes = 0;   // direct: number of lanes; 0: k is too large a part of n for a bound
    // capacity for candidates; distinct: of one worker; buckets: for the kept entries
    std::uint64_t entries = 0;
    std::uint64_t sample = 0;        // threshold, buckets, distinct: elements of the sample
    std::uint64_t buckets = 0;       // buckets: about how many
    std::uint64_t bucket = 0;        // buckets: entries that one thread sorts
    unsigned workers = kMaxWorkers;  // maximum workers that share the segment
    unsigned seen_bits = 0;          // distinct: of SeenKeys
    std::uint64_t within = 0;        // distinct: elements within a bound that are sorted together
    std::uint64_t bytes = 0;         // working memory, with any number of threads
    // buckets: maximum extra allocation for a bucket that gets much more than its share
    std::uint64_t more_bytes = 0;
};

// The memory of the values and indices of the result, k of each. `buckets` writes them itself, and uses their
// memory as scratch before.
struct Target {
    std::byte* values = nullptr;
    std::byte* indices = nullptr;  // i64
};

// `wanted`: the method to use if it can solve the problem; else, and for Chosen, the fastest as measured.
Method choose_method(const Problem& problem, CpuTopkMethod wanted = CpuTopkMethod::Chosen);

// Time on one thread, from a model fitted to random values on the machine of docs/topk.md; repeated values
// take longer.
std::uint64_t predict_ns(const Problem& problem, const Method& method);

// "blocks block=2048".
void describe(const Method& method, RunPolicy* policy);

// The best entries in order, stored in the workspace.
struct Selection {
    const void* entries = nullptr;  // Entry64 or Entry128
    std::uint64_t count = 0;        // < k only with `distinct`, or if the elements changed meanwhile
    unsigned shift = 0;
    bool wide = false;
    bool written = false;  // the entries are in the target, and `entries` is null

    // Calls visit(i, key, index) for the entries [begin, end) in order.
    template <class Visit>
    void for_each(std::uint64_t begin, std::uint64_t end, Visit visit) const {
        if (wide) {
            const Entry128* list = static_cast<const Entry128*>(entries);
            for (std::uint64_t i = begin; i < end; ++i)
                visit(i, static_cast<std::uint64_t>(list[i] >> 64), static_cast<std::uint64_t>(list[i]));
        } else {
            const Entry64* list = static_cast<const Entry64*>(entries);
            const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
            for (std::uint64_t i = begin; i < end; ++i) visit(i, list[i] >> shift, list[i] & mask);
        }
    }
};

// Errors: Cancelled, DeadlineExceeded, OutOfMemory.
// REQUIRES: method == choose_method(problem, any); the workers begin at 0; workspace made for it, segment.n
// == problem.n.
Result<Selection> select(const Segment& segment, const Problem& problem, const Method& method,
                         Workspace& workspace, const Target& target, const WorkerGroup& workers);

}  // namespace tegu::kernels::topk
