// SPDX-License-Identifier: Apache-2.0
// The host's part is the same arithmetic as on the CPU (kernels/quantile/finish.h), on keys that the device
// found. Segments are handled in batches; one read fetches the counts or pairs of a batch.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/execution/cuda/pace.h"
#include "kernels/numerics/sort_key.h"
#include "kernels/operation_cuda.h"
#include "kernels/quantile/cuda/quantile.h"
#include "kernels/quantile/cuda/tree.h"
#include "kernels/quantile/finish.h"
#include "kernels/registry.h"
#include "kernels/selection/cuda/cut.h"
#include "kernels/selection/cuda/run.h"

namespace tegu::cuda {
namespace {

using kernels::quantile::Pair;

constexpr std::uint64_t kPairBytes = std::uint64_t{16} << 20;   // of the statistics of a batch
constexpr std::uint64_t kCountBytes = std::uint64_t{64} << 20;  // of the counts of a batch
constexpr std::uint64_t kMaxBatch = 32768;
// elements that a multiprocessor sorts in one launch
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 22;

class QuantileRun {
  public:
    QuantileRun(const Job& job, const QuantileParams& params, const kernels::InputView& input, std::byte* out,
                const Context& context, const kernels::StopToken& stop)
        : params_(params),
          type_(job.type),
          in_(segments_of(job, input,
                          kernels::key::flip_of(false, is_signed_integer(job.type),
                                                static_cast<unsigned>(element_bytes(job.type))))),
          out_(out),
          result_bytes_(params.q.size() *
                        element_bytes(kernels::quantile::result_type(job.type, params.method))),
          context_(context),
          policy_(context.policies.quantile),
          stop_(stop),
          pace_(context, stop) {}

    Result<void> run() {
        const unsigned capacity = quantile_capacity(in_.width, policy_, context_.limits);
        if (in_.n <= capacity || by_window()) return by_blocks();
        if (in_.count == 1 && params_.q.size() == 1 && in_.n >= policy_.bracket_elements) return by_bracket();
        return by_counts();
    }
    void describe(kernels::RunPolicy* policy) const {
        policy->add_word("method", method_);
        if (counted_) policy->add("passes", passes_);
    }

  private:
    bool by_warp() const {
        return in_.width <= 4 &&
               in_.n <= std::min<std::uint64_t>(policy_.warp_elements, kWarpQuantileElements);
    }
    // Returns whether blocks narrow long segments. That pays if they fill the device, or if the segments are
    // not too long.
    bool by_window() const {
        const bool fills = in_.count * 2 >= context_.limits.multiprocessors && in_.n <= kBlockWork;
        return params_.q.size() <= policy_.windows && in_.n > policy_.window_elements &&
               (fills || in_.n <= 32768);
    }

    template <class T>
    Result<T*> take(std::uint64_t count) {
        Result<void*> taken = context_.workspace->take(static_cast<std::size_t>(count * sizeof(T)));
        if (!taken) return std::move(taken).error();
        return static_cast<T*>(*taken);
    }
    Result<void> write_results(const std::vector<std::byte>& results, std::uint64_t first) {
        Result<void> written =
            context_.workspace->write(out_ + first * result_bytes_, results.data(), results.size());
        return written ? context_.workspace->synchronize() : written;
    }
    std::uint64_t valid_of(std::uint64_t nans) const { return in_.n - std::min(nans, in_.n); }
    bool has_statistics(std::uint64_t nans) const { return nans < in_.n && (nans == 0 || params_.skip_nans); }
    std::uint64_t place_of(double q, std::uint64_t nans) const {
        return kernels::quantile::position_of(q, valid_of(nans), params_.method).rank;
    }

    // --- short segments

