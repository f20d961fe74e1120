// SPDX-License-Identifier: Apache-2.0
// The ways for short segments: a warp or a block finds all statistics of a segment, in one launch.
#include <algorithm>

#include "kernels/quantile/cuda/run.h"

namespace tegu::cuda {
namespace {

using kernels::quantile::Pair;

constexpr std::uint64_t kPairBytes = std::uint64_t{16} << 20;  // of the statistics of a batch
// elements that a multiprocessor sorts in one launch
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 22;

class BlockSearch {
  public:
    explicit BlockSearch(QuantileRun* run)
        : run_(*run),
          quantiles_(run->params.q.size()),
          batch_(
              std::clamp<std::uint64_t>(std::min(kPairBytes / (quantiles_ * sizeof(Pair)),
                                                 kBlockWork * run->config.limits.multiprocessors / run->in.n),
                                        1, run->in.count)) {}

    Result<void> run() {
        Result<void> done = prepare();
        for (std::uint64_t first = 0; first < run_.in.count && done; first += batch_) {
            if (run_.stop.stop_requested()) return run_.stop.error();
            done = find(part_of(run_.in, first, std::min(batch_, run_.in.count - first)), first);
        }
        return done;
    }

  private:
    Result<void> prepare() {
        ArrayTaker arrays(run_.context);
        found_ = arrays.take<std::uint64_t>(batch_ * (2 * quantiles_ + 1));
        auto* const ranks = arrays.take<std::uint64_t>(quantiles_);
        if (!arrays.done()) return arrays.done();
        ranks_ = ranks;
        std::vector<std::uint64_t> host;
        for (const double q : run_.params.q) host.push_back(run_.rank_of(q, 0));
        return run_.context.workspace->write(ranks, host.data(), host.size() * sizeof(std::uint64_t));
    }

    // Ranks first assume that there is no NaN. Segments with NaN are handled again, with their own ranks.
    Result<void> find(const KeySegments& part, std::uint64_t first) {
        const std::uint64_t nans_at = part.count * 2 * quantiles_;
        BlockQuantiles of{ranks_, false, quantiles_, found_, found_ + nans_at};
        std::vector<std::uint64_t> found(static_cast<std::size_t>(nans_at + part.count));
        Result<void> done = find_pairs(part, of, &found);
        const std::uint64_t* const nans = found.data() + nans_at;
        if (done && run_.params.skip_nans && run_.in.is_float &&
            std::any_of(nans, nans + part.count, [](std::uint64_t count) { return count != 0; })) {
            done = write_own_ranks(nans, part.count);
            of.ranks = own_ranks_;
            of.own_ranks = true;
            if (done) done = find_pairs(part, of, &found);
        }
        if (!done) return done;
        std::vector<std::byte> results(static_cast<std::size_t>(part.count) * run_.result_bytes);
        std::vector<Pair> pairs(quantiles_);
        for (std::uint64_t row = 0; row < part.count; ++row) {
            const std::uint64_t* const own = found.data() + row * 2 * quantiles_;
            for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = Pair{own[2 * i], own[2 * i + 1]};
            run_.finish(nans[row], pairs.data(), results.data() + row * run_.result_bytes);
        }
        return run_.write(results, first);
    }

    Result<void> write_own_ranks(const std::uint64_t* nans, std::uint64_t count) {
        if (own_ranks_ == nullptr) {
            ArrayTaker arrays(run_.context);
            own_ranks_ = arrays.take<std::uint64_t>(batch_ * quantiles_);
            if (!arrays.done()) return arrays.done();
        }
        std::vector<std::uint64_t> ranks;
        for (std::uint64_t row = 0; row < count; ++row)
            for (const double q : run_.params.q)
                ranks.push_back(run_.has_statistics(nans[row]) ? run_.rank_of(q, nans[row]) : 0);
        return run_.context.workspace->write(own_ranks_, ranks.data(), ranks.size() * sizeof(std::uint64_t));
    }

    // Launches, and reads pairs and numbers of NaN together.
    Result<void> find_pairs(const KeySegments& part, const BlockQuantiles& of,
                            std::vector<std::uint64_t>* found) {
        const QuantilePolicy& policy = run_.config.policy;
        LaunchStatus status = 0;
        if (part.width <= 4 &&
            part.n <= std::min<std::uint64_t>(policy.warp_elements, kWarpQuantileElements)) {
            run_.method = "warps";
            status = launch_quantile_rows(part, of, run_.config);
        } else if (narrows(run_)) {
            run_.method = "windows";
            status = launch_quantile_windows(part, of, run_.config);
        } else {
            run_.method = "blocks";
            status = launch_quantile_blocks(part, of, run_.config);
        }
        Result<void> done = check_cuda(status, "quantile of rows");
        return done ? run_.context.workspace->read(found->data(), of.pairs,
                                                   found->size() * sizeof(std::uint64_t))
                    : done;
    }

    QuantileRun& run_;
    const std::size_t quantiles_;
    const std::uint64_t batch_;       // segments
    std::uint64_t* found_ = nullptr;  // of a batch: pairs of keys, then the numbers of NaN
    const std::uint64_t* ranks_ = nullptr;
    std::uint64_t* own_ranks_ = nullptr;  // of each segment; null: none has NaN so far
};

}  // namespace

// Narrowing pays if the blocks fill the device, or if the segments are not too long.
bool narrows(const QuantileRun& run) {
    const QuantilePolicy& policy = run.config.policy;
    const bool fills = run.in.count * 2 >= run.config.limits.multiprocessors && run.in.n <= kBlockWork;
    return run.params.q.size() <= policy.windows && run.in.n > policy.window_elements &&
           (fills || run.in.n <= 32768);
}

Result<void> find_by_blocks(QuantileRun* run) {
    return BlockSearch(run).run();
}

}  // namespace tegu::cuda
