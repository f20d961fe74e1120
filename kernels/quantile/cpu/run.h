// SPDX-License-Identifier: Apache-2.0
// One run of a selection of order statistics, with any method. A Source is the elements, or the keys that a
// bracket kept, which are selected from in the same way. If another process changes elements meanwhile, the
// result is wrong, but no access is out of bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/numerics/sort_key.h"
#include "kernels/quantile/cpu/scan.h"
#include "kernels/quantile/cpu/select.h"

namespace tegu::kernels::quantile {

using selection::Elements;
using selection::kDigitBits;
using selection::kTile;

// Maximum keys for which halving their range finds one faster than a bracket.
std::uint64_t max_direct(unsigned width);
// The sample size for a bracket among n elements, and the capacity for the keys inside one.
std::uint64_t sample_of(std::uint64_t n);
std::uint64_t capacity_of(std::uint64_t n, std::uint64_t sample);
// The capacity for the nested brackets of a bracket that kept n keys, at all depths.
std::uint64_t nested_bytes(std::uint64_t n, unsigned width);

const ScanKernels& quantile_kernels(ElementType type);

struct Source {
    Segment segment;
    ElementType type;
    std::uint64_t flip;
    const ScanKernels& scan;
    const selection::ScanKernels& select;

    Source(const Segment& the_segment, ElementType the_type)
        : segment(the_segment),
          type(the_type),
          flip(key::flip_of(false, is_signed_integer(the_type), the_segment.element_bytes)),
          scan(quantile_kernels(the_type)),
          select(selection::scan_kernels(the_type)) {}
    // Contiguous keys as a source.
    Source(const std::byte* keys, std::uint64_t n, unsigned width)
        : Source(dense_segment(keys, n, width), width == 8 ? ElementType::U64 : ElementType::U32) {}

    std::uint64_t worst_key() const { return ~std::uint64_t{0} >> (64 - 8 * segment.element_bytes); }
};

struct Bracket {
    std::uint64_t low;
    std::uint64_t high;
    std::byte* kept;         // keys inside, minus low + 1
    std::uint64_t capacity;  // for so many
    SplitTally tally;
    bool complete;  // all keys inside are kept
};

// The parts of the working memory. With null memory it only measures.
struct Layout {
    std::uint64_t* sample = nullptr;      // [2 x sample]
    std::uint64_t* histograms = nullptr;  // [workers x 2^kDigitBits]
    std::byte* dense = nullptr;           // [workers x kTile] elements
    std::byte* found = nullptr;           // [workers x (kTile + kSlack)] keys
    std::uint64_t* counts = nullptr;      // [workers x values]
    std::byte* keys = nullptr;            // [n]
    std::byte* spare = nullptr;           // [n]
    std::byte* kept = nullptr;  // brackets: [statistics x capacity], and the memory of nested brackets
    std::byte* kept_end = nullptr;
    std::uint64_t bytes = 0;

    Layout(std::byte* memory, const Problem& problem, const Method& method);
};

class Run {
  public:
    Run(const Segment& segment, const Problem& problem, const Method& method, std::byte* memory,
        const WorkerGroup& workers, const Ranks& ranks, Statistics& statistics)
        : source_(segment, problem.type),
          problem_(problem),
          method_(method),
          layout_(memory, problem, method),
          workers_(workers.limited(method.workers)),
          ranks_of_(ranks),
          statistics_(statistics),
          ranks_(statistics.ranks) {}

    bool run();

  private:
    unsigned width() const { return source_.segment.element_bytes; }

    // Calls body(elements, worker) for the tiles of a source.
    template <class Body>
    bool for_each_tile(const Source& source, Body body) const {
        const std::uint64_t n = source.segment.n;
        return workers_.run(selection::tasks_of(n), [&](std::uint64_t task, unsigned worker) {
            const std::uint64_t end = std::min(n, (task + 1) * selection::kTask);
            for (std::uint64_t begin = task * selection::kTask; begin < end; begin += kTile)
                body(view(source, begin, std::min(kTile, end - begin), worker), begin, worker);
        });
    }

    Elements view(const Source& source, std::uint64_t begin, std::uint64_t count, unsigned worker) const {
        const Segment& segment = source.segment;
        if (segment.contiguous())
            return Elements{segment.data + begin * segment.element_bytes, count, source.flip};
        std::byte* const dense = layout_.dense + worker * kTile * segment.element_bytes;
        gather(segment, begin, count, dense);
        return Elements{dense, count, source.flip};
    }

    // Finds the ranks among the valid elements. False: there is no statistic to find.
    bool find_ranks(std::uint64_t nans);
    std::uint64_t nan_key() const;
    bool by_counts();
    // Finds the values at all ranks, in increasing order, in one scan of the counts.
    void look_up(const std::uint64_t* counts, std::uint64_t values);
    bool copy_keys();
    bool by_nth();
    bool by_sort();
    template <class U>
    bool read_sorted();

    bool by_brackets();
    bool answer(std::byte* kept);
    Bracket bracket_of(const Source& source, std::uint64_t rank, std::uint64_t n, const std::uint64_t* sample,
                       std::uint64_t size, std::byte* kept, std::uint64_t capacity) const;
    // One pass for all brackets: a tile stays in the cache from one bracket to the next.
    bool split(const Source& source, Bracket* brackets, std::size_t count);
    // The pair at `rank` of `valid` elements from a bracket, or by digits if that missed. `kept` has capacity
    // for deeper brackets.
    bool resolve(const Source& source, const Bracket& bracket, std::uint64_t rank, std::uint64_t valid,
                 std::byte* kept, Pair& pair);
    // The pair at `rank` of contiguous keys. Their number was unknown when the memory was planned: a bracket
    // that needs more than the remaining memory is incomplete, and its statistic is found digit by digit.
    bool find(const Source& source, std::uint64_t rank, std::byte* kept, Pair& pair);
    bool find_by_digits(const Source& source, std::uint64_t rank, bool has_next, Pair& pair);
    bool key_by_digits(const Source& source, std::uint64_t rank, std::uint64_t& key,
                       std::uint64_t& equal_behind);
    // The sum over all workers ends in the histogram of worker 0.
    bool count_digits(const Source& source, std::uint64_t prefix, unsigned shift, unsigned bits);

    const Source source_;
    const Problem& problem_;
    const Method& method_;
    const Layout layout_;
    const WorkerGroup workers_;
    const Ranks& ranks_of_;
    Statistics& statistics_;
    std::vector<std::uint64_t>& ranks_;
    bool wanted_ = false;
    std::vector<std::size_t> order_;
    std::vector<Bracket> brackets_;
};

}  // namespace tegu::kernels::quantile
