// SPDX-License-Identifier: Apache-2.0
// entropy_map: the Shannon entropy of the window around each pixel. Workers take tiles of the map in turn;
// kernels/entropy_map/cpu/tile.cpp computes a tile.
#include <algorithm>
#include <atomic>

#include "kernels/counting/cpu/levels.h"
#include "kernels/entropy_map/cpu/tile.h"
#include "kernels/entropy_map/method.h"
#include "kernels/execution/cpu/aligned_memory.h"
#include "kernels/execution/cpu/worker_group.h"
#include "kernels/numerics/entropy_table.h"
#include "kernels/registry.h"

namespace tegu::kernels {
namespace {

constexpr std::uint32_t kMinWindow = 3, kMaxWindow = 63;
constexpr std::uint32_t kMinLevels = 2, kMaxLevels = 256;
// Pixels per step of the search for the range.
constexpr std::uint64_t kRangePixels = 65536;

Result<void> check_window(const char* field, std::uint32_t extent) {
    if (extent >= kMinWindow && extent <= kMaxWindow && extent % 2 == 1) return {};
    const bool even = extent % 2 == 0;
    return bad_range(
        field, "odd, 3..63",
        "a window of " + std::to_string(extent) + (even ? " has no centre" : " is out of range"));
}

Result<void> check_params(const Job& job, const EntropyMapParams& params) {
    if (job.axis != Axis::Whole)
        return field_error(Status::BadRequest, "axis", "0 (whole)",
                           "entropy_map works on the whole image, not on single rows");
    if (Result<void> rows = check_window("window_rows", params.window_rows); !rows) return rows;
    if (Result<void> cols = check_window("window_cols", params.window_cols); !cols) return cols;
    if (params.levels < kMinLevels || params.levels > kMaxLevels)
        return bad_range("levels", "2..256", "levels is " + std::to_string(params.levels));
    if (params.base != LogBase::Two && params.base != LogBase::E)
        return bad_range("base", "0 (two) or 1 (e)", "base of the logarithm is not known");
    if (params.border != Border::Clip && params.border != Border::Mirror)
        return bad_range("border", "0 (clip) or 1 (mirror)", "border rule is not known");
    if (params.has_range) {
        Result<LevelScale> scale =
            level_scale_of_range(job.type, params.lo, params.hi, params.levels, "the range");
        if (!scale) return std::move(scale).error();
    }
    if (job.rows == 0 || job.cols == 0)
        return field_error(Status::EmptyInput, job.rows == 0 ? "rows" : "cols", "at least 1",
                           "an image without pixels has no entropy map");
    return {};
}

// Merges the minimum and maximum of all pieces, in any order.
class SharedRange {
  public:
    void merge(const FiniteRange& piece) {
        double seen = lo_.load(std::memory_order_relaxed);
        while (piece.lo < seen && !lo_.compare_exchange_weak(seen, piece.lo, std::memory_order_relaxed)) {
        }
        seen = hi_.load(std::memory_order_relaxed);
        while (piece.hi > seen && !hi_.compare_exchange_weak(seen, piece.hi, std::memory_order_relaxed)) {
        }
    }
    FiniteRange get() const { return {lo_.load(), hi_.load()}; }

