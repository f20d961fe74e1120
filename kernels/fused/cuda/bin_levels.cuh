// SPDX-License-Identifier: Apache-2.0
// Elements to the counters of bin_levels.h in device code.
#pragma once

#include "kernels/counting/cuda/columns.cuh"
#include "kernels/counting/cuda/levels.cuh"
#include "kernels/fused/cuda/bin_levels.h"
#include "kernels/histogram/cuda/bins.cuh"

namespace tegu {
namespace cuda {

// The type whose bins an element has: signed integers are read as unsigned ones.
template <class T, bool IsInteger>
struct BinnedAs {
    using type = typename UnsignedOf<sizeof(T)>::type;
};
template <class T>
struct BinnedAs<T, false> {
    using type = T;
};

// The counter of elements below all bins.
TEGU_DEVICE std::uint32_t outside_slot(std::uint32_t bins) {
    return 2 * bins;
}

// On which side of the bins an element lies: one of three words, or `inside`. Floats:
template <class T, bool IsInteger>
class BinSides {
  public:
    TEGU_DEVICE explicit BinSides(const BinRule& rule)
        : lower_(lower_of(rule, Number())), upper_(upper_of(rule, Number())) {}
    TEGU_DEVICE std::uint32_t choose(T x, std::uint32_t inside, const std::uint32_t (&outside)[3]) const {
        const Number value = widen(x);
        const bool to_upper = value <= upper_;
        const std::uint32_t from_lower = to_upper ? inside : outside[1];
        return value >= lower_ ? from_lower : to_upper ? outside[0] : outside[2];
    }
    // Whether all numbers between two are in bins.
    template <class A>
    TEGU_DEVICE bool are_inside(A low, A high) const {
        return low >= lower_ && high <= upper_;
    }
    TEGU_DEVICE bool is_inside(T x) const { return are_inside(widen(x), widen(x)); }

  private:
    using Number = decltype(widen(T()));
    TEGU_DEVICE static float lower_of(const BinRule& rule, float) { return rule.lower; }
    TEGU_DEVICE static float upper_of(const BinRule& rule, float) { return rule.upper; }
    TEGU_DEVICE static double lower_of(const BinRule& rule, double) { return rule.lo; }
    TEGU_DEVICE static double upper_of(const BinRule& rule, double) { return rule.hi; }

    Number lower_, upper_;
};
template <class T>
class BinSides<T, true> {
  public:
    TEGU_DEVICE explicit BinSides(const BinRule& rule)
        : first_(static_cast<Count>(rule.first)), span_(static_cast<Count>(rule.span)) {}
    TEGU_DEVICE std::uint32_t choose(T x, std::uint32_t inside, const std::uint32_t (&outside)[3]) const {
        const Count counted = Leveled<T>::counted(x);
        const std::uint32_t beyond = counted < first_ ? outside[0] : outside[1];
        return is_inside(x) ? inside : beyond;
    }
    TEGU_DEVICE bool is_inside(T x) const {
        return static_cast<Count>(Leveled<T>::counted(x) - first_) <= span_;
    }

