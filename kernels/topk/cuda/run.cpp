// SPDX-License-Identifier: Apache-2.0
// Launches a top-k job. Segments run in batches whose lists fit a bounded part of the workspace. The launches
// of a batch need no host decision in between; at the end the host reads the numbers of survivors and repeats
// the selection where a cut was bad.
#include <algorithm>
#include <vector>

#include "kernels/execution/cuda/pace.h"
#include "kernels/numerics/sort_key.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"
#include "kernels/selection/cuda/run.h"
#include "kernels/selection/cuda/sort.h"
#include "kernels/topk/cuda/topk.h"

namespace tegu::cuda {
namespace {

constexpr std::uint64_t kBatchBytes = std::uint64_t{64} << 20;  // lists of a batch; one segment may need more
constexpr std::uint64_t kMaxBatch = 32768;
// maximum of segments that several blocks sample each; with more, one block samples each
constexpr std::uint64_t kSampledTogether = 32;
// Bytes that a multiprocessor filters in one launch: milliseconds.
constexpr std::uint64_t kFilterBytes = std::uint64_t{64} << 20;
// Elements that a multiprocessor's blocks select from in one launch.
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 22;

class TopkRun {
  public:
    TopkRun(const Job& job, const TopkParams& params, const kernels::InputView& input,
            Span<const kernels::OutputView> outputs, const Context& context, const kernels::StopToken& stop)
        : in_(segments_of(job, input,
                          kernels::key::flip_of(params.largest, is_signed_integer(job.type),
                                                static_cast<unsigned>(element_bytes(job.type))))),
          output_{outputs[0].data, reinterpret_cast<std::uint64_t*>(outputs[1].data),
                  params.distinct ? reinterpret_cast<std::uint64_t*>(outputs[2].data) : nullptr, params.k,
                  params.distinct},
          context_(context),
          policy_(context.policies.selection),
          stop_(stop),
          capacity_(block_capacity(in_.width, policy_, context.limits)),
          pace_(context, stop) {}

    Result<void> run() {
        if (in_.width <= 4 && in_.n <= kWarpElements && output_.k <= policy_.warp_results) return by_warps();
        const bool fits = in_.n <= capacity_;
        if (output_.distinct ? fits : output_.k <= capacity_ && (fits || in_.n <= policy_.block_elements))
            return by_blocks();
        if (output_.distinct) {
            const unsigned capacity = distinct_capacity(in_.width, policy_, context_.limits);
            return 4 * output_.k <= capacity && in_.n < kMaxSortPairs ? by_distinct_cuts(capacity)
                                                                      : by_sorting();
        }
        if (output_.k > capacity_) return by_sorting();
        return by_cuts();
    }
    const char* method() const { return method_; }
    bool was_bad() const { return bad_cut_; }
    // Returns whether all launches have completed.
    bool has_waited() const { return waited_; }

  private:
    SelectionOutput part_of_output(std::uint64_t first) const {
        SelectionOutput part = output_;
        part.values = static_cast<std::byte*>(output_.values) + first * output_.k * in_.width;
        part.indices += first * output_.k;
        if (part.counts != nullptr) part.counts += first;
        return part;
    }

    template <class T>
    Result<T*> take(std::uint64_t count) {
        Result<void*> taken = context_.workspace->take(static_cast<std::size_t>(count * sizeof(T)));
        if (!taken) return std::move(taken).error();
        return static_cast<T*>(*taken);
    }
    template <class T>
    Result<T*> take_zeroed(std::uint64_t count) {
        Result<void*> taken = context_.workspace->take_zeroed(static_cast<std::size_t>(count * sizeof(T)));
        if (!taken) return std::move(taken).error();
        return static_cast<T*>(*taken);
    }

    Pieces pieces() { return pace_.pieces(policy_.piece_pairs * context_.limits.multiprocessors); }

    // Calls body(first, count) for batches of segments.
    template <class Body>
    Result<void> for_each_batch(std::uint64_t max, Body body) {
        return for_pieces(pieces_of(in_.count, max), [&](const Piece& piece) {
            Result<void> paced = pace_.next();
            return paced ? body(piece.row, piece.rows) : paced;
        });
    }

