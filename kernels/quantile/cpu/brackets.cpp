// SPDX-License-Identifier: Apache-2.0
// Method `brackets`: a sample gives brackets; one pass counts what is below them and keeps what is inside.
// The kept keys are selected from recursively. If a bracket misses, the statistic is found digit by digit.
#include <atomic>
#include <cassert>
#include <cmath>

#include "kernels/quantile/cpu/run.h"

namespace tegu::kernels::quantile {

using selection::round_up;

std::uint64_t max_direct(unsigned width) {
    return width == 8 ? 8192 : 16384;
}

// For twice the elements the sample grows by 1.6: reading the sample and the kept keys then cost about the
// same.
std::uint64_t sample_of(std::uint64_t n) {
    std::uint64_t sample = 1024;
    while (sample < 65536 && static_cast<double>(sample) * 4 < std::pow(static_cast<double>(n), 2.0 / 3))
        sample *= 2;
    return sample;
}

namespace {

// The distance in ranks of the sorted sample from the expected rank to the end of a bracket: 4 standard
// deviations.
double reach_of(std::uint64_t sample, double fraction) {
    return 4 * std::sqrt(static_cast<double>(sample) * fraction * (1 - fraction)) + 4;
}

void add(SplitTally& sum, const SplitTally& part) {
    sum.less += part.less;
    sum.equal_low += part.equal_low;
    sum.inside += part.inside;
    sum.equal_high += part.equal_high;
    sum.nans += part.nans;
}

}  // namespace

// 1.5 times the expected number of keys in a bracket at the median.
std::uint64_t capacity_of(std::uint64_t n, std::uint64_t sample) {
    const double part = (2 * reach_of(sample, 0.5) + 4) / static_cast<double>(sample);
    return std::min(n, static_cast<std::uint64_t>(1.5 * part * static_cast<double>(n)) + 4096);
}

std::uint64_t nested_bytes(std::uint64_t n, unsigned width) {
    std::uint64_t bytes = 0;
    while (n > max_direct(width)) {
        n = capacity_of(n, sample_of(n));
        bytes += round_up(n * width);
    }
    return bytes;
}

bool Run::by_brackets() {
    const std::uint64_t* sample =
        take_sample(source_.segment, source_.select, source_.flip, method_.sample, layout_.sample, workers_);
    if (sample == nullptr) return false;
    std::uint64_t valid = method_.sample;
    if (is_float(source_.type))
        valid = static_cast<std::uint64_t>(std::lower_bound(sample, sample + valid, nan_key()) - sample);
    // The number of valid elements is an estimate here; ranks computed from it are close to the final ones.
    const double part = static_cast<double>(valid) / static_cast<double>(method_.sample);
    const auto guess = static_cast<std::uint64_t>(part * static_cast<double>(problem_.n));
    const bool any = guess > 0 && (valid == method_.sample || problem_.skip_nans) &&
                     find_ranks(problem_.n - std::min(guess, problem_.n));
    if (!any && !problem_.skip_nans) {
        statistics_.passes = 0;
        statistics_.nans = method_.sample - valid;
        return true;
    }
    brackets_.clear();
    std::byte* kept = layout_.kept;
    const std::size_t count = any ? ranks_.size() : 1;
    for (std::size_t i = 0; i < count; ++i, kept += round_up(method_.capacity * width()))
        brackets_.push_back(any ? bracket_of(source_, ranks_[i], std::min(guess, problem_.n), sample, valid,
                                             kept, method_.capacity)
                                : Bracket{0, source_.worst_key(), kept, method_.capacity, {}, true});
    return split(source_, brackets_.data(), brackets_.size()) && answer(kept);
}

bool Run::answer(std::byte* kept) {
    if (!find_ranks(brackets_[0].tally.nans)) return true;
    const std::uint64_t valid = problem_.n - statistics_.nans;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (!resolve(source_, brackets_[std::min(i, brackets_.size() - 1)], ranks_[i], valid, kept,
                     statistics_.pairs[i]))
            return false;
    return true;
}

Bracket Run::bracket_of(const Source& source, std::uint64_t rank, std::uint64_t n,
                        const std::uint64_t* sample, std::uint64_t size, std::byte* kept,
                        std::uint64_t capacity) const {
    const double fraction = static_cast<double>(rank) / static_cast<double>(n);
    const double reach = reach_of(size, std::min(fraction, 1.0));
    const double low = fraction * static_cast<double>(size) - reach;
    const double high = fraction * static_cast<double>(size) + reach + 1;
    return Bracket{
        low < 0 ? 0 : sample[static_cast<std::uint64_t>(low)],
        high >= static_cast<double>(size) ? source.worst_key() : sample[static_cast<std::uint64_t>(high)],
        kept,
        capacity,
        {},
        true};
}

bool Run::split(const Source& source, Bracket* brackets, std::size_t count) {
    std::vector<SplitTally> tallies(count * workers_.size());
    std::vector<std::atomic<std::uint64_t>> used(count);
    for (auto& one : used) one.store(0);
    const bool done = for_each_tile(source, [&](Elements elements, std::uint64_t, unsigned worker) {
        std::byte* found = layout_.found + worker * (kTile + kSlack) * width();
        for (std::size_t b = 0; b < count; ++b) {
            const std::uint64_t size = source.scan.split(elements, brackets[b].low, brackets[b].high,
                                                         tallies[worker * count + b], found);
            const std::uint64_t begin = used[b].fetch_add(size, std::memory_order_relaxed);
            if (begin + size <= brackets[b].capacity)
                std::copy(found, found + size * width(), brackets[b].kept + begin * width());
        }
    });
    for (std::size_t b = 0; b < count; ++b) {
        for (unsigned worker = 0; worker < workers_.size(); ++worker)
            add(brackets[b].tally, tallies[worker * count + b]);
        brackets[b].complete = used[b].load() <= brackets[b].capacity;
    }
    return done;
}

bool Run::resolve(const Source& source, const Bracket& bracket, std::uint64_t rank, std::uint64_t valid,
                  std::byte* kept, Pair& pair) {
    const std::uint64_t first = bracket.tally.less;
    const std::uint64_t inside = first + bracket.tally.equal_low;
    const std::uint64_t last = inside + bracket.tally.inside;
    const std::uint64_t end = last + bracket.tally.equal_high;
    const bool has_next = rank + 1 < valid;
    if (rank < first || rank + (has_next ? 1 : 0) >= end || !bracket.complete)
        return find_by_digits(source, rank, has_next, pair);
    pair = Pair{bracket.low, bracket.low};
    if (rank >= last) pair = Pair{bracket.high, bracket.high};
    const bool low_then_more = rank + 1 == inside && has_next;
    if (low_then_more && inside == last) pair.next = bracket.high;
    if ((rank < inside && !low_then_more) || rank >= last || inside == last) return true;
    Pair within;
    if (!find(Source(bracket.kept, last - inside, width()), rank < inside ? 0 : rank - inside, kept, within))
        return false;
    const std::uint64_t base = bracket.low + 1;
    if (rank < inside) {
        pair.next = base + within.value;
    } else {
        pair = Pair{base + within.value, rank + 1 < last ? base + within.next
                                         : has_next      ? bracket.high
                                                         : base + within.value};
    }
    return true;
}

bool Run::find(const Source& source, std::uint64_t rank, std::byte* kept, Pair& pair) {
    const std::uint64_t n = source.segment.n;
    if (n <= max_direct(width())) {
        pair = source.scan.nth(source.segment.data, n, rank);
        return true;
    }
    const std::uint64_t size = sample_of(n);
    const std::uint64_t* sample =
        take_sample(source.segment, source.select, 0, size, layout_.sample, workers_);
    if (sample == nullptr) return false;
    const auto left = static_cast<std::uint64_t>(layout_.kept_end - kept) & ~std::uint64_t{63};
    const std::uint64_t capacity = std::min(capacity_of(n, size), left / width());
    assert(kept + round_up(capacity * width()) <= layout_.kept_end);
    Bracket bracket = bracket_of(source, rank, n, sample, size, kept, capacity);
    return split(source, &bracket, 1) &&
           resolve(source, bracket, rank, n, kept + round_up(capacity * width()), pair);
}

bool Run::find_by_digits(const Source& source, std::uint64_t rank, bool has_next, Pair& pair) {
    std::uint64_t equal_behind = 0;
    if (!key_by_digits(source, rank, pair.value, equal_behind)) return false;
    pair.next = pair.value;
    return !has_next || equal_behind > 0 || key_by_digits(source, rank + 1, pair.next, equal_behind);
}

bool Run::key_by_digits(const Source& source, std::uint64_t rank, std::uint64_t& key,
                        std::uint64_t& equal_behind) {
    unsigned left = 8 * width();
    key = 0;
    while (left > 0) {
        const unsigned bits = std::min(left, kDigitBits);
        left -= bits;
        if (!count_digits(source, key, left, bits)) return false;
        const std::uint64_t* counts = layout_.histograms;
        std::uint64_t digit = 0;
        while (digit + 1 < std::uint64_t{1} << bits && counts[digit] <= rank) rank -= counts[digit++];
        key |= digit << left;
        equal_behind = counts[digit] > rank ? counts[digit] - rank - 1 : 0;
        if (source.segment.data == source_.segment.data) ++statistics_.passes;
    }
    return true;
}

bool Run::count_digits(const Source& source, std::uint64_t prefix, unsigned shift, unsigned bits) {
    constexpr std::uint64_t kDigits = std::uint64_t{1} << kDigitBits;
    std::fill(layout_.histograms, layout_.histograms + workers_.size() * kDigits, 0);
    const bool done = for_each_tile(source, [&](Elements elements, std::uint64_t, unsigned worker) {
        source.select.histogram(elements, prefix, shift, bits, layout_.histograms + worker * kDigits);
    });
    for (unsigned worker = 1; worker < workers_.size(); ++worker)
        for (std::uint64_t digit = 0; digit < kDigits; ++digit)
            layout_.histograms[digit] += layout_.histograms[worker * kDigits + digit];
    return done;
}

}  // namespace tegu::kernels::quantile
