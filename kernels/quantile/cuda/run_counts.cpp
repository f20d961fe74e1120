// SPDX-License-Identifier: Apache-2.0
// The way for several statistics, or many segments, of any length: count digit by digit, from the highest.
// After each pass the host finds the bins of the statistics. The next pass counts the next digit in these.
#include <algorithm>

#include "kernels/quantile/cuda/run.h"
#include "kernels/quantile/cuda/tree.h"

namespace tegu::cuda {
namespace {

using kernels::quantile::Pair;

constexpr std::uint64_t kCountBytes = std::uint64_t{64} << 20;  // of the counts of a batch
constexpr std::uint64_t kMaxBatch = 32768;
constexpr std::uint64_t kMaxBins = std::uint64_t{1} << kQuantileDigitBits;

class CountSearch {
  public:
    explicit CountSearch(QuantileRun* run) : run_(*run) {}

    Result<void> run() {
        const std::uint64_t count = run_.in.count, max_nodes = 2 * run_.params.q.size();
        const std::uint64_t batch = std::clamp<std::uint64_t>(
            kCountBytes / (max_nodes * kMaxBins * sizeof(std::uint64_t)), 1, std::min(count, kMaxBatch));
        ArrayTaker arrays(run_.context);
        counts_ = arrays.take<std::uint64_t>(batch * max_nodes * kMaxBins);
        nans_ = arrays.take<std::uint64_t>(batch);
        Result<void> done = arrays.done();
        for (std::uint64_t first = 0; first < count && done; first += batch)
            done = find(part_of(run_.in, first, std::min(batch, count - first)), first);
        return done;
    }

  private:
    // The statistics of a batch, and the next level of their trees.
    struct Batch {
        std::vector<std::uint64_t> nans;  // [segments]
        std::vector<QuantileTree> trees;  // [segments]
        std::vector<std::uint64_t> counts;
        QuantileLevels levels{};
        unsigned nodes = 1;  // maximum of a segment, at the next level
        unsigned left;       // bits of the keys below the levels so far
    };

    // The digit is narrower if that makes the counts of all nodes fit shared memory.
    unsigned digit_bits(const Batch& batch) const {
        const unsigned shared = quantile_shared_bins(run_.config.policy, run_.config.limits);
        unsigned bits = kQuantileDigitBits;
        while (bits > 8 && (batch.nodes << bits) > shared) --bits;
        return std::min(batch.nodes << bits > shared ? kQuantileDigitBits : bits, batch.left);
    }

    Result<void> find(const KeySegments& part, std::uint64_t first) {
        Batch batch;
        batch.nans.resize(static_cast<std::size_t>(part.count));
        batch.left = 8 * part.width;
        for (unsigned depth = 0; batch.left > 0 && batch.nodes > 0; ++depth) {
            if (run_.stop.stop_requested()) return run_.stop.error();
            Result<void> done = count_level(part, depth, &batch);
            if (done) done = descend(depth, &batch);
            if (!done) return done;
            run_.passes = std::max(run_.passes, depth + 1);
        }
        return finish(batch, first);
    }

    Result<void> count_level(const KeySegments& part, unsigned depth, Batch* batch) {
        QuantileLevels& levels = batch->levels;
        levels.depth = depth;
        levels.bits[depth] = digit_bits(*batch);
        levels.nodes[depth] = batch->nodes;
        batch->left -= levels.bits[depth];
        levels.shift[depth] = batch->left;
        batch->counts.resize(static_cast<std::size_t>(part.count * batch->nodes) << levels.bits[depth]);
        Result<void> done = run_.pace.check(
            launch_quantile_counts({part, levels, counts_, nans_}, run_.pieces(), run_.config),
            "quantile's counts");
        if (done && depth == 0) done = read(nans_, &batch->nans);
        return done ? read(counts_, &batch->counts) : done;
    }

    Result<void> read(const std::uint64_t* from, std::vector<std::uint64_t>* to) {
        return run_.context.workspace->read(to->data(), from, to->size() * sizeof(std::uint64_t));
    }

    // Finds the bins of the statistics, and writes the nodes of the next level to the device.
    Result<void> descend(unsigned depth, Batch* batch) {
        if (depth == 0)
            for (const std::uint64_t nans : batch->nans) batch->trees.emplace_back(wanted_ranks(nans));
        const std::size_t bins = batch->counts.size() / batch->nans.size();  // of a segment
        std::vector<std::uint16_t> children(batch->counts.size(), kNoNode);
        batch->nodes = 0;
        for (std::size_t row = 0; row < batch->trees.size(); ++row) {
            if (!run_.has_statistics(batch->nans[row])) continue;
            batch->trees[row].descend(batch->counts.data() + row * bins, batch->levels.bits[depth],
                                      children.data() + row * bins);
            batch->nodes = std::max(batch->nodes, batch->trees[row].nodes());
        }
        if (batch->left == 0 || batch->nodes == 0) return {};
        // The table is kept from batch to batch. A larger one replaces it if needed.
        Table& table = tables_[depth];
        if (table.entries < children.size()) {
            ArrayTaker arrays(run_.context);
            table = Table{arrays.take<std::uint16_t>(children.size()), children.size()};
            if (!arrays.done()) return arrays.done();
        }
        batch->levels.children[depth] = table.children;
        return run_.context.workspace->write(table.children, children.data(),
                                             children.size() * sizeof(std::uint16_t));
    }

    std::vector<std::uint64_t> wanted_ranks(std::uint64_t nans) const {
        std::vector<std::uint64_t> ranks;
        if (!run_.has_statistics(nans)) return ranks;
        for (const double q : run_.params.q) {
            ranks.push_back(run_.rank_of(q, nans));
            ranks.push_back(run_.next_rank(ranks.back()));
        }
        std::sort(ranks.begin(), ranks.end());
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        return ranks;
    }

    Result<void> finish(const Batch& batch, std::uint64_t first) {
        std::vector<std::byte> results(batch.nans.size() * run_.result_bytes);
        std::vector<Pair> pairs(run_.params.q.size());
        for (std::size_t row = 0; row < batch.nans.size(); ++row) {
            const std::uint64_t nans = batch.nans[row];
            for (std::size_t i = 0; i < pairs.size() && run_.has_statistics(nans); ++i) {
                const std::uint64_t rank = run_.rank_of(run_.params.q[i], nans);
                const QuantileTree& tree = batch.trees[row];
                pairs[i] = Pair{tree.key_at(rank), tree.key_at(run_.next_rank(rank))};
            }
            run_.finish(nans, pairs.data(), results.data() + row * run_.result_bytes);
        }
        return run_.write(results, first);
    }

    struct Table {
        std::uint16_t* children = nullptr;
        std::size_t entries = 0;
    };

    QuantileRun& run_;
    std::uint64_t* counts_ = nullptr;  // of a batch: [segments, nodes, bins]
    std::uint64_t* nans_ = nullptr;    // [segments]
    Table tables_[kMaxQuantileLevels];
};

}  // namespace

Result<void> find_by_counts(QuantileRun* run) {
    run->method = "counts";
    return CountSearch(run).run();
}

}  // namespace tegu::cuda
