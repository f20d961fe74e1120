// SPDX-License-Identifier: Apache-2.0
// The choice of a method, and the working memory.
#include "kernels/topk/cpu/select.h"

#include <cassert>
#include <utility>

#include "kernels/selection/cpu/sort.h"
#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {
namespace {

constexpr std::uint64_t kMinBlock = 64;
constexpr std::uint64_t kMinLanes = 64;
constexpr std::uint64_t kBlocksFrom = 1024;   // elements
constexpr std::uint64_t kMinInBuckets = 512;  // minimum results for buckets
constexpr std::uint64_t kCached = 8u << 20;   // bytes of input that stay in a cache for a second read

// Maximum k for which reading k blocks again pays: smaller where each block is a memory access.
std::uint64_t max_blocks(const Problem& problem) {
    const bool cached = problem.n * element_bytes(problem.type) <= kCached;
    return problem.n / ((cached ? 8 : 32) * kMinBlock);
}

void choose_blocks(const Problem& problem, Method& method) {
    // Near sqrt(2n / k): as many minima to sort as elements to read again. At most n / 8 minima.
    method.block = kMinBlock;
    while (method.block < kTile && method.block * method.block * problem.k < 2 * problem.n &&
           problem.k <= problem.n / (16 * method.block))
        method.block *= 2;
    method.blocks = (problem.n + method.block - 1) / method.block;
}

Method blocks_method(const Problem& problem) {
    Method method;
    method.kind = CpuTopkMethod::Blocks;
    choose_blocks(problem, method);
    method.entries = 2 * problem.k + 2 * method.block;
    return method;
}

Method threshold_method(const Problem& problem) {
    Method method;
    method.kind = CpuTopkMethod::Threshold;
    method.sample = std::min(kMaxSample, problem.n / 64);
    method.entries = std::min(problem.n, problem.k + problem.k / 2 + 65536);
    return method;
}

// A bucket of about 4096 entries sorts within L1.
Method buckets_method(const Problem& problem) {
    Method method;
    method.kind = CpuTopkMethod::Buckets;
    method.sample = std::min<std::uint64_t>(32768, problem.n / 64);
    method.entries = problem.distinct ? problem.n : problem.k;
    method.buckets = std::clamp<std::uint64_t>(problem.k / 4096, 16, kMaxWantedBuckets);
    method.bucket = std::min(problem.n, std::max<std::uint64_t>(16384, 8 * (problem.k / method.buckets)));
    return method;
}

// `within` fits two adjacent lists, or one where there is a single worker.
Method distinct_method(const Problem& problem) {
    Method method;
    method.kind = CpuTopkMethod::Distinct;
    method.sample = std::min(kMaxSample, problem.n / 64);
    if (problem.k <= max_blocks(problem)) {
        choose_blocks(problem, method);
        method.sample = std::min(kMaxSample, std::max<std::uint64_t>(problem.n / 1024, 128));
    }
    method.entries = 2 * problem.k + 2 * kTile;
    method.within = std::min<std::uint64_t>(tasks_of(problem.n), 2) * method.entries;
    method.workers = problem.k <= 4096 ? kMaxWorkers : 4;
    const auto width = static_cast<unsigned>(8 * element_bytes(problem.type));
    method.seen_bits = 11;
    while (method.seen_bits < 19 && std::uint64_t{1} << method.seen_bits < 2 * problem.k) ++method.seen_bits;
    method.seen_bits = std::min(method.seen_bits, width - 1);
    return method;
}

Method direct_method(const Problem& problem) {
    Method method;
    method.entries = problem.n;
    method.lanes = std::min(std::max(kMinLanes, (4 * problem.k + 63) / 64 * 64), problem.n / 64 * 64);
    if (problem.k > method.lanes / 4 * 3) method.lanes = 0;
    return method;
}

Method kind_of_method(const Problem& problem) {
    if (!problem.distinct && problem.n >= kBlocksFrom && problem.k <= max_blocks(problem))
        return blocks_method(problem);
    if (problem.n <= kTile) return direct_method(problem);
    if (problem.k > problem.n / 16) return buckets_method(problem);
    return problem.distinct ? distinct_method(problem) : threshold_method(problem);
}

// The wanted method if it can solve the problem.
Method method_of(const Problem& problem, CpuTopkMethod wanted) {
    const std::uint64_t n = problem.n, k = problem.k;
    if (problem.distinct) return kind_of_method(problem);
    switch (wanted) {
        case CpuTopkMethod::Direct:
            if (n <= kTile) return direct_method(problem);
            break;
        case CpuTopkMethod::Blocks:
            if (n >= kBlocksFrom && k <= n / (8 * kMinBlock)) return blocks_method(problem);
            break;
        case CpuTopkMethod::Threshold:
            if (n > kTile && k <= n / 16) return threshold_method(problem);
            break;
        case CpuTopkMethod::Buckets:
            if (n > kTile && k >= kMinInBuckets) return buckets_method(problem);
            break;
        case CpuTopkMethod::Distinct:
        case CpuTopkMethod::Chosen: break;
    }
    return kind_of_method(problem);
}

}  // namespace