  private:
    std::atomic<double> lo_{FiniteRange().lo};
    std::atomic<double> hi_{FiniteRange().hi};
};

// The scale from the data: the range of its finite pixels.
Result<LevelScale> scale_of_data(const Job& job, std::uint32_t levels, const InputView& input,
                                 const WorkerGroup& workers) {
    const std::uint64_t pieces_across = (job.cols + kRangePixels - 1) / kRangePixels;
    const std::uint64_t rows_per_piece = std::max<std::uint64_t>(1, kRangePixels / job.cols);
    const std::uint64_t pieces = pieces_across * ((job.rows + rows_per_piece - 1) / rows_per_piece);
    const FindFiniteRange find = find_finite_range(job.type);
    SharedRange found;
    const bool done = workers.run(pieces, [&](std::uint64_t piece, unsigned) {
        const std::uint64_t col = piece % pieces_across * kRangePixels;
        const std::uint64_t row = piece / pieces_across * rows_per_piece;
        const std::size_t n = static_cast<std::size_t>(std::min(kRangePixels, job.cols - col));
        FiniteRange range;
        for (std::uint64_t r = row; r < std::min(row + rows_per_piece, job.rows); ++r)
            find(input.data + (r * input.row_stride + col) * element_bytes(job.type), n, &range);
        found.merge(range);
        return true;
    });
    if (!done) return workers.stop().error();
    return level_scale_of_data(job.type, found.get(), levels);
}

Result<LevelScale> find_scale(const Job& job, const EntropyMapParams& params, const InputView& input,
                              const WorkerGroup& workers) {
    if (params.has_range)
        return level_scale_of_range(job.type, params.lo, params.hi, params.levels, "the range");
    if (is_float(job.type)) return scale_of_data(job, params.levels, input, workers);
    return whole_level_scale(params.levels);
}

// Fills F and its differences into `memory` (layout.table_bytes) and points the image to them.
void fill_tables(const EntropyMapParams& params, const EntropyLayout& layout, std::byte* memory,
                 EntropyImage* image) {
    const std::uint32_t n_max = params.window_rows * params.window_cols;
    std::uint32_t* table = reinterpret_cast<std::uint32_t*>(memory);
    std::uint32_t* differences = reinterpret_cast<std::uint32_t*>(memory + layout.table_bytes / 2);
    std::fill_n(table, layout.table_bytes / sizeof *table, 0u);
    image->shift = entropy_table_shift(params.base, n_max);
    fill_entropy_table(params.base, image->shift, Span<std::uint32_t>(table, n_max + 1));
    for (std::uint32_t n = 0; n < n_max; ++n) differences[n] = table[n + 1] - table[n];
    image->table = table;
    image->differences = differences;
}

// The number of workers that have a tile to compute.
unsigned workers_of(const EntropyLayout& layout) {
    return static_cast<unsigned>(
        std::min<std::uint64_t>(layout.tiles_down * layout.tiles_across, kMaxWorkers));
}

}  // namespace

Result<JobPlan> plan_entropy_map(const Job& job, const EntropyMapParams& params,
                                 const CpuPolicies& policies) {
    if (Result<void> checked = check_params(job, params); !checked) return std::move(checked).error();
    const std::uint64_t pixels = job.rows * job.cols;
    if (pixels > (std::uint64_t{1} << 62) / sizeof(float))
        return field_error(Status::TooLarge, "rows", "rows * cols up to 2^60",
                           "the map would be larger than any buffer");
    const EntropyPolicy policy = entropy_policy_of(params, policies.entropy_map);
    const EntropyLayout layout = entropy_layout(job, params, policy);
    const bool two_passes = is_float(job.type) && !params.has_range;
    JobPlan plan;
    plan.outputs.push_back({ArrayRole::Map, ElementType::F32, job.rows, job.cols});
    plan.bytes_read = pixels * element_bytes(job.type) * (two_passes ? 2 : 1);
    plan.bytes_written = pixels * sizeof(float);
    plan.scratch_bytes = layout.table_bytes + workers_of(layout) * layout.worker_bytes;
    plan.predicted_ns = predict_entropy_ns(job, params, policy.method);
    plan.method.store(policy);
    return plan;
}

Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy,
                                  Span<const InputView> inputs, Span<const OutputView> outputs,
                                  ThreadPool* pool, const StopToken& stop) {
    const EntropyLayout layout = entropy_layout(job, params, policy);
    const WorkerGroup all(pool, stop);
    const WorkerGroup workers = all.limited(workers_of(layout));
    const std::size_t bytes = layout.table_bytes + workers.size() * layout.worker_bytes;
    const AlignedBytes memory = allocate_aligned(bytes);
    if (!memory)
        return make_error(Status::OutOfMemory,
                          "no memory for " + std::to_string(bytes) + " bytes of scratch");

    Result<LevelScale> scale = find_scale(job, params, inputs[0], all);
    if (!scale) return std::move(scale).error();
    EntropyImage image;
    image.job = &job;
    image.params = &params;
    image.policy = policy;
    image.input = inputs[0];
    image.map = reinterpret_cast<float*>(outputs[0].data);
    image.scale = *scale;
    image.stop = &stop;
    fill_tables(params, layout, memory.get(), &image);

    const std::uint64_t tiles = layout.tiles_down * layout.tiles_across;
    const bool done = workers.run(tiles, [&](std::uint64_t tile, unsigned worker) {
        return run_entropy_tile(image, layout, tile,
                                memory.get() + layout.table_bytes + worker * layout.worker_bytes);
    });
    if (!done) return stop.error();

    RunReport report = cpu_report(workers.size());
    report.policy.add("method", std::string(entropy_method_word(policy.method)));
    report.policy.add("tile", std::to_string(layout.tile_rows) + "x" + std::to_string(layout.tile_cols));
    report.filled_columns.push_back(job.cols);
    return report;
}

Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, const JobPlan& plan,
                                  Span<const InputView> inputs, Span<const OutputView> outputs,
                                  const CpuContext& context, const StopToken& stop) {
    return run_entropy_map(job, params, plan.method.load<EntropyPolicy>(), inputs, outputs,
                           context.pool_for(plan.predicted_ns, 0), stop);
}

}  // namespace tegu::kernels
