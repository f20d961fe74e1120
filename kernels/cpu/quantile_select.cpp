// SPDX-License-Identifier: Apache-2.0
// What the methods share is a Source: the elements, or the ranks that a bracket kept, which are selected from in the same way.
// Counts and what was kept come from one read of each element, and a place is looked up in these counts alone: elements that
// another process changes meanwhile make a wrong result, no access out of bounds.
#include "kernels/cpu/quantile_select.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <numeric>

#include "kernels/cpu/topk_rank.h"
#include "kernels/cpu/topk_selector.h"
#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::quantile {
namespace {

using topk::Elements;
using topk::kTile;
using topk::round_up;
using topk::Sequence;
using topk::Team;

constexpr std::uint64_t kFew = 12;             // statistics from which sorting all costs less than a bracket for each
constexpr std::uint64_t kWords = 65536;        // values of two bytes
constexpr std::uint64_t kSlotWork = 1u << 20;  // elements that make a table of counts of one's own worth while
constexpr unsigned kDigitBits = topk::kDigitBits;

std::uint64_t most_direct(unsigned width) {
    return width == 8 ? 8192 : 16384;
}

// Twice the elements take 1.6 times the sample: then both cost about the same, looking at it and what a bracket keeps.
std::uint64_t sample_of(std::uint64_t n) {
    std::uint64_t sample = 1024;
    while (sample < 65536 && static_cast<double>(sample) * 4 < std::pow(static_cast<double>(n), 2.0 / 3)) sample *= 2;
    return sample;
}

// Places in the sorted sample between the expected one and the end of a bracket: 4 standard deviations.
double reach_of(std::uint64_t sample, double fraction) {
    return 4 * std::sqrt(static_cast<double>(sample) * fraction * (1 - fraction)) + 4;
}

// Half as much again as a bracket in the middle should hold.
std::uint64_t room_of(std::uint64_t n, std::uint64_t sample) {
    const double part = (2 * reach_of(sample, 0.5) + 4) / static_cast<double>(sample);
    return std::min(n, static_cast<std::uint64_t>(1.5 * part * static_cast<double>(n)) + 4096);
}

const ScanKernels& quantile_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(quantile_scan_kernels);
    return of(type);
}

struct Source {
    Sequence sequence;
    ElementType type;
    std::uint64_t flip;
    const ScanKernels& scan;
    const topk::ScanKernels& select;

    Source(const Sequence& the_sequence, ElementType the_type)
        : sequence(the_sequence),
          type(the_type),
          flip(rank::flip_of(false, is_signed_integer(the_type), the_sequence.bytes)),
          scan(quantile_kernels(the_type)),
          select(topk::scan_kernels(the_type)) {}
    // Ranks side by side are a source of their own.
    Source(const std::byte* ranks, std::uint64_t n, unsigned width)
        : Source(Sequence{ranks, 1, n, n, width}, width == 8 ? ElementType::U64 : ElementType::U32) {}

    std::uint64_t worst_rank() const { return ~std::uint64_t{0} >> (64 - 8 * sequence.bytes); }
};

struct Bracket {
    std::uint64_t low;
    std::uint64_t high;
    std::byte* kept;     // ranks inside, less low + 1
    std::uint64_t room;  // for so many
    SplitTally tally;
    bool complete;  // all that lie inside are kept
};

std::uint64_t lists_of(std::uint64_t n, unsigned width) {
    std::uint64_t bytes = 0;
    while (n > most_direct(width)) {
        n = room_of(n, sample_of(n));
        bytes += round_up(n * width);
    }
    return bytes;
}

// The parts of the working memory. With memory null it only measures.
struct Layout {
    std::uint64_t* sample = nullptr;      // [2 x sample]
    std::uint64_t* histograms = nullptr;  // [slots x 2^kDigitBits]
    std::byte* dense = nullptr;           // [slots x kTile] elements
    std::byte* found = nullptr;           // [slots x (kTile + kSlack)] ranks
    std::uint64_t* counts = nullptr;      // [slots x values]
    std::byte* ranks = nullptr;           // [n]
    std::byte* spare = nullptr;           // [n]
    std::byte* kept = nullptr;            // brackets: [statistics x room], and what their own brackets keep
    std::byte* kept_end = nullptr;
    std::uint64_t bytes = 0;

