// SPDX-License-Identifier: Apache-2.0
// A top-k job on the GPU: its state, and the ways to run it. run.cpp chooses the way; run_<way>.cpp has it.
#pragma once

#include <functional>
#include <vector>

#include "kernels/execution/cuda/pace.h"
#include "kernels/operation_cuda.h"
#include "kernels/selection/cuda/run.h"
#include "kernels/topk/cuda/topk.h"

namespace tegu::cuda {

// Segments whose lists lie in the workspace at once.
struct TopkBatch {
    std::uint64_t first;  // number of the first segment
    KeySegments in;
    SelectionOutput output;
};

struct TopkRun {
    // `run` and `context` outlive it. REQUIRES: the job has segments.
    TopkRun(const JobRun& run, const TopkParams& params, const Context& context);

    TopkBatch batch(std::uint64_t first, std::uint64_t count) const;
    // The number of segments whose lists, of this many bytes each, fit the workspace of a batch; at least 1.
    std::uint64_t batch_size(std::uint64_t segment_bytes) const;
    // Calls body(batch) for batches of at most `max` segments, paced.
    Result<void> for_each_batch(std::uint64_t max, const std::function<Result<void>(const TopkBatch&)>& body);
    // Launches a filter over all elements of a batch. launch(range) returns a LaunchStatus; `bytes`: what a
    // multiprocessor reads in one launch.
    Result<void> filter(const TopkBatch& batch, std::uint64_t bytes, const char* name,
                        const std::function<LaunchStatus(const ElementRange&)>& launch);
    PairLists take_lists(ArrayTaker* arrays, std::uint64_t count, std::uint64_t capacity) const;
    // Of launches that count or move pairs.
    Pieces pieces() { return pace.pieces(config.policy.piece_pairs * config.limits.multiprocessors); }

    const KeySegments in;
    const SelectionOutput output;
    const Context& context;
    const SelectionConfig config;
    const kernels::StopToken& stop;
    const std::uint64_t sample;  // sample_size() of a segment
    const unsigned capacity;     // block_capacity()
    Pace pace;

    const char* method = "none";
    bool counted_cut = false;  // the cut of a segment was bad, and counting found another
    bool waited = false;       // all launches have completed
    // of a single segment with different values: the number of results, visible to the host; null: the output
    // alone has it
    const std::uint64_t* found = nullptr;
};

// Bytes that a multiprocessor filters in one launch: milliseconds.
constexpr std::uint64_t kFilterBytes = std::uint64_t{64} << 20;

// The ways. Each sets run->method.
// warps_suit(): a warp can hold a segment, and the results are few.
bool warps_suit(const TopkRun& run);
Result<void> select_by_warps(TopkRun* run);
Result<void> select_by_blocks(TopkRun* run);
// Returns whether one block selects from each segment with one read of memory.
bool segments_suit(const TopkRun& run);
Result<void> select_by_segments(TopkRun* run);
Result<void> select_by_cuts(TopkRun* run);
// Returns whether buckets of survivors suit: dense segments, not very many results.
bool buckets_suit(const TopkRun& run);
Result<void> select_by_buckets(TopkRun* run);
// The best different values. Sorts where one block cannot determine them.
Result<void> select_distinct(TopkRun* run);
// The same for k up to kFewDistinct.
Result<void> select_few_distinct(TopkRun* run);
Result<void> select_by_sorting(TopkRun* run);

// The sample that several blocks take of each segment. No groups where one block samples each.
GroupedSample groups_of(const TopkRun& run);

// The cuts of all segments of a run, after a selection.
struct UsedCuts {
    SelectState* states;  // [count]
    // [count] numbers of survivors, visible to the host; null: the states have them
    const std::uint64_t* seen;
    std::uint64_t capacity;  // maximum of survivors
};
// Waits for all launches and reads the number of survivors of each segment.
Result<void> read_survivors(TopkRun* run, const UsedCuts& cuts, std::vector<std::uint64_t>* found);
// Repeats a selection, with a cut found by counting, where the number of survivors is not between k and the
// capacity. Changing elements can make this cut bad, too; the result is then undefined, as permitted. Waits
// for the launches before.
Result<void> repair_cuts(TopkRun* run, const UsedCuts& cuts,
                         const std::function<Result<void>(const TopkBatch&)>& select);

}  // namespace tegu::cuda
