// SPDX-License-Identifier: Apache-2.0
// The fields of the policies of the GPU backend. The ranges follow from the launches: a block size beyond a
// kernel's bound fails, four packs are all that rowscale's registers hold, no waves mean no blocks. Numbers
// that only bound a launch's length have no candidates: a tuner has nothing to gain there.
#include <algorithm>
#include <utility>

#include "kernels/tuning/field_builder.h"

namespace tegu::tuning {
namespace {

using cuda::AddPolicy;
using cuda::CountPolicy;
using cuda::DeviceLimits;
using cuda::EntropyMapPolicy;
using cuda::Policies;
using cuda::QuantilePolicy;
using cuda::ReducePolicy;
using cuda::RowscalePolicy;
using cuda::TopkPolicy;
using Fields = std::vector<PolicyField>;

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

// Before compute capability 7.0 a block has half of a multiprocessor's registers.
bool has_half_registers(const DeviceLimits& limits) {
    return limits.compute_capability < 70;
}
std::int64_t most_threads(const DeviceLimits& limits) {
    return has_half_registers(limits) ? 512 : 1024;
}
std::int64_t most_pass_threads(const DeviceLimits& limits) {
    return has_half_registers(limits) ? 256 : 512;
}

// The largest power of two of items that fit the shared memory of a block beside `fixed` bytes.
std::int64_t items_in_shared(const DeviceLimits& limits, std::size_t item_bytes, std::size_t fixed) {
    std::int64_t items = 32;
    while (2 * static_cast<std::size_t>(items) * item_bytes + fixed <= limits.shared_bytes_per_block)
        items *= 2;
    return items;
}
std::int64_t most_topk_room(const DeviceLimits& limits) {
    return items_in_shared(limits, sizeof(std::uint64_t) + 1, 10 * kKiB);
}
std::int64_t most_quantile_room(const DeviceLimits& limits) {
    return items_in_shared(limits, 1, kKiB);
}
std::int64_t most_shared_bytes(const DeviceLimits& limits) {
    return static_cast<std::int64_t>(limits.shared_bytes_per_block);
}
std::int64_t most_shared_bins(const DeviceLimits& limits) {
    return std::max<std::int64_t>(2048, most_shared_bytes(limits) / 4 / 2048 * 2048);
}

FieldBuilder launch_bytes(FieldBuilder of) {
    return of.multiples(4 * kKiB, 64 * kKiB, 256 * kMiB);
}

Fields add_fields() {
    constexpr auto kPart = &Policies::add;
    return {
        field<kPart, &AddPolicy::threads_per_block>("threads_per_block", "threads of a block")
            .multiples(32, 32, 1024)
            .at_most(most_threads)
            .tries({128, 256, 512, 1024}),
        field<kPart, &AddPolicy::packs_per_thread>("packs_per_thread",
                                                   "16-byte loads of each input in flight")
            .powers(1, 4)
            .tries({1, 2, 4}),
        field<kPart, &AddPolicy::waves>("waves", "blocks launched, in multiples of those resident at once")
            .range(1, 4096)
            .tries({1, 2, 4, 8, 32, 1000}),
        launch_bytes(field<kPart, &AddPolicy::launch_bytes>(
            "launch_bytes", "bytes that one launch moves for each multiprocessor"))};
}

Fields reduce_fields() {
    constexpr auto kPart = &Policies::reduce;
    return {field<kPart, &ReducePolicy::threads_per_block>("threads_per_block", "threads of a block")
                .powers(32, 512)
                .at_most(most_pass_threads)
                .tries({64, 128, 256, 512}),
            field<kPart, &ReducePolicy::tiles_per_warp>("tiles_per_warp",
                                                        "tiles that a warp takes one after the other")
                .powers(1, 16)
                .tries({1, 2, 4, 8, 16}),
            field<kPart, &ReducePolicy::waves>(
                "waves", "blocks over short rows, in multiples of those resident at once")
                .range(1, 64)
                .tries({1, 2, 4, 8}),
            launch_bytes(field<kPart, &ReducePolicy::launch_bytes>(
                "launch_bytes", "bytes that one launch reads for each multiprocessor"))};
}

Fields count_fields() {
    constexpr auto kPart = &Policies::count;
    return {
        field<kPart, &CountPolicy::threads_per_block>("threads_per_block", "threads of a block")
            .multiples(32, 32, 512)
            .tries({128, 256, 512}),
        field<kPart, &CountPolicy::copies>("copies", "copies of the counters of a block")
            .range(1, 16)
            .tries({1, 2, 4, 8, 16}),
        field<kPart, &CountPolicy::waves>("waves", "blocks launched, in multiples of those resident at once")
            .range(1, 64)
            .tries({1, 2, 4}),
        field<kPart, &CountPolicy::shared_bytes>("shared_bytes",
                                                 "shared memory of a block for counters, at most")
            .multiples(kKiB, 4 * kKiB, 256 * kKiB)
            .at_most(most_shared_bytes)
            .tries({24 * kKiB, 48 * kKiB, 96 * kKiB, 200 * kKiB}),
        field<kPart, &CountPolicy::lane_elements>(
            "lane_elements", "bytes of a sequence from which each lane has counters of its own; 0: always")
            .powers(4 * kKiB, std::int64_t{1} << 62)
            .or_zero()
            .tries({0, 1 << 16, 1 << 18, 1 << 20, std::int64_t{1} << 62}),
        launch_bytes(field<kPart, &CountPolicy::launch_bytes>(
            "launch_bytes", "bytes that one launch reads for each multiprocessor")),
        field<kPart, &CountPolicy::batch_bytes>("batch_bytes", "work space of a batch of many sequences")
            .multiples(4 * kKiB, kMiB, 256 * kMiB)};
}

Fields entropy_map_fields() {
    constexpr auto kPart = &Policies::entropy_map;
    return {field<kPart, &EntropyMapPolicy::method>(
                "method", "how windows are counted; unsuitable methods are replaced by the automatic choice")
                .choices({"chosen", "slide", "pairs", "columns"}),
            field<kPart, &EntropyMapPolicy::threads_per_block>("threads_per_block", "threads of a block")
                .multiples(32, 32, 512)
                .tries({32, 64, 128, 256, 512}),
            field<kPart, &EntropyMapPolicy::rows_per_strip>(
                "rows_per_strip", "results that a thread computes down a column; 0: by image and device")
                .range(8, 4096)
                .or_zero()
                .tries({0, 16, 32, 64, 128, 256, 512}),
            field<kPart, &EntropyMapPolicy::columns_per_thread>(
                "columns_per_thread", "of the method slide; 0: by levels and shared memory")
                .range(1, 1)
                .or_zero()
                .tries({0, 1}),
            field<kPart, &EntropyMapPolicy::piece_pixels>("piece_pixels",
                                                          "results of one launch; 0: by method and device")
                .range(4 * kKiB, std::int64_t{1} << 29)
                .or_zero()};
}

Fields quantile_fields() {
    constexpr auto kPart = &Policies::quantile;
    return {
        field<kPart, &QuantilePolicy::block_threads>("block_threads",
                                                     "threads of a block that sorts or narrows")
            .multiples(32, 32, 1024)
            .tries({128, 256, 512, 1024}),
        field<kPart, &QuantilePolicy::room>("room", "elements that a block sorts in shared memory, at most")
            .powers(64, 65536)
            .at_most(most_quantile_room)
            .tries({1024, 2048, 4096, 8192, 16384, 32768}),
        field<kPart, &QuantilePolicy::count_threads>("count_threads", "threads of a block that counts")
            .multiples(32, 32, 1024)
            .tries({128, 256, 512, 1024}),
        field<kPart, &QuantilePolicy::waves>("waves",
                                             "blocks that count, in multiples of those resident at once")
            .range(1, 64)
            .tries({1, 2, 4}),
        field<kPart, &QuantilePolicy::shared_bins>("shared_bins", "bins that a block counts in shared memory")
            .multiples(2048, 2048, 65536)
            .at_most(most_shared_bins)
            .tries({2048, 4096, 8192, 16384, 32768}),
        field<kPart, &QuantilePolicy::warp_elements>("warp_elements", "longest sequence that a warp sorts")
            .range(0, 256)
            .tries({0, 32, 64, 128, 256}),
        field<kPart, &QuantilePolicy::windows>("windows", "quantiles that a block finds by narrowing")
            .range(0, 1024)
            .tries({0, 1, 2, 4, 8, 16, 32}),
        field<kPart, &QuantilePolicy::window_elements>("window_elements",
                                                       "sequence length above which a block narrows")
            .range(256, std::int64_t{1} << 32)
            .tries({256, 512, 1024, 2048, 4096, 8192}),
        field<kPart, &QuantilePolicy::bracket_elements>("bracket_elements",
                                                        "shortest sequence for the search between two cuts")
            .range(4096, std::int64_t{1} << 40)
            .tries({1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 20}),
        field<&Policies::topk, &TopkPolicy::sample>("sample", "elements of the sample that sets the two cuts")
            .range(1024, 16384)
            .tries({2048, 4096, 8192, 12288}),
        field<kPart, &QuantilePolicy::piece_elements>("piece_elements",
                                                      "elements that a multiprocessor counts in one launch")
            .range(64 * kKiB, 64 * kMiB)};
}

Fields rowscale_fields() {
    constexpr auto kPart = &Policies::rowscale;
    return {field<kPart, &RowscalePolicy::threads_per_block>("threads_per_block", "threads of a block")
                .multiples(32, 32, 1024)
                .at_most(most_threads)
                .tries({64, 128, 256, 512, 1024}),
            field<kPart, &RowscalePolicy::packs_per_thread>(
                "packs_per_thread", "16-byte parts of a row that a thread holds, at most")
                .powers(1, 4)
                .tries({1, 2, 4}),
            field<kPart, &RowscalePolicy::waves>("waves",
                                                 "blocks launched, in multiples of those resident at once")
                .range(1, 4096)
                .tries({1, 2, 4, 8, 32, 128}),
            launch_bytes(field<kPart, &RowscalePolicy::launch_bytes>(
                "launch_bytes", "bytes that one launch moves for each multiprocessor"))};
}

Fields topk_fields() {
    constexpr auto kPart = &Policies::topk;
    return {
        field<kPart, &TopkPolicy::block_threads>("block_threads", "threads of a block that selects and sorts")
            .multiples(32, 64, 1024)
            .tries({128, 256, 512, 1024}),
        field<kPart, &TopkPolicy::room>("room", "pairs that a block sorts in shared memory, at most")
            .powers(64, 32768)
            .at_most(most_topk_room)
            .tries({1024, 2048, 4096, 8192, 16384}),
        field<kPart, &TopkPolicy::sample>("sample",
                                          "pairs of the sample that sets the cut; at most 12 times "
                                          "block_threads (8-byte elements: 8 times)")
            .range(1024, 16384)
            .tries({2048, 4096, 8192, 12288}),
        field<kPart, &TopkPolicy::block_elements>("block_elements",
                                                  "longest sequence that a block selects from")
            .range(0, 1 << 20)
            .tries({4096, 8192, 16384, 32768, 65536, 131072}),
        field<kPart, &TopkPolicy::filter_threads>("filter_threads",
                                                  "threads of a block that passes over elements")
            .multiples(32, 32, 512)
            .at_most(most_pass_threads)
            .tries({128, 256, 512}),
        field<kPart, &TopkPolicy::waves>("waves",
                                         "blocks of such passes, in multiples of those resident at once")
            .range(1, 64)
            .tries({1, 2, 4}),
        field<kPart, &TopkPolicy::sort_tile>("sort_tile", "elements that a block of the sort takes at a time")
            .multiples(256, 1024, 4096)
            .tries({1024, 2048, 4096}),
        field<kPart, &TopkPolicy::slice>("slice", "results that a block sorts")
            .range(16, 8192)
            .tries({32, 64, 128, 256, 512}),
        field<kPart, &TopkPolicy::warp_results>("warp_results",
                                                "results that a warp takes of a short sequence, at most")
            .range(0, 256)
            .tries({0, 16, 32, 48, 64, 96, 128}),
        field<kPart, &TopkPolicy::piece_pairs>("piece_pairs",
                                               "pairs that a multiprocessor counts or moves in one launch")
            .range(64 * kKiB, 64 * kMiB)};
}

}  // namespace

const Fields& cuda_policy_fields(std::string_view operation) {
    static const Fields none;
    static const Fields reduce = reduce_fields(),
                        count = count_fields();  // dot; histogram and entropy share each
    static const std::pair<std::string_view, Fields> own[] = {
        {"add", add_fields()},           {"entropy_map", entropy_map_fields()},
        {"quantile", quantile_fields()}, {"rowscale", rowscale_fields()},
        {"topk", topk_fields()},
    };
    if (operation == "reduce" || operation == "dot") return reduce;
    if (operation == "histogram" || operation == "entropy") return count;
    for (const auto& entry : own)
        if (entry.first == operation) return entry.second;
    return none;
}

}  // namespace tegu::tuning