    Result<void> by_warps() {
        method_ = "warp";
        return for_each_batch(
            kBlockWork * context_.limits.multiprocessors / kWarpElements,
            [&](std::uint64_t first, std::uint64_t count) {
                return check_cuda(
                    launch_select_rows(part_of(in_, first, count), part_of_output(first), context_.stream),
                    "topk of rows");
            });
    }

    Result<void> by_blocks() {
        method_ = "block";
        const std::uint64_t batch = std::clamp<std::uint64_t>(
            kBlockWork * context_.limits.multiprocessors / in_.n, 1, std::uint64_t{1} << 30);
        return for_each_batch(batch, [&](std::uint64_t first, std::uint64_t count) {
            return check_cuda(launch_select_blocks(part_of(in_, first, count), part_of_output(first),
                                                   capacity_, policy_, context_.limits, context_.stream),
                              "topk of blocks");
        });
    }

    // --- few results of long segments: cuts

    Result<PairLists> take_lists(std::uint64_t count, std::uint64_t capacity) {
        Result<std::uint64_t*> indices = take<std::uint64_t>(count * capacity);
        if (!indices) return std::move(indices).error();
        Result<std::byte*> keys = take<std::byte>(count * capacity * in_.width);
        if (!keys) return std::move(keys).error();
        return PairLists{*keys, *indices, capacity};
    }

    Result<void> by_cuts() {
        method_ = "cut";
        const std::uint64_t sample = sample_size(in_.n, in_.width, policy_);
        const std::uint64_t place = std::min(safe_rank(output_.k, in_.n, sample), sample);
        const std::uint64_t capacity = std::min(
            in_.n, std::max<std::uint64_t>(max_before(place, in_.n, sample), 2 * std::uint64_t{capacity_}));
        const std::uint64_t batch =
            std::clamp<std::uint64_t>(kBatchBytes / (capacity * (sizeof(std::uint64_t) + in_.width)), 1,
                                      std::min(in_.count, kMaxBatch));
        Result<PairLists> lists = take_lists(batch, capacity);
        if (!lists) return std::move(lists).error();
        Result<SelectState*> states = take<SelectState>(in_.count);
        if (!states) return std::move(states).error();
        Result<void*> shown =
            context_.workspace->take_shown(static_cast<std::size_t>(in_.count * sizeof(std::uint64_t)));
        if (!shown) return std::move(shown).error();
        seen_ = static_cast<std::uint64_t*>(*shown);
        SampleMemory memory{nullptr, nullptr};
        if (in_.count <= std::min(kSampledTogether, batch)) {
            Result<std::byte*> keys = take<std::byte>(in_.count * sample * in_.width);
            if (!keys) return std::move(keys).error();
            Result<void*> tickets = context_.workspace->take_counters(in_.count * sizeof(std::uint32_t));
            if (!tickets) return std::move(tickets).error();
            memory = SampleMemory{*keys, static_cast<std::uint32_t*>(*tickets)};
        }
        Result<void> done =
            for_each_batch(batch, [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
                const KeySegments part = part_of(in_, first, count);
                Result<void> cut = check_cuda(
                    launch_sample_cut(part, sample, place, *states + first, memory, policy_, context_.stream),
                    "topk of a sample");
                if (cut && memory.tickets != nullptr) context_.workspace->counters_are_left_zero();
                return cut ? filter_and_select(part, first, *states + first, *lists) : cut;
            });
        if (!done) return done;
        return repair(*states, capacity,
                      [&](const KeySegments& one, std::uint64_t first, SelectState* state) {
                          return filter_and_select(one, first, state, *lists);
                      });
    }

    // The number of elements, in whole tiles, that one launch filters in each of `count` segments.
    std::uint64_t max_of_a_launch(std::uint64_t bytes, std::uint64_t count) const {
        constexpr std::uint64_t kTile = std::uint64_t{1} << 16;
        const std::uint64_t elements = bytes / in_.width * context_.limits.multiprocessors / count;
        return std::min<std::uint64_t>((elements / kTile + 1) * kTile, std::uint64_t{1} << 31);
    }

