// SPDX-License-Identifier: Apache-2.0
// The choice of a method, and the methods that read every element: counts, direct, sort.
#include "kernels/quantile/cpu/select.h"

#include <atomic>
#include <numeric>

#include "kernels/quantile/cpu/run.h"
#include "kernels/selection/cpu/sort.h"

namespace tegu::kernels::quantile {

using selection::round_up;

namespace {

// statistics from which sorting all costs less than a bracket for each
constexpr std::uint64_t kMaxBrackets = 12;
constexpr std::uint64_t kHalfwords = 65536;           // values of two bytes
constexpr std::uint64_t kMaxWantedDirect = 1u << 18;  // elements; each statistic reads them several times
constexpr std::uint64_t kSlotWork = 1u << 20;         // minimum elements for a worker's own table of counts

}  // namespace

const ScanKernels& quantile_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(quantile_scan_kernels);
    return of(type);
}

Layout::Layout(std::byte* memory, const Problem& problem, const Method& method) {
    const auto take = [this, memory](std::uint64_t part) {
        std::byte* taken = memory == nullptr ? nullptr : memory + bytes;
        bytes += round_up(part);
        return taken;
    };
    const auto words = [&](std::uint64_t count) { return reinterpret_cast<std::uint64_t*>(take(count * 8)); };
    const unsigned width = static_cast<unsigned>(element_bytes(problem.type));
    const std::uint64_t tile = std::min(kTile, problem.n);
    const bool brackets = method.kind == CpuQuantileMethod::Brackets;
    const bool all = method.kind == CpuQuantileMethod::Direct || method.kind == CpuQuantileMethod::Sort;
    dense = take(method.workers * tile * width);
    sample = words(2 * method.sample);
    histograms = words(brackets ? method.workers << kDigitBits : 0);
    counts = words(method.kind == CpuQuantileMethod::Counts ? method.workers * (width == 1 ? 256 : kHalfwords)
                                                            : 0);
    found = take(brackets ? method.workers * (kTile + kSlack) * width : 0);
    keys = take(all ? problem.n * width : 0);
    spare = take(method.kind == CpuQuantileMethod::Sort ? problem.n * width : 0);
    kept = take(brackets ? problem.statistics * round_up(method.capacity * width) +
                               nested_bytes(method.capacity, width)
                         : 0);
    if (memory != nullptr) kept_end = memory + bytes;
}

bool Run::run() {
    statistics_.nans = 0;
    statistics_.passes = 1;
    switch (method_.kind) {
        case CpuQuantileMethod::Counts: return by_counts();
        case CpuQuantileMethod::Direct: return copy_keys() && by_nth();
        case CpuQuantileMethod::Brackets: return by_brackets();
        case CpuQuantileMethod::Sort: return copy_keys() && by_sort();
        case CpuQuantileMethod::Chosen: break;
    }
    return false;
}

bool Run::find_ranks(std::uint64_t nans) {
    statistics_.nans = nans;
    if ((nans > 0 && !problem_.skip_nans) || nans >= problem_.n) return false;
    ranks_of_.of(problem_.n - nans, ranks_);
    statistics_.pairs.resize(ranks_.size());
    return true;
}

std::uint64_t Run::nan_key() const {
    return width() == 2   ? key::encode<std::uint16_t, true>(key::kNan<std::uint16_t>, 0)
           : width() == 4 ? key::encode<std::uint32_t, true>(key::kNan<std::uint32_t>, 0)
                          : key::encode<std::uint64_t, true>(key::kNan<std::uint64_t>, 0);
}

bool Run::by_counts() {
    const std::uint64_t values = width() == 1 ? 256 : kHalfwords;
    std::fill(layout_.counts, layout_.counts + workers_.size() * values, 0);
    const bool done = for_each_tile(source_, [&](Elements elements, std::uint64_t, unsigned worker) {
        source_.scan.count(elements, layout_.counts + worker * values);
    });
    if (!done) return false;
    for (unsigned worker = 1; worker < workers_.size(); ++worker)
        for (std::uint64_t value = 0; value < values; ++value)
            layout_.counts[value] += layout_.counts[worker * values + value];
    // The largest key is the key of NaN.
    if (find_ranks(is_float(source_.type) ? layout_.counts[nan_key()] : 0)) look_up(layout_.counts, values);
    return true;
}

void Run::look_up(const std::uint64_t* counts, std::uint64_t values) {
    order_.resize(ranks_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [this](std::size_t a, std::size_t b) { return ranks_[a] < ranks_[b]; });
    const std::uint64_t last = problem_.n - statistics_.nans - 1;
    std::uint64_t value = 0;
    std::uint64_t within = counts[0];  // elements up to `value`
    for (const std::size_t i : order_) {
        while (within <= ranks_[i] && value + 1 < values) within += counts[++value];
        std::uint64_t next = value;
        if (ranks_[i] < last && ranks_[i] + 1 >= within)
            for (++next; next + 1 < values && counts[next] == 0;) ++next;
        statistics_.pairs[i] = Pair{value, std::min(next, values - 1)};
    }
}