Method choose_method(const Problem& problem, CpuTopkMethod wanted) {
    Method method = method_of(problem, wanted);
    const std::size_t width = element_bytes(problem.type);
    method.workers = static_cast<unsigned>(std::min<std::uint64_t>(method.workers, tasks_of(problem.n)));
    method.wide = width == 8 || (width == 4 && problem.n > (std::uint64_t{1} << 32));
    method.bytes = Layout(nullptr, problem, method).bytes;
    if (method.kind == CpuTopkMethod::Buckets)
        method.more_bytes = (entries_in_output(problem, method) ? 2 : 1) *
                            std::max(method.entries, std::min(problem.n, kBoundary)) *
                            (method.wide ? sizeof(Entry128) : sizeof(Entry64));
    return method;
}

std::uint64_t predict_ns(const Problem& problem, const Method& method) {
    const std::uint64_t n = problem.n;
    const std::uint64_t bytes = n * element_bytes(problem.type);
    const std::uint64_t sort_ns = method.wide ? 22 : 9;  // an entry
    const bool repeats = problem.distinct && element_bytes(problem.type) <= 2;
    switch (method.kind) {
        case CpuTopkMethod::Direct:
            return 200 + (method.lanes > 0 ? n / 4 + method.lanes : n) +
                   (problem.distinct ? 2 : 1) * sort_ns * problem.k;
        case CpuTopkMethod::Blocks: return 400 + bytes / 25 + 2 * method.blocks + 60 * problem.k;
        case CpuTopkMethod::Threshold:
            return 20 * method.sample + bytes / 20 + n / 8 + sort_ns * (repeats ? n : problem.k);
        case CpuTopkMethod::Buckets: return 20 * method.sample + bytes / 10 + n + sort_ns * problem.k;
        case CpuTopkMethod::Distinct:
            return 10000 + 20 * method.sample + bytes / 20 + (repeats ? n / 2 : n / 16) +
                   3 * sort_ns * problem.k;
        case CpuTopkMethod::Chosen: break;
    }
    return 0;
}

void describe(const Method& method, RunPolicy* policy) {
    policy->add_word("method", std::string(kCpuTopkMethods[static_cast<std::size_t>(method.kind)]));
    if (method.blocks > 0) policy->add("block", method.block);
    if (method.sample > 0) policy->add("sample", method.sample);
}

namespace {

template <class Entry>
Result<Selection> select_with(const Segment& segment, const Problem& problem, const Method& method,
                              Workspace& workspace, const Target& target, const WorkerGroup& workers) {
    Selector<Entry> selector(segment, problem, method, workspace, target, workers);
    bool done = false;
    switch (method.kind) {
        case CpuTopkMethod::Direct: done = select_direct(selector); break;
        case CpuTopkMethod::Blocks: done = select_blocks(selector); break;
        case CpuTopkMethod::Threshold: done = select_threshold(selector); break;
        case CpuTopkMethod::Buckets: done = select_buckets(selector); break;
        case CpuTopkMethod::Distinct: done = select_distinct(selector); break;
        case CpuTopkMethod::Chosen: break;
    }
    if (selector.out_of_memory)
        return make_error(
            Status::OutOfMemory,
            "no memory to sort a bucket of ranks that the sample of the elements did not foretell");
    if (!done) return workers.stop().error();
    const bool written = selector.written;
    return Selection{written ? nullptr : selector.entries, std::min(selector.size, problem.k), selector.shift,
                     method.wide, written};
}

}  // namespace

Result<Selection> select(const Segment& segment, const Problem& problem, const Method& method,
                         Workspace& workspace, const Target& target, const WorkerGroup& workers) {
    assert(segment.n == problem.n && problem.k >= 1 && problem.k <= problem.n);
    const WorkerGroup at_most = workers.limited(method.workers);
    return method.wide ? select_with<Entry128>(segment, problem, method, workspace, target, at_most)
                       : select_with<Entry64>(segment, problem, method, workspace, target, at_most);
}

}  // namespace tegu::kernels::topk
