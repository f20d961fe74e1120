// SPDX-License-Identifier: Apache-2.0
#include "kernels/topk/cpu/selector.h"

#include <cmath>

#include "kernels/selection/cpu/sort.h"

namespace tegu::kernels::topk {
namespace {

// sample elements from which their key is almost certainly frequent
constexpr std::uint64_t kFrequent = 8;

// An expected count in the sample plus a margin of 4 standard deviations, which the true count most likely
// does not exceed.
double with_reserve(double expected) {
    return expected + 4 * std::sqrt(expected) + 4;
}

// Calls visit(count) for each run of equal keys, in order, until it returns false.
template <class Visit>
void for_each_run(const std::uint64_t* sample, std::uint64_t size, Visit visit) {
    for (std::uint64_t begin = 0, end = 0; begin < size; begin = end) {
        while (end < size && sample[end] == sample[begin]) ++end;
        if (!visit(end - begin)) return;
    }
}

// The number of distinct keys of the segment per sample element whose key is not frequent, estimated from
// pairs of equal keys. Assumes that values repeat equally often; too low for others. At most n / size.
double keys_of_element(const std::uint64_t* sample, std::uint64_t size, std::uint64_t n) {
    double pairs = 0;
    double rare = 0;
    for_each_run(sample, size, [&](std::uint64_t run) {
        if (run >= kFrequent) return true;
        pairs += static_cast<double>(run * (run - 1) / 2);
        rare += static_cast<double>(run);
        return true;
    });
    const double max = static_cast<double>(n) / static_cast<double>(size);
    if (2 * pairs * max <= rare) return max;
    return rare / (2 * pairs) / (1.15 + 3 / std::sqrt(pairs));
}

// The number of distinct keys behind the best `elements` of a sample, `pairs` of them equal.
double keys_of_prefix(double elements, double pairs, double each, double max) {
    // a lower bound, for any distribution of the other keys
    const double sure = elements * elements / (2 * (pairs + 2 * std::sqrt(pairs) + 3));
    const bool as_elsewhere = pairs <= elements / each + 3;  // up to twice the expected number
    return std::min(elements * max, std::max(sure, as_elsewhere ? elements * each : 0));
}

// rank_in_sample() for distinct keys: a frequent key counts once, for any share of the elements.
std::uint64_t rank_of_distinct(const std::uint64_t* sample, std::uint64_t size, std::uint64_t n,
                               std::uint64_t k) {
    const double each = keys_of_element(sample, size, n);
    const double max = static_cast<double>(n) / static_cast<double>(size);
    double frequent = 0;  // keys
    double rare = 0;      // elements of other keys
    double pairs = 0;     // of them
    double enough = 0;    // of them, with the reserve; 0: not known yet
    std::uint64_t rank = 0;
    for_each_run(sample, size, [&](std::uint64_t run) {
        rank += run;
        if (run < kFrequent) {
            rare += static_cast<double>(run);
            pairs += static_cast<double>(run * (run - 1) / 2);
        } else {
            frequent += 1;
        }
        if (enough == 0 && frequent + keys_of_prefix(rare, pairs, each, max) >= static_cast<double>(k)) {
            if (rare == 0) return false;
            enough = with_reserve(rare);
        }
        return enough == 0 || rare < enough;
    });
    return rank;
}

unsigned shift_of(const Problem& problem, const Method& method) {
    return method.wide ? 64 : element_bytes(problem.type) <= 2 ? 48 : 32;
}

}  // namespace

Layout::Layout(std::byte* memory, const Problem& problem, const Method& method) {
    const auto take = [this, memory](std::uint64_t part) {
        std::byte* taken = memory == nullptr ? nullptr : memory + bytes;
        bytes += round_up(part);
        return taken;
    };
    const std::uint64_t entry = method.wide ? sizeof(Entry128) : sizeof(Entry64);
    const bool distinct = method.kind == CpuTopkMethod::Distinct;
    const std::uint64_t lists = distinct ? method.workers : 1;
    const bool threshold = method.kind == CpuTopkMethod::Threshold;
    const bool buckets = method.kind == CpuTopkMethod::Buckets;
    if (!entries_in_output(problem, method)) entries = take(lists * method.entries * entry);
    spare = take(buckets ? kBoundary * entry : lists * method.entries * entry);
    order = take(method.blocks * entry);
    minima = reinterpret_cast<std::uint64_t*>(take((method.blocks + method.lanes) * sizeof(std::uint64_t)));
    sample = reinterpret_cast<std::uint64_t*>(take(2 * method.sample * sizeof(std::uint64_t)));
    tallies = reinterpret_cast<TaskTally*>(
        take(threshold || distinct ? tasks_of(problem.n) * sizeof(TaskTally) : 0));
    histograms =
        reinterpret_cast<std::uint64_t*>(take(threshold ? method.workers * sizeof(std::uint64_t) << kDigitBits
                                              : buckets ? kParts * kMaxBuckets * sizeof(std::uint64_t)
                                                        : 0));
    cursors = take(buckets ? method.workers * kMaxBuckets * sizeof(void*) : 0);
    scratch = take(method.workers * 2 * method.bucket * entry);
    seen = take(distinct ? method.workers * table_bytes(method.seen_bits,
                                                        static_cast<unsigned>(element_bytes(problem.type)))
                         : 0);
    dense = take(method.workers * std::min(kTile, problem.n) * element_bytes(problem.type));
}

template <class Entry>
Selector<Entry>::Selector(const Segment& the_segment, const Problem& the_problem, const Method& the_method,
                          Workspace& workspace, const Target& the_target, const WorkerGroup& the_workers)
    : segment(the_segment),
      problem(the_problem),
      method(the_method),
      workers(the_workers),
      kernels(scan_kernels(the_problem.type)),
      shift(shift_of(the_problem, the_method)),
      layout(workspace.memory(), the_problem, the_method),
      target(the_target),
      entries(reinterpret_cast<Entry*>(layout.entries)),
      spare(reinterpret_cast<Entry*>(layout.spare)) {}

template <>
std::uint64_t Selector<Entry64>::collect(Elements elements, std::uint64_t first, std::uint64_t bound,
                                         Entry64* out) const {
    return kernels.collect64(elements, first, bound, shift, out);
}
template <>
std::uint64_t Selector<Entry128>::collect(Elements elements, std::uint64_t first, std::uint64_t bound,
                                          Entry128* out) const {
    return kernels.collect128(elements, first, bound, out);
}
template <>
std::uint64_t Selector<Entry64>::collect_new(Elements elements, std::uint64_t first, std::uint64_t bound,
                                             SeenKeys& seen, Entry64* out) const {
    return kernels.collect_new64(elements, first, bound, shift, seen, out);
}
template <>
std::uint64_t Selector<Entry128>::collect_new(Elements elements, std::uint64_t first, std::uint64_t bound,
                                              SeenKeys& seen, Entry128* out) const {
    return kernels.collect_new128(elements, first, bound, seen, out);
}

// Most runs of entries hold no key twice: they move as a whole.
template <class Entry>
std::uint64_t Selector<Entry>::first_of_each_key(Entry* data, std::uint64_t count) const {
    constexpr std::uint64_t kRun = 64;
    if (count == 0) return 0;
    std::uint64_t kept = 1;
    for (std::uint64_t begin = 1, end = 0; begin < count; begin = end) {
        end = std::min(count, begin + kRun);
        std::uint64_t equal = 0;
        for (std::uint64_t i = begin; i < end; ++i) equal += ((data[i] ^ data[i - 1]) >> shift) == 0;
        if (equal == 0) {
            if (kept < begin) std::copy(data + begin, data + end, data + kept);
            kept += end - begin;
            continue;
        }
        for (std::uint64_t i = begin; i < end; ++i) {
            Entry& last = data[kept - 1];
            if (((data[i] ^ last) >> shift) == 0) {
                last = std::min(last, data[i]);
            } else {
                data[kept++] = data[i];
            }
        }
    }
    return kept;
}

template struct Selector<Entry64>;
template struct Selector<Entry128>;

std::uint64_t rank_in_sample(const std::uint64_t* sample, const Problem& problem, const Method& method) {
    if (problem.distinct) return rank_of_distinct(sample, method.sample, problem.n, problem.k);
    const double part = static_cast<double>(problem.k) / static_cast<double>(problem.n);
    return static_cast<std::uint64_t>(with_reserve(part * static_cast<double>(method.sample)));
}

double different_keys(const std::uint64_t* sample, std::uint64_t size, std::uint64_t n) {
    double frequent = 0;
    double rare = 0;  // elements
    for_each_run(sample, size, [&](std::uint64_t run) {
        (run < kFrequent ? rare : frequent) += run < kFrequent ? static_cast<double>(run) : 1;
        return true;
    });
    return frequent + (rare == 0 ? 0 : rare * keys_of_element(sample, size, n));
}

namespace {

// The sum over all workers ends in the histogram of worker 0.
template <class Entry>
bool count_digits(const Selector<Entry>& selector, std::uint64_t prefix, unsigned shift, unsigned bits) {
    constexpr std::uint64_t kDigits = std::uint64_t{1} << kDigitBits;
    std::uint64_t* histograms = selector.layout.histograms;
    const unsigned workers = std::min(selector.workers.size(), selector.method.workers);
    std::fill(histograms, histograms + workers * kDigits, 0);
    const bool done =
        selector.workers.run(tasks_of(selector.problem.n), [&](std::uint64_t task, unsigned worker) {
            selector.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
                selector.kernels.histogram(selector.view(begin, count, worker), prefix, shift, bits,
                                           histograms + worker * kDigits);
            });
        });
    for (unsigned worker = 1; worker < workers; ++worker)
        for (std::uint64_t digit = 0; digit < kDigits; ++digit)
            histograms[digit] += histograms[worker * kDigits + digit];
    return done;
}

}  // namespace

template <class Entry>
bool find_exact_bound(const Selector<Entry>& selector, std::uint64_t& bound) {
    unsigned left = static_cast<unsigned>(8 * element_bytes(selector.problem.type));
    std::uint64_t wanted = selector.problem.k;  // its rank among the keys that begin with `bound`
    bound = 0;
    while (left > 0) {
        const unsigned bits = std::min(left, kDigitBits);
        left -= bits;
        if (!count_digits(selector, bound, left, bits)) return false;
        const std::uint64_t* counts = selector.layout.histograms;
        std::uint64_t digit = 0;
        while (digit + 1 < std::uint64_t{1} << bits && counts[digit] < wanted) wanted -= counts[digit++];
        bound |= digit << left;
    }
    return true;
}

template bool find_exact_bound(const Selector<Entry64>&, std::uint64_t&);
template bool find_exact_bound(const Selector<Entry128>&, std::uint64_t&);

}  // namespace tegu::kernels::topk