bool Run::copy_keys() {
    std::atomic<std::uint64_t> nans{0};
    const bool done = for_each_tile(source_, [&](Elements elements, std::uint64_t begin, unsigned) {
        nans.fetch_add(source_.scan.keys(elements, layout_.keys + begin * width()),
                       std::memory_order_relaxed);
    });
    if (done) wanted_ = find_ranks(nans.load());
    return done;
}

bool Run::by_nth() {
    for (std::size_t i = 0; wanted_ && i < ranks_.size(); ++i)
        statistics_.pairs[i] = source_.scan.nth(layout_.keys, problem_.n, ranks_[i]);
    return true;
}

template <class U>
bool Run::read_sorted() {
    const U* sorted = selection::sort_by_key(reinterpret_cast<U*>(layout_.keys),
                                             reinterpret_cast<U*>(layout_.spare), problem_.n, 0, workers_);
    for (std::size_t i = 0; sorted != nullptr && i < ranks_.size(); ++i)
        statistics_.pairs[i] = Pair{sorted[ranks_[i]], sorted[std::min(ranks_[i] + 1, problem_.n - 1)]};
    return sorted != nullptr;
}

bool Run::by_sort() {
    if (!wanted_) return true;
    return width() == 8 ? read_sorted<std::uint64_t>() : read_sorted<std::uint32_t>();
}

namespace {

CpuQuantileMethod fastest_kind(const Problem& problem, unsigned width) {
    const bool few_halfwords =
        width == 2 && problem.n <= 32768 && problem.n * problem.statistics <= 8 * kHalfwords;
    if (width == 1 || (width == 2 && !few_halfwords)) return CpuQuantileMethod::Counts;
    if (width == 2) return CpuQuantileMethod::Direct;
    if (problem.statistics > kMaxBrackets) return CpuQuantileMethod::Sort;
    return problem.n <= max_direct(width) ? CpuQuantileMethod::Direct : CpuQuantileMethod::Brackets;
}

bool can_solve(const Problem& problem, unsigned width, CpuQuantileMethod method) {
    switch (method) {
        case CpuQuantileMethod::Counts: return width <= 2;
        case CpuQuantileMethod::Direct: return width >= 2 && problem.n <= kMaxWantedDirect;
        case CpuQuantileMethod::Brackets:
            return width >= 4 && problem.n > max_direct(width) && problem.statistics <= kMaxBrackets;
        case CpuQuantileMethod::Sort: return width >= 4;
        case CpuQuantileMethod::Chosen: break;
    }
    return false;
}

}  // namespace

Method choose_method(const Problem& problem, CpuQuantileMethod wanted) {
    Method method;
    const unsigned width = static_cast<unsigned>(element_bytes(problem.type));
    method.kind = can_solve(problem, width, wanted) ? wanted : fastest_kind(problem, width);
    if (method.kind == CpuQuantileMethod::Counts && width == 2)
        method.workers =
            static_cast<unsigned>(std::clamp<std::uint64_t>(problem.n / kSlotWork, 1, kMaxWorkers));
    if (method.kind == CpuQuantileMethod::Brackets) {
        method.sample = sample_of(problem.n);
        method.capacity = capacity_of(problem.n, method.sample);
    }
    method.workers =
        static_cast<unsigned>(std::min<std::uint64_t>(method.workers, selection::tasks_of(problem.n)));
    method.bytes = Layout(nullptr, problem, method).bytes;
    return method;
}

std::uint64_t predict_ns(const Problem& problem, const Method& method) {
    const std::uint64_t n = problem.n;
    const std::uint64_t bytes = n * element_bytes(problem.type);
    switch (method.kind) {
        case CpuQuantileMethod::Counts:
            return (bytes == n ? 300 + n / 2 : 60000 + n) + 10 * problem.statistics;
        case CpuQuantileMethod::Direct: return 200 + n / 4 + problem.statistics * (200 + bytes);
        case CpuQuantileMethod::Brackets:
            return 20 * method.sample + bytes / 25 +
                   problem.statistics * (bytes / 20 + method.capacity + 20000);
        case CpuQuantileMethod::Sort: return 500 + bytes * 3;
        case CpuQuantileMethod::Chosen: break;
    }
    return 0;
}

void describe(const Method& method, std::uint64_t passes, RunPolicy* policy) {
    policy->add_word("method", std::string(kCpuQuantileMethods[static_cast<std::size_t>(method.kind)]));
    if (method.sample > 0) policy->add("sample", method.sample);
    policy->add("passes", passes);
}

bool select(const Segment& segment, const Problem& problem, const Method& method, std::byte* memory,
            const WorkerGroup& workers, const Ranks& ranks, Statistics& statistics) {
    return Run(segment, problem, method, memory, workers, ranks, statistics).run();
}

}  // namespace tegu::kernels::quantile
