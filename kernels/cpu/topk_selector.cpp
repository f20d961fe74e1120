// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/topk_selector.h"

#include <chrono>
#include <cmath>
#include <cstring>

#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::topk {
namespace {

// A permutation of the 64-bit integers whose output looks random (the finaliser of SplitMix64).
std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Differs from process to process, so that nobody can make input against the places of the sample. Results do not depend on it.
std::uint64_t secret() {
    static const int somewhere = 0;  // at an address that the system chose
    static const std::uint64_t drawn =
        scramble(scramble(reinterpret_cast<std::uintptr_t>(&somewhere)) ^
                 static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
    return drawn;
}

// How often a value repeats, and how sure that is, from the pairs of equal ranks in the sample.
struct Repeats {
    double each;   // elements with the value of an element picked at random, itself included; at least 1
    double slack;  // factor >= 1 for the uncertainty
};

Repeats repeats_in(const std::uint64_t* sample, std::uint64_t size, std::uint64_t n) {
    double pairs = 0;
    std::uint64_t run = 0;  // equal ranks before i
    for (std::uint64_t i = 1; i < size; ++i) {
        run = sample[i] == sample[i - 1] ? run + 1 : 0;
        pairs += static_cast<double>(run);
    }
    const double each = 2 * pairs * static_cast<double>(n) / static_cast<double>(size) / static_cast<double>(size);
    return each <= 1 ? Repeats{1, 1} : Repeats{each, 1 + 3 / std::sqrt(pairs)};
}

unsigned shift_of(const Question& question, const Method& method) {
    return method.wide ? 64 : element_bytes(question.type) <= 2 ? 48 : 32;
}

}  // namespace

const ScanKernels& scan_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(topk_scan_kernels);
    return of(type);
}

void copy_elements(const Sequence& sequence, std::uint64_t begin, std::uint64_t count, std::byte* to) {
    std::uint64_t row = begin / sequence.cols;
    std::uint64_t col = begin % sequence.cols;
    while (count > 0) {
        const std::uint64_t piece = std::min(count, sequence.cols - col);
        std::memcpy(to, sequence.data + (row * sequence.stride + col) * sequence.bytes, piece * sequence.bytes);
        to += piece * sequence.bytes;
        count -= piece;
        ++row;
        col = 0;
    }
}

std::uint64_t seen_bytes(const Question& question, const Method& method) {
    return method.kind == MethodKind::Distinct ? (std::uint64_t{2} << method.seen_bits) * element_bytes(question.type)
                                               : 0;
}

Layout::Layout(std::byte* memory, const Question& question, const Method& method) {
    const auto take = [this, memory](std::uint64_t part) {
        std::byte* taken = memory == nullptr ? nullptr : memory + bytes;
        bytes += round_up(part);
        return taken;
    };
    const std::uint64_t entry = method.wide ? sizeof(Entry128) : sizeof(Entry64);
    const std::uint64_t lists = method.kind == MethodKind::Distinct ? method.slots : 1;
    const bool threshold = method.kind == MethodKind::Threshold;
    const bool buckets = method.kind == MethodKind::Buckets;
    // Narrow entries of buckets wait in the output, and only the bucket that is cut has some that do not get there.
    const bool in_output = buckets && !method.wide && !question.distinct;
    if (!in_output) entries = take(lists * method.entries * entry);
    spare = take(buckets ? kBoundary * entry : lists * method.entries * entry);
    order = take(method.blocks * entry);
    minima = reinterpret_cast<std::uint64_t*>(take((method.blocks + method.lanes) * sizeof(std::uint64_t)));
    sample = reinterpret_cast<std::uint64_t*>(take(2 * method.sample * sizeof(std::uint64_t)));
    tallies = reinterpret_cast<TaskTally*>(take(threshold ? tasks_of(question.n) * sizeof(TaskTally) : 0));
    histograms = reinterpret_cast<std::uint64_t*>(take(threshold ? method.slots * sizeof(std::uint64_t) << kDigitBits
                                                       : buckets ? kParts * kMaxBuckets * sizeof(std::uint64_t)
                                                                 : 0));
    places = take(buckets ? method.slots * kMaxBuckets * sizeof(void*) : 0);
    scratch = take(method.slots * 2 * method.bucket * entry);
    seen = take(method.slots * seen_bytes(question, method));
    dense = take(method.slots * std::min(kTile, question.n) * element_bytes(question.type));
}