  private:
    using Count = typename Leveled<T>::Count;
    Count first_, span_;
};

// The counters of a block in shared memory: those of elements whose level is not the bin, then columns of all
// others, then two rows more as in columns.cuh.
struct BinLevelMemory {
    static constexpr unsigned kExtra = 2;
    std::uint32_t* rare;
    std::uint32_t bins;
    unsigned columns;
    TEGU_DEVICE std::uint32_t rare_slots() const { return outside_slot(bins); }
    TEGU_DEVICE std::uint32_t usual_slots() const { return kOutsideSlots + bins; }
    TEGU_DEVICE std::uint32_t* usual() const { return rare + rare_slots(); }
    // All threads of the block call it. The memory is whole packs.
    TEGU_DEVICE void clear() const {
        using Zeros = Pack<std::uint32_t, 4>;
        const std::uint32_t words = rare_slots() + columns * (usual_slots() + kExtra);
        for (std::uint32_t i = thread_index(); i < (words + 3) / 4; i += block_threads())
            reinterpret_cast<Zeros*>(rare)[i] = Zeros{{0, 0, 0, 0}};
    }
};

// The same as the Counters of team_hand_over().
struct BinLevelCounters {
    BinLevelMemory memory;
    std::uint32_t slots;
    TEGU_DEVICE explicit BinLevelCounters(const BinLevelMemory& held)
        : memory(held), slots(held.rare_slots() + held.usual_slots()) {}
    TEGU_DEVICE std::uint64_t of(std::uint32_t slot) const {
        if (slot < memory.rare_slots()) return memory.rare[slot];
        return TeamCounters{memory.usual(), memory.usual_slots(), 1, memory.columns, BinLevelMemory::kExtra}
            .of(slot - memory.rare_slots());
    }
};

// Counts elements as GuessedBins of bins.cuh does, but those outside of all bins, too. The bits of these are
// replaced by such of a place where the guess is sure. The rule lies in constant memory.
template <class T>
class BinLevelCounter {
  public:
    TEGU_DEVICE BinLevelCounter(const BinLevelRule& rule, const BinLevelMemory& memory)
        : rule_(rule),
          sides_(rule.bins),
          compare_(rule.bins),
          row_bytes_(memory.columns * 4),
          column_((lane_index() & (memory.columns - 1)) * 4),
          first_(column_ + (kOutsideSlots - rule.bins.guess.base) * row_bytes_),
          memory_(memory) {
        TEGU_UNROLL
        for (unsigned side = 0; side < kOutsideSlots; ++side)
            outside_[side] = (2 * (rule.bins.guess.base - kOutsideSlots + side) + 1)
                             << (rule.bins.guess.shift - 1);
    }

    // Floats: whether all numbers between two are in bins.
    template <class A>
    TEGU_DEVICE bool are_inside(A low, A high) const {
        return sides_.are_inside(low, high);
    }
    template <unsigned Count>
    TEGU_DEVICE bool all_inside(const T (&x)[Count]) const {
        bool inside = true;
        TEGU_UNROLL
        for (unsigned i = 0; i < Count; ++i) inside = inside & sides_.is_inside(x[i]);
        return inside;
    }
    // Every guess is sure.
    TEGU_DEVICE bool is_exact() const { return rule_.bins.guess.limit == 0; }
    // Counts elements as they are guessed. Returns a bit for each `Run` of them that has a guess that is not
    // sure: mend() these. `inside`: all elements are in bins; `exact`: is_exact().
    template <unsigned Run, unsigned Count>
    TEGU_DEVICE std::uint32_t add(const T (&x)[Count], bool inside, bool exact) const {
        if (!inside)
            return add_runs<Run>(x, [&](T value, bool* sure) {
                const std::uint32_t bits = sides_.choose(value, guess(value), outside_);
                return exact ? row(bits) : place(bits, sure);
            });
        if (exact) return add_runs<Run>(x, [&](T value, bool*) { return row(guess(value)); });
        return add_runs<Run>(x, [&](T value, bool* sure) { return place(guess(value), sure); });
    }
    // Corrects the count of an element whose guess is not sure.
    TEGU_DEVICE void mend(T x) const {
        bool sure = true;
        const std::uint32_t at = place(sides_.choose(x, guess(x), outside_), &sure);
        if (sure) return;
        atomic_add(counter(at), ~std::uint32_t{0});
        add_one(x);
    }
    // Counts an element by its exact bin and level.
    TEGU_DEVICE void add_one(T x) const {
        const std::uint32_t key = slot_of(x), rare = memory_.rare_slots();
        atomic_add(key < rare ? memory_.rare + key : counter((key - rare) * row_bytes_ + column_), 1u);
    }

  private:
    using Binned = typename BinnedAs<T, !Leveled<T>::kFloat>::type;