    // One warp or block for each segment. Indices first assume that there is no NaN. Segments with NaN are
    // handled again, with their own indices.
    Result<void> by_blocks() {
        const std::uint64_t quantiles = params_.q.size();
        const bool own_places = params_.skip_nans && in_.is_float;
        const std::uint64_t batch =
            std::clamp<std::uint64_t>(std::min(kPairBytes / (quantiles * sizeof(Pair)),
                                               kBlockWork * context_.limits.multiprocessors / in_.n),
                                      1, in_.count);
        // Pairs of keys, then the numbers of NaN: one read fetches both.
        Result<std::uint64_t*> found = take<std::uint64_t>(batch * (2 * quantiles + 1));
        if (!found) return std::move(found).error();
        Result<std::uint64_t*> places = take<std::uint64_t>(quantiles);
        if (!places) return std::move(places).error();
        std::vector<std::uint64_t> host_places;
        for (const double q : params_.q) host_places.push_back(place_of(q, 0));
        Result<void> done = context_.workspace->write(*places, host_places.data(),
                                                      host_places.size() * sizeof(std::uint64_t));
        std::uint64_t* each = nullptr;
        for (std::uint64_t first = 0; first < in_.count && done; first += batch) {
            if (stop_.stop_requested()) return stop_.error();
            const KeySegments part = part_of(in_, first, std::min(batch, in_.count - first));
            BlockQuantiles of{*places, false, quantiles, *found, *found + part.count * 2 * quantiles};
            std::vector<std::uint64_t> pairs(static_cast<std::size_t>(part.count * (2 * quantiles + 1)));
            done = pairs_of(part, of, &pairs);
            const auto nans = pairs.begin() + static_cast<std::ptrdiff_t>(part.count * 2 * quantiles);
            if (done && own_places &&
                std::any_of(nans, pairs.end(), [](std::uint64_t of_one) { return of_one != 0; })) {
                if (each == nullptr) {
                    Result<std::uint64_t*> taken = take<std::uint64_t>(batch * quantiles);
                    if (!taken) return std::move(taken).error();
                    each = *taken;
                }
                std::vector<std::uint64_t> all;
                for (auto of_one = nans; of_one != pairs.end(); ++of_one)
                    for (const double q : params_.q)
                        all.push_back(has_statistics(*of_one) ? place_of(q, *of_one) : 0);
                of.places = each;
                of.own_places = true;
                done = context_.workspace->write(each, all.data(), all.size() * sizeof(std::uint64_t));
                if (done) done = pairs_of(part, of, &pairs);
            }
            if (done) done = finish_pairs(part, first, pairs);
        }
        return done;
    }

    Result<void> pairs_of(const KeySegments& part, const BlockQuantiles& quantiles,
                          std::vector<std::uint64_t>* pairs) {
        LaunchStatus status = 0;
        if (by_warp()) {
            method_ = "warps";
            status = launch_quantile_rows(part, quantiles, context_.stream);
        } else if (by_window()) {
            method_ = "windows";
            status = launch_quantile_windows(part, quantiles, policy_, context_.limits, context_.stream);
        } else {
            method_ = "blocks";
            unsigned capacity = 1;
            while (capacity < part.n) capacity *= 2;
            status = launch_quantile_blocks(part, quantiles, capacity, policy_, context_.stream);
        }
        Result<void> done = check_cuda(status, "quantile of rows");
        return done ? context_.workspace->read(pairs->data(), quantiles.pairs,
                                               pairs->size() * sizeof(std::uint64_t))
                    : done;
    }

    Result<void> finish_pairs(const KeySegments& part, std::uint64_t first,
                              const std::vector<std::uint64_t>& found) {
        const std::uint64_t quantiles = params_.q.size();
        const std::uint64_t* const nans = found.data() + part.count * 2 * quantiles;
        std::vector<std::byte> results(static_cast<std::size_t>(part.count) * result_bytes_);
        std::vector<Pair> pairs(params_.q.size());
        for (std::uint64_t row = 0; row < part.count; ++row) {
            const std::uint64_t* const own = found.data() + row * 2 * quantiles;
            for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = Pair{own[2 * i], own[2 * i + 1]};
            kernels::quantile::finish(params_, type_, in_.n, std::min(nans[row], in_.n), pairs.data(),
                                      results.data() + row * result_bytes_);
        }
        return write_results(results, first);
    }

    // --- one statistic of a long segment

    // The index range of a statistic in the sample: five standard deviations on both sides, plus the slack of
    // the search for a cut.
    struct Bounds {
        SampleRanks low;  // place 0: from the first pair
        SampleRanks high;
        std::uint64_t capacity;  // of the list of keys in between
    };
    Bounds bounds_of(std::uint64_t place, std::uint64_t sample) const {
        const double part = static_cast<double>(sample) / static_cast<double>(in_.n);
        const double middle = part * static_cast<double>(place);
        const double sigma = std::sqrt(middle * (1 - middle / static_cast<double>(sample))) + 1;
        const double slack = std::floor(sigma / 2) + 1;
        const double low = std::floor(middle - 5 * sigma - slack),
                     high = std::ceil(middle + 2 * part + 5 * sigma);
        Bounds bounds{};
        if (low >= 1) bounds.low = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low + slack)};
        bounds.high = {std::min(static_cast<std::uint64_t>(high), sample),
                       std::min(static_cast<std::uint64_t>(high + slack), sample)};
        const double max = (high - low + slack + 6 * std::sqrt(high - low + slack) + 6) / part;
        bounds.capacity = max < static_cast<double>(in_.n) ? static_cast<std::uint64_t>(max) : in_.n;
        return bounds;
    }