template <class Entry>
Selector<Entry>::Selector(const Sequence& the_sequence, const Question& the_question, const Method& the_method,
                          Workspace& workspace, const Target& the_target, const Team& the_team)
    : sequence(the_sequence),
      question(the_question),
      method(the_method),
      team(the_team),
      kernels(scan_kernels(the_question.type)),
      shift(shift_of(the_question, the_method)),
      layout(workspace.memory(), the_question, the_method),
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
                                             SeenRanks& seen, Entry64* out) const {
    return kernels.collect_new64(elements, first, bound, shift, seen, out);
}
template <>
std::uint64_t Selector<Entry128>::collect_new(Elements elements, std::uint64_t first, std::uint64_t bound,
                                              SeenRanks& seen, Entry128* out) const {
    return kernels.collect_new128(elements, first, bound, seen, out);
}

template <class Entry>
std::uint64_t Selector<Entry>::first_of_each_rank(Entry* data, std::uint64_t count) const {
    return static_cast<std::uint64_t>(
        std::unique(data, data + count, [this](Entry a, Entry b) { return rank_of(a) == rank_of(b); }) - data);
}

template struct Selector<Entry64>;
template struct Selector<Entry128>;

std::uint64_t place_in_sample(const std::uint64_t* sample, const Question& question, const Method& method) {
    double wanted = static_cast<double>(question.k);
    if (question.distinct) {
        const Repeats repeats = repeats_in(sample, method.sample, question.n);
        wanted *= repeats.each * repeats.slack;
    }
    const double expected =
        std::min(wanted / static_cast<double>(question.n), 1.0) * static_cast<double>(method.sample);
    return static_cast<std::uint64_t>(expected + 4 * std::sqrt(expected) + 4);
}

const std::uint64_t* take_sample(const Sequence& sequence, const ScanKernels& kernels, std::uint64_t flip,
                                 std::uint64_t count, std::uint64_t* ranks, const Team& team) {
    constexpr std::uint64_t kBatch = 256;
    const std::uint64_t n = sequence.size();
    const std::uint64_t width = n / count;
    const std::uint64_t seed = secret();
    const bool done = team.run((count + kBatch - 1) / kBatch, [&](std::uint64_t batch, unsigned) {
        std::uint64_t positions[kBatch];
        const std::uint64_t begin = batch * kBatch;
        const std::uint64_t size = std::min(kBatch, count - begin);
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint64_t index = (begin + i) * width + scramble(seed + begin + i) % width;
            positions[i] = sequence.dense() ? index : index / sequence.cols * sequence.stride + index % sequence.cols;
        }
        kernels.gather(Elements{sequence.data, n, flip}, positions, size, ranks + begin);
    });
    return done ? sort_by_rank<Entry64>(ranks, ranks + count, count, 0, team) : nullptr;
}

namespace {

// The sum over all slots ends in the histogram of slot 0.
template <class Entry>
bool count_digits(const Selector<Entry>& selector, std::uint64_t prefix, unsigned shift, unsigned bits) {
    constexpr std::uint64_t kDigits = std::uint64_t{1} << kDigitBits;
    std::uint64_t* histograms = selector.layout.histograms;
    const unsigned slots = std::min(selector.team.slots(), selector.method.slots);
    std::fill(histograms, histograms + slots * kDigits, 0);
    const bool done = selector.team.run(tasks_of(selector.question.n), [&](std::uint64_t task, unsigned slot) {
        selector.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
            selector.kernels.histogram(selector.view(begin, count, slot), prefix, shift, bits,
                                       histograms + slot * kDigits);
        });
    });
    for (unsigned slot = 1; slot < slots; ++slot)
        for (std::uint64_t digit = 0; digit < kDigits; ++digit) histograms[digit] += histograms[slot * kDigits + digit];
    return done;
}

}  // namespace

template <class Entry>
bool find_exact_bound(const Selector<Entry>& selector, std::uint64_t& bound) {
    unsigned left = static_cast<unsigned>(8 * element_bytes(selector.question.type));
    std::uint64_t wanted = selector.question.k;  // its place among the ranks that begin with `bound`
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