    Layout(std::byte* memory, const Question& question, const Method& method) {
        const auto take = [this, memory](std::uint64_t part) {
            std::byte* taken = memory == nullptr ? nullptr : memory + bytes;
            bytes += round_up(part);
            return taken;
        };
        const auto words = [&](std::uint64_t count) { return reinterpret_cast<std::uint64_t*>(take(count * 8)); };
        const unsigned width = static_cast<unsigned>(element_bytes(question.type));
        const std::uint64_t tile = std::min(kTile, question.n);
        const bool brackets = method.kind == MethodKind::Brackets;
        const bool all = method.kind == MethodKind::Direct || method.kind == MethodKind::Sort;
        dense = take(method.slots * tile * width);
        sample = words(2 * method.sample);
        histograms = words(brackets ? method.slots << kDigitBits : 0);
        counts = words(method.kind == MethodKind::Counts ? method.slots * (width == 1 ? 256 : kWords) : 0);
        found = take(brackets ? method.slots * (kTile + kSlack) * width : 0);
        ranks = take(all ? question.n * width : 0);
        spare = take(method.kind == MethodKind::Sort ? question.n * width : 0);
        kept = take(brackets ? question.statistics * round_up(method.room * width) + lists_of(method.room, width) : 0);
        if (memory != nullptr) kept_end = memory + bytes;
    }
};

class Selection {
  public:
    Selection(const Sequence& sequence, const Question& question, const Method& method, std::byte* memory,
              const Team& team, const Places& places, Statistics& statistics)
        : source_(sequence, question.type),
          question_(question),
          method_(method),
          layout_(memory, question, method),
          team_(team.limited(method.slots)),
          places_of_(places),
          statistics_(statistics),
          places_(statistics.places) {}

    bool run() {
        statistics_.nans = 0;
        statistics_.passes = 1;
        switch (method_.kind) {
            case MethodKind::Counts: return by_counts();
            case MethodKind::Direct: return copy_ranks() && by_nth();
            case MethodKind::Brackets: return by_brackets();
            case MethodKind::Sort: return copy_ranks() && by_sort();
        }
        return false;
    }

  private:
    unsigned width() const { return source_.sequence.bytes; }

    // Asks for the places of what is valid. False: there is no statistic to find.
    bool ask(std::uint64_t nans) {
        statistics_.nans = nans;
        if ((nans > 0 && !question_.skip_nans) || nans >= question_.n) return false;
        places_of_.of(question_.n - nans, places_);
        statistics_.pairs.resize(places_.size());
        return true;
    }

    // Calls body(elements, slot) for the tiles of a source.
    template <class Body>
    bool for_each_tile(const Source& source, Body body) const {
        const std::uint64_t n = source.sequence.size();
        return team_.run(topk::tasks_of(n), [&](std::uint64_t task, unsigned slot) {
            const std::uint64_t end = std::min(n, (task + 1) * topk::kTask);
            for (std::uint64_t begin = task * topk::kTask; begin < end; begin += kTile)
                body(view(source, begin, std::min(kTile, end - begin), slot), begin, slot);
        });
    }

    Elements view(const Source& source, std::uint64_t begin, std::uint64_t count, unsigned slot) const {
        const Sequence& sequence = source.sequence;
        if (sequence.dense()) return Elements{sequence.data + begin * sequence.bytes, count, source.flip};
        std::byte* const dense = layout_.dense + slot * kTile * sequence.bytes;
        copy_elements(sequence, begin, count, dense);
        return Elements{dense, count, source.flip};
    }

    bool by_counts() {
        const std::uint64_t values = width() == 1 ? 256 : kWords;
        std::fill(layout_.counts, layout_.counts + team_.slots() * values, 0);
        const bool done = for_each_tile(source_, [&](Elements elements, std::uint64_t, unsigned slot) {
            source_.scan.count(elements, layout_.counts + slot * values);
        });
        if (!done) return false;
        for (unsigned slot = 1; slot < team_.slots(); ++slot)
            for (std::uint64_t value = 0; value < values; ++value)
                layout_.counts[value] += layout_.counts[slot * values + value];
        // The largest rank is that of NaN.
        if (ask(is_float(source_.type) ? layout_.counts[nan_rank()] : 0)) look_up(layout_.counts, values);
        return true;
    }

    std::uint64_t nan_rank() const {
        return width() == 2   ? rank::encode<std::uint16_t, true>(rank::kNan<std::uint16_t>, 0)
               : width() == 4 ? rank::encode<std::uint32_t, true>(rank::kNan<std::uint32_t>, 0)
                              : rank::encode<std::uint64_t, true>(rank::kNan<std::uint64_t>, 0);
    }

