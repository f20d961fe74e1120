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
constexpr std::uint64_t kBlocksFrom = 1024;     // elements
constexpr std::uint64_t kLeastInBuckets = 512;  // results that are worth buckets
constexpr std::uint64_t kCached = 8u << 20;     // bytes of input that a second read finds in a cache

// The k up to which it pays to read k blocks again: fewer where each of them is a trip to memory.
std::uint64_t most_blocks(const Question& question) {
    const bool cached = question.n * element_bytes(question.type) <= kCached;
    return question.n / ((cached ? 8 : 32) * kMinBlock);
}

void choose_blocks(const Question& question, Method& method) {
    // Near sqrt(2n / k): as many minima to sort through as elements to read again. Never more than n / 8 of
    // these.
    method.block = kMinBlock;
    while (method.block < kTile && method.block * method.block * question.k < 2 * question.n &&
           question.k <= question.n / (16 * method.block))
        method.block *= 2;
    method.blocks = (question.n + method.block - 1) / method.block;
}

Method blocks_method(const Question& question) {
    Method method;
    method.kind = MethodKind::Blocks;
    choose_blocks(question, method);
    method.entries = 2 * question.k + 2 * method.block;
    return method;
}

Method threshold_method(const Question& question) {
    Method method;
    method.kind = MethodKind::Threshold;
    method.sample = std::min(kMaxSample, question.n / 64);
    method.entries = std::min(question.n, question.k + question.k / 2 + 65536);
    return method;
}

// A bucket of about 4096 entries sorts within the first cache.
Method buckets_method(const Question& question) {
    Method method;
    method.kind = MethodKind::Buckets;
    method.sample = std::min<std::uint64_t>(32768, question.n / 64);
    method.entries = question.distinct ? question.n : question.k;
    method.buckets = std::clamp<std::uint64_t>(question.k / 4096, 16, kMostWantedBuckets);
    method.bucket = std::min(question.n, std::max<std::uint64_t>(16384, 8 * (question.k / method.buckets)));
    return method;
}

// `within` fits the lists of any number of slots, which lie side by side.
Method distinct_method(const Question& question) {
    Method method;
    method.kind = MethodKind::Distinct;
    method.sample = std::min(kMaxSample, question.n / 64);
    if (question.k <= most_blocks(question)) {
        choose_blocks(question, method);
        method.sample = std::min(kMaxSample, std::max<std::uint64_t>(question.n / 1024, 128));
    }
    method.entries = 2 * question.k + 2 * kTile;
    method.within = method.entries;
    method.slots = question.k <= 4096 ? kMaxSlots : 4;
    const auto width = static_cast<unsigned>(8 * element_bytes(question.type));
    method.seen_bits = 11;
    while (method.seen_bits < 19 && std::uint64_t{1} << method.seen_bits < 2 * question.k) ++method.seen_bits;
    method.seen_bits = std::min(method.seen_bits, width - 1);
    return method;
}

Method direct_method(const Question& question) {
    Method method;
    method.entries = question.n;
    method.lanes = std::min(std::max(kMinLanes, (4 * question.k + 63) / 64 * 64), question.n / 64 * 64);
    if (question.k > method.lanes / 4 * 3) method.lanes = 0;
    return method;
}

Method kind_of_method(const Question& question) {
    if (!question.distinct && question.n >= kBlocksFrom && question.k <= most_blocks(question))
        return blocks_method(question);
    if (question.n <= kTile) return direct_method(question);
    if (question.k > question.n / 16) return buckets_method(question);
    return question.distinct ? distinct_method(question) : threshold_method(question);
}

// The wanted method where it can answer the question.
Method method_of(const Question& question, CpuTopkMethod wanted) {
    const std::uint64_t n = question.n, k = question.k;
    if (question.distinct) return kind_of_method(question);
    switch (wanted) {
        case CpuTopkMethod::Direct:
            if (n <= kTile) return direct_method(question);
            break;
        case CpuTopkMethod::Blocks:
            if (n >= kBlocksFrom && k <= n / (8 * kMinBlock)) return blocks_method(question);
            break;
        case CpuTopkMethod::Threshold:
            if (n > kTile && k <= n / 16) return threshold_method(question);
            break;
        case CpuTopkMethod::Buckets:
            if (n > kTile && k >= kLeastInBuckets) return buckets_method(question);
            break;
        case CpuTopkMethod::Chosen: break;
    }
    return kind_of_method(question);
}

}  // namespace