    Result<void> filter_and_select(const KeySegments& part, std::uint64_t first, SelectState* states,
                                   const PairLists& lists) {
        const Pieces pieces = pace_.pieces(max_of_a_launch(kFilterBytes, part.count));
        const LaunchStatus status =
            in_pieces(pieces, part.n, 1, [&](std::uint64_t begin, std::uint64_t some) {
                return launch_filter(part, begin, begin + some, states, lists, policy_, context_.limits,
                                     context_.stream);
            });
        Result<void> filtered = pace_.check(status, "topk's filter");
        if (!filtered) return filtered;
        return check_cuda(launch_select_survivors(part, states, lists, part_of_output(first), capacity_,
                                                  policy_, context_.limits, context_.stream,
                                                  seen_ == nullptr ? nullptr : seen_ + first),
                          "topk of survivors");
    }

    // Reads the number of survivors of each segment, after all launches have completed.
    Result<void> survivors(const SelectState* states, std::vector<std::uint64_t>* found) {
        if (seen_ != nullptr) {
            Result<void> done = context_.workspace->synchronize();
            if (done) found->assign(seen_, seen_ + in_.count);
            waited_ = true;
            return done;
        }
        std::vector<SelectState> all(static_cast<std::size_t>(in_.count));
        Result<void> done = context_.workspace->read(all.data(), states, all.size() * sizeof(SelectState));
        for (const SelectState& state : all) found->push_back(state.survivors);
        return done;
    }

    // Repeats a selection, with a cut found by counting, where the number of survivors is not between k and
    // `capacity`. Changing elements can make this cut bad, too; the result is then undefined, as permitted.
    template <class Select>
    Result<void> repair(SelectState* states, std::uint64_t capacity, Select select) {
        std::vector<std::uint64_t> found;
        Result<void> done = survivors(states, &found);
        if (!done) return done;
        std::uint64_t* bins = nullptr;
        std::uint32_t* tickets = nullptr;
        for (std::uint64_t number = 0; number < in_.count; ++number) {
            const std::uint64_t count = found[static_cast<std::size_t>(number)];
            if (count >= output_.k && count <= capacity) continue;
            if (stop_.stop_requested()) return stop_.error();
            bad_cut_ = true;
            if (bins == nullptr) {
                Result<std::uint64_t*> taken = take_zeroed<std::uint64_t>(kCutWords);
                if (!taken) return std::move(taken).error();
                Result<std::uint32_t*> ticket = take_zeroed<std::uint32_t>(1);
                if (!ticket) return std::move(ticket).error();
                bins = *taken;
                tickets = *ticket;
            }
            const SelectState fresh{0, 0, 0, 0, ~std::uint64_t{0}};
            const KeySegments one = part_of(in_, number, 1);
            done = context_.workspace->write(states + number, &fresh, sizeof fresh);
            if (done)
                done = pace_.check(launch_exact_cut(one, output_.k, capacity, states + number, bins, tickets,
                                                    policy_, pieces(), context_.limits, context_.stream),
                                   "topk by counting");
            if (done) done = select(one, number, states + number);
            if (done) done = context_.workspace->synchronize();  // nothing waits after this
            if (!done) return done;
        }
        return {};
    }

    // --- different values

    Result<void> by_distinct_cuts(unsigned block_capacity) {
        const std::uint64_t sample = sample_size(in_.n, in_.width, policy_);
        const std::uint64_t capacity = std::min(
            in_.n,
            std::max<std::uint64_t>(max_before(output_.k, in_.n, sample), 8 * std::uint64_t{block_capacity}));
        const std::uint64_t batch =
            std::clamp<std::uint64_t>(kBatchBytes / (2 * capacity * (sizeof(std::uint64_t) + in_.width)), 1,
                                      std::min(in_.count, kMaxBatch));
        Result<PairLists> lists = take_lists(batch, capacity);
        if (!lists) return std::move(lists).error();
        Result<PairLists> kept = take_lists(batch, capacity);
        if (!kept) return std::move(kept).error();
        Result<SelectState*> states = take<SelectState>(in_.count);
        if (!states) return std::move(states).error();
        Result<void> done = for_each_batch(batch, [&](std::uint64_t first, std::uint64_t count) {
            return distinct_of(part_of(in_, first, count), first, *states + first, *lists, *kept,
                               block_capacity);
        });
        if (!done) return done;
        std::vector<SelectState> found(static_cast<std::size_t>(in_.count));
        done = context_.workspace->read(found.data(), *states, found.size() * sizeof(SelectState));
        if (!done) return done;
        for (const SelectState& state : found)
            if (state.found != 0)
                return by_sorting();  // too many different keys, or too few repeats in each block
        method_ = "distinct";
        return {};
    }

