// SPDX-License-Identifier: Apache-2.0
// Selecting the best k of one segment. Every method gives the same entries; they differ in how much they
// read and keep.
//   direct     a bound from the minima of interleaved lanes, a pass that collects what is within it, a sort.
//              Short rows.
//   blocks     one pass for the smallest key of each block of elements; the answer lies in the k blocks with
//              the best minima, so only these are read again. Small k: never reads more than 9/8 of the
//              input, whatever the data.
//   threshold  a bound from a sample, a pass that counts what is within it and stores it, a sort. Middle k.
//   buckets    a map from keys to buckets from a sample, a pass that counts each, a pass that fills them, a
//              sort of each that writes the result. Large k, and large k of different values.
//   distinct   a bound from a sample, one pass that collects what is within it and was not met before.
// docs/topk.md has the measurements behind the choice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "kernels/cpu_policies.h"
#include "kernels/selection/cpu/sample.h"
#include "kernels/selection/cpu/workspace.h"

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

enum class MethodKind { Direct, Blocks, Threshold, Buckets, Distinct };

// How a problem is answered, and the working memory that it takes.
struct Method {
    MethodKind kind = MethodKind::Direct;
    bool wide = false;         // entries are Entry128
    std::uint64_t block = 0;   // blocks: elements of one
    std::uint64_t blocks = 0;  // blocks: how many
    std::uint64_t lanes = 0;   // direct: how many; 0: k is too large a part of n for a bound
    std::uint64_t entries =
        0;  // capacity for candidates; distinct: of one worker; buckets: for those that stay
    std::uint64_t sample = 0;        // threshold, buckets, distinct: elements of the sample
    std::uint64_t buckets = 0;       // buckets: about how many
    std::uint64_t bucket = 0;        // buckets: entries that one thread sorts
    unsigned workers = kMaxWorkers;  // that may share the segment
    unsigned seen_bits = 0;          // distinct: of SeenKeys
    std::uint64_t within = 0;        // distinct: elements within a bound that are sorted together
    std::uint64_t bytes = 0;         // working memory, with any number of threads
    // buckets: what it may allocate itself for a bucket that gets much more than its share
    std::uint64_t more_bytes = 0;
};

// Where values and indices of the result go, k of each: `buckets` writes them itself, and uses their memory
// before.
struct Target {
    std::byte* values = nullptr;
    std::byte* indices = nullptr;  // i64
};

// `wanted`: the method to take if it can answer the problem; else, and for Chosen, the fastest as measured.
Method choose_method(const Problem& problem, CpuTopkMethod wanted = CpuTopkMethod::Chosen);

// Time on one thread, from a model fitted to random values on the machine of docs/topk.md; values that repeat
// take longer.
std::uint64_t predict_ns(const Problem& problem, const Method& method);

// "blocks block=2048".
void describe(const Method& method, RunPolicy* policy);

// The best entries in order; they lie in the workspace.
struct Selection {
    const void* entries = nullptr;  // Entry64 or Entry128
    std::uint64_t count = 0;        // < k only with `distinct`, or if the elements changed meanwhile
    unsigned shift = 0;
    bool wide = false;
    bool written = false;  // they stand in the target, and `entries` is null

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