    // Answers all places, in increasing order, in one walk over the counts.
    void look_up(const std::uint64_t* counts, std::uint64_t values) {
        order_.resize(places_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(),
                  [this](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
        const std::uint64_t last = question_.n - statistics_.nans - 1;
        std::uint64_t value = 0;
        std::uint64_t within = counts[0];  // elements up to `value`
        for (const std::size_t i : order_) {
            while (within <= places_[i] && value + 1 < values) within += counts[++value];
            std::uint64_t next = value;
            if (places_[i] < last && places_[i] + 1 >= within)
                for (++next; next + 1 < values && counts[next] == 0;) ++next;
            statistics_.pairs[i] = Pair{value, std::min(next, values - 1)};
        }
    }

    bool copy_ranks() {
        std::atomic<std::uint64_t> nans{0};
        const bool done = for_each_tile(source_, [&](Elements elements, std::uint64_t begin, unsigned) {
            nans.fetch_add(source_.scan.ranks(elements, layout_.ranks + begin * width()), std::memory_order_relaxed);
        });
        if (done) wanted_ = ask(nans.load());
        return done;
    }

    bool by_nth() {
        for (std::size_t i = 0; wanted_ && i < places_.size(); ++i)
            statistics_.pairs[i] = source_.scan.nth(layout_.ranks, question_.n, places_[i]);
        return true;
    }

    bool by_sort() {
        if (!wanted_) return true;
        return width() == 8 ? read_sorted<std::uint64_t>() : read_sorted<std::uint32_t>();
    }

    template <class U>
    bool read_sorted() {
        const U* sorted = topk::sort_by_rank(reinterpret_cast<U*>(layout_.ranks), reinterpret_cast<U*>(layout_.spare),
                                             question_.n, 0, team_);
        for (std::size_t i = 0; sorted != nullptr && i < places_.size(); ++i)
            statistics_.pairs[i] = Pair{sorted[places_[i]], sorted[std::min(places_[i] + 1, question_.n - 1)]};
        return sorted != nullptr;
    }

    bool by_brackets() {
        const std::uint64_t* sample =
            take_sample(source_.sequence, source_.select, source_.flip, method_.sample, layout_.sample, team_);
        if (sample == nullptr) return false;
        std::uint64_t valid = method_.sample;
        if (is_float(source_.type))
            valid = static_cast<std::uint64_t>(std::lower_bound(sample, sample + valid, nan_rank()) - sample);
        // How many elements are valid is a guess here; the places of as many as that are not far from those in the end.
        const double part = static_cast<double>(valid) / static_cast<double>(method_.sample);
        const auto guess = static_cast<std::uint64_t>(part * static_cast<double>(question_.n));
        const bool any = guess > 0 && (valid == method_.sample || question_.skip_nans) &&
                         ask(question_.n - std::min(guess, question_.n));
        if (!any && !question_.skip_nans) {
            statistics_.passes = 0;
            statistics_.nans = method_.sample - valid;
            return true;
        }
        brackets_.clear();
        std::byte* kept = layout_.kept;
        const std::size_t count = any ? places_.size() : 1;
        for (std::size_t i = 0; i < count; ++i, kept += round_up(method_.room * width()))
            brackets_.push_back(
                any ? bracket_of(source_, places_[i], std::min(guess, question_.n), sample, valid, kept, method_.room)
                    : Bracket{0, source_.worst_rank(), kept, method_.room, {}, true});
        return split(source_, brackets_.data(), brackets_.size()) && answer(kept);
    }

    bool answer(std::byte* kept) {
        if (!ask(brackets_[0].tally.nans)) return true;
        const std::uint64_t valid = question_.n - statistics_.nans;
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (!resolve(source_, brackets_[std::min(i, brackets_.size() - 1)], places_[i], valid, kept,
                         statistics_.pairs[i]))
                return false;
        return true;
    }

    Bracket bracket_of(const Source& source, std::uint64_t place, std::uint64_t n, const std::uint64_t* sample,
                       std::uint64_t size, std::byte* kept, std::uint64_t room) const {
        const double fraction = static_cast<double>(place) / static_cast<double>(n);
        const double reach = reach_of(size, std::min(fraction, 1.0));
        const double low = fraction * static_cast<double>(size) - reach;
        const double high = fraction * static_cast<double>(size) + reach + 1;
        return Bracket{
            low < 0 ? 0 : sample[static_cast<std::uint64_t>(low)],
            high >= static_cast<double>(size) ? source.worst_rank() : sample[static_cast<std::uint64_t>(high)],
            kept,
            room,
            {},
            true};
    }

    // One pass for all brackets: a tile is in the cache when the second one reads it.
    bool split(const Source& source, Bracket* brackets, std::size_t count) {
        std::vector<SplitTally> tallies(count * team_.slots());
        std::vector<std::atomic<std::uint64_t>> used(count);
        for (auto& one : used) one.store(0);
        const bool done = for_each_tile(source, [&](Elements elements, std::uint64_t, unsigned slot) {
            std::byte* found = layout_.found + slot * (kTile + kSlack) * width();
            for (std::size_t b = 0; b < count; ++b) {
                const std::uint64_t size =
                    source.scan.split(elements, brackets[b].low, brackets[b].high, tallies[slot * count + b], found);
                const std::uint64_t place = used[b].fetch_add(size, std::memory_order_relaxed);
                if (place + size <= brackets[b].room)
                    std::copy(found, found + size * width(), brackets[b].kept + place * width());
            }
        });
        for (std::size_t b = 0; b < count; ++b) {
            for (unsigned slot = 0; slot < team_.slots(); ++slot) add(brackets[b].tally, tallies[slot * count + b]);
            brackets[b].complete = used[b].load() <= brackets[b].room;
        }
        return done;
    }

    static void add(SplitTally& sum, const SplitTally& part) {
        sum.less += part.less;
        sum.equal_low += part.equal_low;
        sum.inside += part.inside;
        sum.equal_high += part.equal_high;
        sum.nans += part.nans;
    }

    // The pair at `place` of `valid` elements from a bracket, or by digits if that missed. `kept` has room for deeper brackets.
    bool resolve(const Source& source, const Bracket& bracket, std::uint64_t place, std::uint64_t valid,
                 std::byte* kept, Pair& pair) {
        const std::uint64_t first = bracket.tally.less;
        const std::uint64_t inside = first + bracket.tally.equal_low;
        const std::uint64_t last = inside + bracket.tally.inside;
        const std::uint64_t end = last + bracket.tally.equal_high;
        const bool has_next = place + 1 < valid;
        if (place < first || place + (has_next ? 1 : 0) >= end || !bracket.complete)
            return find_by_digits(source, place, has_next, pair);
        pair = Pair{bracket.low, bracket.low};
        if (place >= last) pair = Pair{bracket.high, bracket.high};
        const bool low_then_more = place + 1 == inside && has_next;
        if (low_then_more && inside == last) pair.next = bracket.high;
        if ((place < inside && !low_then_more) || place >= last || inside == last) return true;
        Pair within;
        if (!find(Source(bracket.kept, last - inside, width()), place < inside ? 0 : place - inside, kept, within))
            return false;
        const std::uint64_t base = bracket.low + 1;
        if (place < inside) {
            pair.next = base + within.value;
        } else {
            pair = Pair{base + within.value, place + 1 < last ? base + within.next
                                             : has_next       ? bracket.high
                                                              : base + within.value};
        }
        return true;
    }

    // The pair at `place` of ranks side by side. How many there are was not known when the memory was planned: a bracket that needs more
    // than is left of it is not complete, and goes by digits.
    bool find(const Source& source, std::uint64_t place, std::byte* kept, Pair& pair) {
        const std::uint64_t n = source.sequence.size();
        if (n <= most_direct(width())) {
            pair = source.scan.nth(source.sequence.data, n, place);
            return true;
        }
        const std::uint64_t size = sample_of(n);
        const std::uint64_t* sample = take_sample(source.sequence, source.select, 0, size, layout_.sample, team_);
        if (sample == nullptr) return false;
        const auto left = static_cast<std::uint64_t>(layout_.kept_end - kept) & ~std::uint64_t{63};
        const std::uint64_t room = std::min(room_of(n, size), left / width());
        assert(kept + round_up(room * width()) <= layout_.kept_end);
        Bracket bracket = bracket_of(source, place, n, sample, size, kept, room);
        return split(source, &bracket, 1) && resolve(source, bracket, place, n, kept + round_up(room * width()), pair);
    }

    bool find_by_digits(const Source& source, std::uint64_t place, bool has_next, Pair& pair) {
        std::uint64_t equal_behind = 0;
        if (!rank_by_digits(source, place, pair.value, equal_behind)) return false;
        pair.next = pair.value;
        return !has_next || equal_behind > 0 || rank_by_digits(source, place + 1, pair.next, equal_behind);
    }

    bool rank_by_digits(const Source& source, std::uint64_t place, std::uint64_t& rank, std::uint64_t& equal_behind) {
        unsigned left = 8 * width();
        rank = 0;
        while (left > 0) {
            const unsigned bits = std::min(left, kDigitBits);
            left -= bits;
            if (!count_digits(source, rank, left, bits)) return false;
            const std::uint64_t* counts = layout_.histograms;
            std::uint64_t digit = 0;
            while (digit + 1 < std::uint64_t{1} << bits && counts[digit] <= place) place -= counts[digit++];
            rank |= digit << left;
            equal_behind = counts[digit] > place ? counts[digit] - place - 1 : 0;
            if (source.sequence.data == source_.sequence.data) ++statistics_.passes;
        }
        return true;
    }

    // The sum over all slots ends in the histogram of slot 0.
    bool count_digits(const Source& source, std::uint64_t prefix, unsigned shift, unsigned bits) {
        constexpr std::uint64_t kDigits = std::uint64_t{1} << kDigitBits;
        std::fill(layout_.histograms, layout_.histograms + team_.slots() * kDigits, 0);
        const bool done = for_each_tile(source, [&](Elements elements, std::uint64_t, unsigned slot) {
            source.select.histogram(elements, prefix, shift, bits, layout_.histograms + slot * kDigits);
        });
        for (unsigned slot = 1; slot < team_.slots(); ++slot)
            for (std::uint64_t digit = 0; digit < kDigits; ++digit)
                layout_.histograms[digit] += layout_.histograms[slot * kDigits + digit];
        return done;
    }

    const Source source_;
    const Question& question_;
    const Method& method_;
    const Layout layout_;
    const Team team_;
    const Places& places_of_;
    Statistics& statistics_;
    std::vector<std::uint64_t>& places_;
    bool wanted_ = false;
    std::vector<std::size_t> order_;
    std::vector<Bracket> brackets_;
};

}  // namespace

Method choose_method(const Question& question) {
    Method method;
    const unsigned width = static_cast<unsigned>(element_bytes(question.type));
    const bool few_words = width == 2 && question.n <= 32768 && question.n * question.statistics <= 8 * kWords;
    if (width == 1 || (width == 2 && !few_words)) {
        method.kind = MethodKind::Counts;
        if (width == 2)
            method.slots = static_cast<unsigned>(std::clamp<std::uint64_t>(question.n / kSlotWork, 1, topk::kMaxSlots));
    } else if (width == 2 || (question.n <= most_direct(width) && question.statistics <= kFew)) {
        method.kind = MethodKind::Direct;
    } else if (question.n > most_direct(width) && question.statistics <= kFew) {
        method.kind = MethodKind::Brackets;
        method.sample = sample_of(question.n);
        method.room = room_of(question.n, method.sample);
    } else {
        method.kind = MethodKind::Sort;
    }
    method.slots = static_cast<unsigned>(std::min<std::uint64_t>(method.slots, topk::tasks_of(question.n)));
    method.bytes = Layout(nullptr, question, method).bytes;
    return method;
}

std::uint64_t predict_ns(const Question& question, const Method& method) {
    const std::uint64_t n = question.n;
    const std::uint64_t bytes = n * element_bytes(question.type);
    switch (method.kind) {
        case MethodKind::Counts: return (bytes == n ? 300 + n / 2 : 60000 + n) + 10 * question.statistics;
        case MethodKind::Direct: return 200 + n / 4 + question.statistics * (200 + bytes);
        case MethodKind::Brackets:
            return 20 * method.sample + bytes / 25 + question.statistics * (bytes / 20 + method.room + 20000);
        case MethodKind::Sort: return 500 + bytes * 3;
    }
    return 0;
}

std::string describe(const Method& method, std::uint64_t passes) {
    const std::string end = " passes=" + std::to_string(passes);
    switch (method.kind) {
        case MethodKind::Counts: return "counts" + end;
        case MethodKind::Direct: return "direct" + end;
        case MethodKind::Brackets: return "brackets sample=" + std::to_string(method.sample) + end;
        case MethodKind::Sort: break;
    }
    return "sort" + end;
}

bool select(const Sequence& sequence, const Question& question, const Method& method, std::byte* memory,
            const Team& team, const Places& places, Statistics& statistics) {
    return Selection(sequence, question, method, memory, team, places, statistics).run();
}

}  // namespace tegu::kernels::quantile