Method choose_method(const Question& question, CpuTopkMethod wanted) {
    Method method = method_of(question, wanted);
    const std::size_t width = element_bytes(question.type);
    method.slots = static_cast<unsigned>(std::min<std::uint64_t>(method.slots, tasks_of(question.n)));
    method.wide = width == 8 || (width == 4 && question.n > (std::uint64_t{1} << 32));
    method.bytes = Layout(nullptr, question, method).bytes;
    if (method.kind == MethodKind::Buckets)
        method.more_bytes = (entries_in_output(question, method) ? 2 : 1) *
                            std::max(method.entries, std::min(question.n, kBoundary)) *
                            (method.wide ? sizeof(Entry128) : sizeof(Entry64));
    return method;
}

std::uint64_t predict_ns(const Question& question, const Method& method) {
    const std::uint64_t n = question.n;
    const std::uint64_t bytes = n * element_bytes(question.type);
    const std::uint64_t sort_ns = method.wide ? 22 : 9;  // an entry
    const bool repeats = question.distinct && element_bytes(question.type) <= 2;
    switch (method.kind) {
        case MethodKind::Direct:
            return 200 + (method.lanes > 0 ? n / 4 + method.lanes : n) +
                   (question.distinct ? 2 : 1) * sort_ns * question.k;
        case MethodKind::Blocks: return 400 + bytes / 25 + 2 * method.blocks + 60 * question.k;
        case MethodKind::Threshold:
            return 20 * method.sample + bytes / 20 + n / 8 + sort_ns * (repeats ? n : question.k);
        case MethodKind::Buckets: return 20 * method.sample + bytes / 10 + n + sort_ns * question.k;
        case MethodKind::Distinct:
            return 10000 + 20 * method.sample + bytes / 20 + (repeats ? n / 2 : n / 16) +
                   3 * sort_ns * question.k;
    }
    return 0;
}

std::string describe(const Method& method) {
    switch (method.kind) {
        case MethodKind::Direct: break;
        case MethodKind::Blocks: return "blocks block=" + std::to_string(method.block);
        case MethodKind::Threshold: return "threshold sample=" + std::to_string(method.sample);
        case MethodKind::Buckets: return "buckets sample=" + std::to_string(method.sample);
        case MethodKind::Distinct:
            return "distinct" +
                   (method.blocks > 0 ? " block=" + std::to_string(method.block) : std::string()) +
                   " sample=" + std::to_string(method.sample);
    }
    return "direct";
}

namespace {

template <class Entry>
Result<Selection> select_with(const StridedSequence& sequence, const Question& question, const Method& method,
                              Workspace& workspace, const Target& target, const Team& team) {
    Selector<Entry> selector(sequence, question, method, workspace, target, team);
    bool done = false;
    switch (method.kind) {
        case MethodKind::Direct: done = select_direct(selector); break;
        case MethodKind::Blocks: done = select_blocks(selector); break;
        case MethodKind::Threshold: done = select_threshold(selector); break;
        case MethodKind::Buckets: done = select_buckets(selector); break;
        case MethodKind::Distinct: done = select_distinct(selector); break;
    }
    if (selector.out_of_memory)
        return make_error(
            Status::OutOfMemory,
            "no memory to sort a bucket of ranks that the sample of the elements did not foretell");
    if (!done) return team.stop().error();
    const bool written = selector.written;
    return Selection{written ? nullptr : selector.entries, std::min(selector.size, question.k),
                     selector.shift, method.wide, written};
}

}  // namespace

Result<Selection> select(const StridedSequence& sequence, const Question& question, const Method& method,
                         Workspace& workspace, const Target& target, const Team& team) {
    assert(sequence.size() == question.n && question.k >= 1 && question.k <= question.n);
    const Team at_most = team.limited(method.slots);
    return method.wide ? select_with<Entry128>(sequence, question, method, workspace, target, at_most)
                       : select_with<Entry64>(sequence, question, method, workspace, target, at_most);
}

}  // namespace tegu::kernels::topk