    Result<void> by_bracket() {
        const SelectionPolicy& cuts = context_.policies.selection;
        const std::uint64_t sample = sample_size(in_.n, in_.width, cuts);
        const std::uint64_t place = place_of(params_.q[0], 0);
        const Bounds bounds = bounds_of(place, sample);
        Result<void*> memory = context_.workspace->take_zeroed(sizeof(BracketMemory));
        if (!memory) return std::move(memory).error();
        Result<std::byte*> list = take<std::byte>(bounds.capacity * in_.width);
        if (!list) return std::move(list).error();
        const Bracket bracket{static_cast<BracketMemory*>(*memory), bounds.low.rank == 0, *list,
                              bounds.capacity};
        const SampleRanks low = bracket.from_below ? SampleRanks{1, 1} : bounds.low;
        LaunchStatus status =
            launch_sample_cuts(in_, SampleCuts{sample, low, bounds.high, bracket.memory->states},
                               context_.config(cuts));
        const Pieces pieces = pace_.pieces(policy_.piece_elements * context_.limits.multiprocessors);
        if (status == 0)
            status = in_pieces(pieces, in_.n, 1, [&](std::uint64_t begin, std::uint64_t some) {
                return launch_bracket_filter(in_, begin, begin + some, bracket, policy_, context_.limits,
                                             context_.stream);
            });
        if (status == 0)
            status =
                launch_bracket_narrow(in_.width, bracket, place, policy_, context_.limits, context_.stream);
        Result<void> done = pace_.check(status, "quantile between cuts");
        BracketMemory found{};
        if (done) done = context_.workspace->read(&found, bracket.memory, offsetof(BracketMemory, bins));
        if (!done) return done;
        const BracketTarget& own = found.targets[0];
        const BracketTarget& next = place + 1 < in_.n ? found.targets[1] : own;
        if (has_statistics(found.nans) && (found.nans != 0 || own.found == 0 || next.found == 0))
            return by_counts();
        method_ = "bracket";
        Pair pair{own.low, next.low};
        std::vector<std::byte> results(result_bytes_);
        kernels::quantile::finish(params_, type_, in_.n, std::min(found.nans, in_.n), &pair, results.data());
        return write_results(results, 0);
    }

    // --- long segments

    Result<void> by_counts() {
        const std::uint64_t max_nodes = 2 * params_.q.size();
        const std::uint64_t bins = std::uint64_t{1} << kQuantileDigitBits;
        const std::uint64_t batch = std::clamp<std::uint64_t>(
            kCountBytes / (max_nodes * bins * sizeof(std::uint64_t)), 1, std::min(in_.count, kMaxBatch));
        Result<std::uint64_t*> counts = take<std::uint64_t>(batch * max_nodes * bins);
        if (!counts) return std::move(counts).error();
        Result<std::uint64_t*> nans = take<std::uint64_t>(batch);
        if (!nans) return std::move(nans).error();
        for (std::uint64_t first = 0; first < in_.count; first += batch) {
            Result<void> done =
                count_batch(part_of(in_, first, std::min(batch, in_.count - first)), first, *counts, *nans);
            if (!done) return done;
        }
        method_ = "counts";
        counted_ = true;
        return {};
    }

    // The digit is narrower if that makes the counts of all nodes fit shared memory.
    unsigned digit_bits(unsigned nodes, unsigned left) const {
        const unsigned shared = quantile_shared_bins(policy_, context_.limits);
        unsigned bits = kQuantileDigitBits;
        while (bits > 8 && (nodes << bits) > shared) --bits;
        return std::min(nodes << bits > shared ? kQuantileDigitBits : bits, left);
    }