    TEGU_DEVICE std::uint32_t slot_of(T x) const {
        const std::uint32_t bins = rule_.bins.bins;
        const std::uint32_t bin = BinMapper<Binned>(rule_.bins, nullptr).key(bit_cast<Binned>(x));
        bool nan = false;
        const std::uint32_t level = rule_.levels.levels != 0 ? level_of(x, rule_.levels, &nan) : bin;
        if (bin >= bins) return outside_slot(bins) + (nan ? 2 : level == 0 ? 0 : 1);
        return bin + (level > bin ? 0 : level < bin ? bins : outside_slot(bins) + kOutsideSlots);
    }
    TEGU_DEVICE std::uint32_t guess(T x) const {
        const float above = compare_.above(compare_.of(bit_cast<Binned>(x)));
        return bit_cast<std::uint32_t>(multiply_add_truncated(above, rule_.bins.inv, rule_.bins.guess.magic));
    }
    TEGU_DEVICE std::uint32_t row(std::uint32_t bits) const {
        return (bits >> rule_.bins.guess.shift) * row_bytes_ + first_;
    }
    TEGU_DEVICE std::uint32_t place(std::uint32_t bits, bool* sure) const {
        // the lower bits, moved to the top of a word
        const std::uint32_t near = rule_.bins.guess.near * rule_.up,
                            limit = rule_.bins.guess.limit * rule_.up;
        *sure = *sure & (bits * rule_.up + near >= limit);
        return row(bits);
    }
    TEGU_DEVICE std::uint32_t* counter(std::uint32_t at) const {
        return reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(memory_.usual()) + at);
    }
    template <unsigned Run, unsigned Count, class Offset>
    TEGU_DEVICE std::uint32_t add_runs(const T (&x)[Count], Offset offset) const {
        std::uint32_t left = 0;
        TEGU_UNROLL
        for (unsigned r = 0; r < Count / Run; ++r) {
            bool sure = true;
            TEGU_UNROLL
            for (unsigned i = 0; i < Run; ++i) atomic_add(counter(offset(x[r * Run + i], &sure)), 1u);
            left |= sure ? 0u : 1u << r;
        }
        return left;
    }

    const BinLevelRule& rule_;
    BinSides<T, !Leveled<T>::kFloat> sides_;
    BinValue<Binned> compare_;
    std::uint32_t row_bytes_, column_, first_;
    std::uint32_t outside_[kOutsideSlots];
    BinLevelMemory memory_;
};

// The Finish: adds the totals to the bins and the levels.
struct BinLevelFinish {
    BinLevelRule rule;
    BinLevelTarget target;
    TEGU_DEVICE void begin(std::uint64_t, unsigned thread, unsigned threads) const {
        const std::uint32_t bins = rule.bins.bins;
        BinMapper<float>(rule.bins, nullptr).write_edges(target.edges, 0, thread, threads);
        for (std::uint32_t i = thread; i <= bins; i += threads) {
            if (target.counts != nullptr && i < bins) target.counts[i] = 0;
            if (target.levels != nullptr) target.levels[i] = 0;
        }
    }
    TEGU_DEVICE void put(std::uint64_t, std::uint64_t, std::uint64_t slot, std::uint64_t total) const {
        if (total == 0) return;
        const std::uint32_t bins = rule.bins.bins;
        const auto at = static_cast<std::uint32_t>(slot);
        const std::uint32_t outside = at - outside_slot(bins);  // a large number for lower slots
        std::uint32_t level = outside == 0 ? 0 : outside == 1 ? bins - 1 : bins;
        if (outside >= kOutsideSlots) {
            const std::uint32_t bin = at < outside_slot(bins) ? at % bins : outside - kOutsideSlots;
            if (target.counts != nullptr) atomic_add(target.counts + bin, total);
            level = at < bins ? bin + 1 : at < outside_slot(bins) ? bin - 1 : bin;
        }
        if (target.levels != nullptr) atomic_add(target.levels + level, total);
    }
};

}  // namespace cuda
}  // namespace tegu