    Result<void> distinct_of(const KeySegments& part, std::uint64_t first, SelectState* states,
                             const PairLists& lists, const PairLists& kept, unsigned block_capacity) {
        Result<void> done =
            check_cuda(launch_distinct_cut(part, sample_size(part.n, part.width, policy_), output_.k,
                                           block_capacity, states, policy_, context_.stream),
                       "distinct topk of a sample");
        if (!done) return done;
        const Pieces pieces = pace_.pieces(max_of_a_launch(kFilterBytes / 4, part.count));
        const LaunchStatus status =
            in_pieces(pieces, part.n, 1, [&](std::uint64_t begin, std::uint64_t some) {
                return launch_distinct_filter(part, begin, begin + some, states, lists, policy_,
                                              context_.limits, context_.stream);
            });
        done = pace_.check(status, "distinct topk's filter");
        if (!done) return done;
        return check_cuda(launch_distinct_survivors(part, states, lists, kept, part_of_output(first),
                                                    block_capacity, policy_, context_.stream),
                          "distinct topk of survivors");
    }

    // --- many results: sort

    Result<SortBuffers> take_buffers(std::uint64_t count, std::uint64_t capacity) {
        SortBuffers buffers{};
        buffers.capacity = capacity;
        buffers.tile = sort_tile_for(in_.width, policy_.sort_tile);
        for (unsigned i = 0; i < 2; ++i) {
            Result<std::byte*> keys = take<std::byte>(count * capacity * in_.width);
            if (!keys) return std::move(keys).error();
            Result<std::uint32_t*> origins = take<std::uint32_t>(count * capacity);
            if (!origins) return std::move(origins).error();
            buffers.keys[i] = *keys;
            buffers.origins[i] = *origins;
        }
        Result<std::uint32_t*> counts = take<std::uint32_t>(count * sort_count_words(capacity, buffers.tile));
        if (!counts) return std::move(counts).error();
        Result<std::uint32_t*> totals = take<std::uint32_t>(count * kSortDigits);
        if (!totals) return std::move(totals).error();
        buffers.counts = *counts;
        buffers.totals = *totals;
        return buffers;
    }

    Result<void> by_sorting() {
        const std::uint64_t sample = sample_size(in_.n, in_.width, policy_);
        const std::uint64_t place = safe_rank(output_.k, in_.n, sample);
        const bool all = output_.distinct || place > std::min<std::uint64_t>(sample / 2, capacity_);
        std::uint64_t capacity =
            all ? in_.n
                : std::min(in_.n,
                           std::max(max_before(loosest_rank(place, sample), in_.n, sample), output_.k));
        method_ = all ? "sort" : "cut+sort";
        // only a target: if too many survive, a new cut is made
        if (!all && output_.k <= kMaxSortPairs) capacity = std::min(capacity, kMaxSortPairs);
        if (capacity > kMaxSortPairs)
            return make_error(Status::OutOfMemory, "topk: so many results cannot be sorted on the GPU");
        const std::uint64_t batch =
            std::clamp<std::uint64_t>(kBatchBytes / (capacity * (2 * in_.width + 16)), 1,
                                      std::min<std::uint64_t>(in_.count, kMaxBatch));
        Result<SortBuffers> buffers = take_buffers(batch, capacity);
        if (!buffers) return std::move(buffers).error();
        Result<SelectState*> states = take_zeroed<SelectState>(in_.count);
        if (!states) return std::move(states).error();
        Result<std::uint64_t*> tiles = take<std::uint64_t>(batch * kMaxCompactTiles);
        if (!tiles) return std::move(tiles).error();
        if (all)
            return for_each_batch(batch, [&](std::uint64_t first, std::uint64_t count) {
                return sort_all(part_of(in_, first, count), first, *states + first, *buffers, *tiles);
            });
        Result<std::uint64_t*> indices = take<std::uint64_t>(batch * capacity);
        if (!indices) return std::move(indices).error();
        Result<void> done =
            for_each_batch(batch, [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
                const KeySegments part = part_of(in_, first, count);
                Result<void> cut =
                    check_cuda(launch_sample_cut(part, sample, place, *states + first,
                                                 SampleMemory{nullptr, nullptr}, policy_, context_.stream),
                               "topk of a sample");
                return cut ? sort_survivors(part, first, *states + first, *buffers, *indices, *tiles) : cut;
            });
        if (!done) return done;
        return repair(*states, capacity,
                      [&](const KeySegments& one, std::uint64_t first, SelectState* state) {
                          return sort_survivors(one, first, state, *buffers, *indices, *tiles);
                      });
    }