    Result<void> count_batch(const KeySegments& part, std::uint64_t first, std::uint64_t* counts,
                             std::uint64_t* nans) {
        std::vector<std::uint64_t> nans_of(static_cast<std::size_t>(part.count));
        std::vector<QuantileTree> trees;
        std::vector<std::uint64_t> host_counts;
        std::vector<std::vector<std::uint16_t>> children;  // write() data stays valid until the batch ends
        QuantileLevels levels{};
        unsigned nodes = 1;
        unsigned left = 8 * in_.width;
        for (unsigned depth = 0; left > 0 && nodes > 0; ++depth) {
            if (stop_.stop_requested()) return stop_.error();
            const unsigned bits = digit_bits(nodes, left);
            left -= bits;
            levels.depth = depth;
            levels.bits[depth] = bits;
            levels.shift[depth] = left;
            levels.nodes[depth] = nodes;
            passes_ = std::max(passes_, depth + 1);
            const std::uint64_t bins = std::uint64_t{nodes} << bits;  // of a segment
            host_counts.resize(static_cast<std::size_t>(part.count * bins));
            const Pieces pieces = pace_.pieces(policy_.piece_elements * context_.limits.multiprocessors);
            const LaunchStatus status = launch_quantile_counts(part, levels, counts, nans, policy_, pieces,
                                                               context_.limits, context_.stream);
            Result<void> done = pace_.check(status, "quantile's counts");
            if (done && depth == 0)
                done = context_.workspace->read(nans_of.data(), nans, nans_of.size() * sizeof(std::uint64_t));
            if (done)
                done = context_.workspace->read(host_counts.data(), counts,
                                                host_counts.size() * sizeof(std::uint64_t));
            if (!done) return done;
            if (depth == 0)
                for (const std::uint64_t of_one : nans_of) trees.emplace_back(wanted_places(of_one));
            children.emplace_back(static_cast<std::size_t>(part.count * bins), kNoNode);
            nodes = 0;
            for (std::size_t row = 0; row < trees.size(); ++row) {
                if (!has_statistics(nans_of[row])) continue;
                trees[row].descend(host_counts.data() + row * bins, bits,
                                   children.back().data() + row * bins);
                nodes = std::max(nodes, trees[row].nodes());
            }
            if (left == 0 || nodes == 0) break;
            Result<std::uint16_t*> table = child_table(depth, children.back().size());
            if (!table) return std::move(table).error();
            done = context_.workspace->write(*table, children.back().data(),
                                             children.back().size() * sizeof(std::uint16_t));
            if (!done) return done;
            levels.children[depth] = *table;
        }
        return finish_batch(first, nans_of, trees);
    }

    // The table is kept from batch to batch. A larger one replaces it if needed.
    Result<std::uint16_t*> child_table(unsigned depth, std::size_t entries) {
        if (tables_[depth].entries < entries) {
            Result<std::uint16_t*> taken = take<std::uint16_t>(entries);
            if (!taken) return std::move(taken).error();
            tables_[depth] = Table{*taken, entries};
        }
        return tables_[depth].children;
    }

    std::vector<std::uint64_t> wanted_places(std::uint64_t nans) const {
        std::vector<std::uint64_t> places;
        if (!has_statistics(nans)) return places;
        for (const double q : params_.q) {
            const std::uint64_t place = place_of(q, nans);
            places.push_back(place);
            places.push_back(std::min(place + 1, in_.n - 1));
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    }

    Result<void> finish_batch(std::uint64_t first, const std::vector<std::uint64_t>& nans,
                              const std::vector<QuantileTree>& trees) {
        std::vector<std::byte> results(nans.size() * result_bytes_);
        std::vector<Pair> pairs(params_.q.size());
        for (std::size_t row = 0; row < nans.size(); ++row) {
            if (has_statistics(nans[row])) {
                for (std::size_t i = 0; i < pairs.size(); ++i) {
                    const std::uint64_t place = place_of(params_.q[i], nans[row]);
                    pairs[i] =
                        Pair{trees[row].key_at(place), trees[row].key_at(std::min(place + 1, in_.n - 1))};
                }
            }
            kernels::quantile::finish(params_, type_, in_.n, std::min(nans[row], in_.n), pairs.data(),
                                      results.data() + row * result_bytes_);
        }
        return write_results(results, first);
    }

    struct Table {
        std::uint16_t* children = nullptr;
        std::size_t entries = 0;
    };

    const QuantileParams& params_;
    const ElementType type_;
    const KeySegments in_;
    std::byte* const out_;
    const std::size_t result_bytes_;  // of a segment
    const Context& context_;
    const QuantilePolicy& policy_;
    const kernels::StopToken& stop_;
    const char* method_ = "";
    bool counted_ = false;  // and so passes_ is known
    unsigned passes_ = 0;
    Pace pace_;
    Table tables_[kMaxQuantileLevels];
};

}  // namespace

Result<kernels::RunReport> run_quantile(const JobRun& run, const QuantileParams& params,
                                        const Context& context) {
    kernels::RunReport report = cuda_report(context);
    report.filled_columns = {params.q.size()};
    if (run.job.axis == Axis::Rows && run.job.rows == 0) return report;
    QuantileRun own(run.job, params, run.inputs[0], run.outputs[0].data, context, run.stop);
    Result<void> done = own.run();
    if (!done) return std::move(done).error();
    own.describe(&report.policy);
    return report;
}

}  // namespace tegu::cuda
