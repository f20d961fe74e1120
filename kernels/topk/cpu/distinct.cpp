// SPDX-License-Identifier: Apache-2.0
// Method `distinct`: if a sample shows few repeated values, it works as the plain methods and keeps the first
// entry of each key. If values repeat, lists store the keys seen so far (kernels/topk/cpu/lists.h). A bound
// that held too few keys is followed by a pass without a bound.
#include "kernels/topk/cpu/lists.h"

namespace tegu::kernels::topk {
namespace {

// sample elements that decide whether values repeat so often that minima of blocks are useless
constexpr std::uint64_t kRepeatSample = 512;

template <class Entry>
class Distinct {
  public:
    explicit Distinct(Selector<Entry>& selector) : selector_(selector), method_(selector.method) {}

    bool run() {
        if (method_.blocks > 0 && !by_blocks()) return false;
        if (selector_.size >= selector_.problem.k) return true;
        const std::uint64_t* sample = few_keys_;
        if (sample == nullptr) sample = take_sample(selector_);
        if (sample == nullptr) return false;
        const std::uint64_t rank = rank_in_sample(sample, selector_.problem, method_);
        bound_ = std::min(bound_, rank < method_.sample ? sample[rank] : kAnyKey);
        bound_ = std::min(bound_, certain_bound(sample));
        fit_tables(different_keys(sample, method_.sample, selector_.problem.n));
        hot_count_ = hot_keys(sample, method_.sample, bound_, hot_);
        const std::uint64_t within = rank * (selector_.problem.n / method_.sample);
        if (rank < method_.sample && hot_count_ == 0 && within <= few_more()) {
            if (!select_distinct_within(selector_, bound_)) return false;
            if (selector_.size >= selector_.problem.k) return true;
        }
        return pass(bound_) && (bound_ == kAnyKey || selector_.size >= selector_.problem.k || pass(kAnyKey));
    }

  private:
    // Maximum elements within a bound for which sorting all of them costs less than a lookup per element.
    std::uint64_t few_more() const { return 2 * selector_.problem.k + 4096; }

    // The key within which the sample itself has k distinct keys.
    std::uint64_t certain_bound(const std::uint64_t* sample) const {
        std::uint64_t keys = 0;
        for (std::uint64_t i = 0; i < method_.sample; ++i) {
            keys += i == 0 || sample[i] != sample[i - 1];
            if (keys == selector_.problem.k) return sample[i];
        }
        return kAnyKey;
    }

    // Few keys need no large tables: most of the time to forget a table is that of its pages.
    void fit_tables(double keys) {
        constexpr unsigned kFewest = 14;
        unsigned bits = kFewest;
        while (bits < method_.seen_bits && static_cast<double>(std::uint64_t{1} << bits) < 4 * keys) ++bits;
        method_.seen_bits = std::min(bits, method_.seen_bits);
    }

    ListMemory<Entry> memory() const {
        const Layout& layout = selector_.layout;
        return ListMemory<Entry>{reinterpret_cast<Entry*>(layout.entries),
                                 reinterpret_cast<Entry*>(layout.spare),
                                 layout.seen,
                                 method_.entries,
                                 selector_.problem.k,
                                 method_.seen_bits};
    }

    // Unless a small sample finds repeated values. The sample grows with n, because a second read would cost
    // more. It is kept if most of its values repeat.
    bool by_blocks() {
        const std::uint64_t size =
            std::min(std::max(kRepeatSample, selector_.problem.n / 4096), method_.sample);
        const std::uint64_t* few = take_sample(selector_.segment, selector_.kernels, selector_.problem.flip,
                                               size, selector_.layout.sample, selector_.workers);
        if (few == nullptr) return false;
        std::uint64_t repeats = 0;
        for (std::uint64_t i = 1; i < size; ++i) repeats += few[i] == few[i - 1];
        if (repeats >= size / 2) {
            few_keys_ = few;
            method_.sample = size;
        }
        return repeats >= std::max<std::uint64_t>(1, size / kRepeatSample) ||
               select_distinct_blocks(selector_, bound_);
    }

    bool pass(std::uint64_t bound) {
        Lists<Entry> lists(selector_, memory(), hot_, hot_count_);
        return lists.pass(bound) == Lists<Entry>::End::Done;
    }

    Selector<Entry>& selector_;
    Method method_;
    const std::uint64_t* few_keys_ = nullptr;  // a sorted sample of method_.sample elements
    std::uint64_t bound_ = kAnyKey;
    std::uint64_t hot_[SeenKeys::kMaxHot];
    unsigned hot_count_ = 0;
};

}  // namespace

template <class Entry>
bool select_distinct(Selector<Entry>& selector) {
    return Distinct<Entry>(selector).run();
}

template bool select_distinct(Selector<Entry64>&);
template bool select_distinct(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