    Result<void> sort_survivors(const KeySegments& part, std::uint64_t first, SelectState* states,
                                const SortBuffers& buffers, std::uint64_t* indices, std::uint64_t* tiles) {
        LaunchStatus status = launch_compact_survivors(part, states, buffers, indices, tiles, pieces(),
                                                       context_.limits, context_.stream);
        if (status == 0)
            status = launch_sort(part.width, part.count, states, buffers, pieces(), context_.stream);
        if (status == 0)
            status = launch_write_sorted(part, states, buffers, indices, part_of_output(first), pieces(),
                                         context_.limits, context_.stream);
        return pace_.check(status, "topk's sort of survivors");
    }

    Result<void> sort_all(const KeySegments& part, std::uint64_t first, SelectState* states,
                          const SortBuffers& buffers, std::uint64_t* tiles) {
        LaunchStatus status = launch_rank_all(part, buffers, pieces(), context_.limits, context_.stream);
        if (status == 0)
            status = launch_sort(part.width, part.count, nullptr, buffers, pieces(), context_.stream);
        if (status == 0)
            status = output_.distinct
                         ? launch_write_distinct(part, states, buffers, part_of_output(first), tiles,
                                                 pieces(), context_.limits, context_.stream)
                         : launch_write_sorted(part, nullptr, buffers, nullptr, part_of_output(first),
                                               pieces(), context_.limits, context_.stream);
        return pace_.check(status, "topk's sort");
    }

    const KeySegments in_;
    const SelectionOutput output_;
    const Context& context_;
    const SelectionPolicy& policy_;
    const kernels::StopToken& stop_;
    const unsigned capacity_;
    const char* method_ = "none";
    bool bad_cut_ = false;
    std::uint64_t* seen_ =
        nullptr;  // numbers of survivors, visible to the host; null where it must copy them
    bool waited_ = false;
    Pace pace_;
};

}  // namespace

Result<kernels::RunReport> run_topk(const JobRun& run, const TopkParams& params, const Context& context) {
    kernels::RunReport report = cuda_report(context);
    report.filled_columns.assign(2, params.k);
    if (params.distinct) report.filled_columns.push_back(1);
    if (run.job.axis == Axis::Rows && run.job.rows == 0) return report;
    TopkRun own(run.job, params, run.inputs[0], run.outputs, context, run.stop);
    Result<void> done = own.run();
    if (!done) return std::move(done).error();
    if (params.distinct && run.job.axis == Axis::Whole) {
        std::uint64_t found = 0;
        done = context.workspace->read(&found, run.outputs[2].data, sizeof found);
        if (!done) return std::move(done).error();
        // The count may be in client memory, so the client may have changed it.
        report.filled_columns[0] = report.filled_columns[1] = std::min(found, params.k);
    }
    if (!own.has_waited()) done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    report.policy.add_word("method", own.method());
    if (own.was_bad()) report.policy.add_word("cut", "counted");
    return report;
}

}  // namespace tegu::cuda
