// SPDX-License-Identifier: Apache-2.0
// The checks, the plan and the run of entropy_map. A run cuts the map into tiles and lets each thread take the next one; what
// happens in a tile stands in entropy_map_tile.cpp.
#include "kernels/entropy_map.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>

#include "kernels/cpu_isa.h"
#include "kernels/entropy_map_tile.h"
#include "kernels/entropy_table.h"
#include "kernels/thread_pool.h"

namespace tegu::kernels {
namespace {

constexpr std::uint32_t kMinWindow = 3, kMaxWindow = 63;
constexpr std::uint32_t kMinLevels = 2, kMaxLevels = 256;
// More threads than this do not work on one map: it bounds the scratch memory that a plan must announce.
constexpr std::uint64_t kMaxWorkers = 16;
// Pixels per step of the search for the range.
constexpr std::uint64_t kRangePixels = 65536;

std::string to_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

bool takes_type(ElementType type) {
    switch (type) {
#define TEGU_X(Name, word, ctype) case ElementType::Name:
        TEGU_ENTROPY_TYPES(TEGU_X)
#undef TEGU_X
        return true;
        default: return false;
    }
}

std::string allowed_types() {
    std::string words;
#define TEGU_X(Name, word, ctype) words += std::string(words.empty() ? "" : ", ") + #word;
    TEGU_ENTROPY_TYPES(TEGU_X)
#undef TEGU_X
    return words;
}

Result<void> check_window(const char* field, std::uint32_t extent) {
    if (extent >= kMinWindow && extent <= kMaxWindow && extent % 2 == 1) return {};
    const bool even = extent % 2 == 0;
    return bad_range(field, "odd, 3..63",
                     "a window of " + std::to_string(extent) + (even ? " has no centre" : " is out of range"));
}

// lo and hi as the kernels use them. `from`: what the message says about where they come from.
Result<EntropyScale> scale_of_range(double lo, double hi, std::uint32_t levels, const char* from) {
    const char* const allowed = "two finite numbers lo < hi whose distance is finite and not too small in f32";
    const float low = static_cast<float>(lo), high = static_cast<float>(hi);
    const std::string found = std::string(from) + ", " + to_text(lo) + " to " + to_text(hi) + ", is ";
    if (!std::isfinite(low) || !std::isfinite(high)) return bad_range("range", allowed, found + "not finite in f32");
    if (!(low < high)) return bad_range("range", allowed, found + "empty in f32");
    const double distance = static_cast<double>(high) - static_cast<double>(low);
    EntropyScale scale;
    scale.by_range = true;
    scale.lo = low;
    scale.inv = static_cast<float>(static_cast<double>(levels) / distance);
    scale.levels = levels;
    if (!std::isfinite(static_cast<float>(distance)) || !std::isfinite(scale.inv))
        return bad_range("range", allowed, found + "too wide or too narrow for f32");
    return scale;
}

Result<void> check_params(const Job& job, const EntropyMapParams& params) {
    if (!takes_type(job.type))
        return field_error(Status::Unsupported, "type", allowed_types(),
                           "entropy_map does not take " + std::string(element_word(job.type)));
    if (job.axis != Axis::Whole)
        return field_error(Status::BadRequest, "axis", "0 (whole)",
                           "entropy_map works on the whole image, not on single rows");
    if (Result<void> rows = check_window("window_rows", params.window_rows); !rows) return rows;
    if (Result<void> cols = check_window("window_cols", params.window_cols); !cols) return cols;
    if (params.levels < kMinLevels || params.levels > kMaxLevels)
        return bad_range("levels", "2..256", "levels is " + std::to_string(params.levels));
    if (params.base != LogBase::Two && params.base != LogBase::E)
        return field_error(Status::BadRequest, "base", "0 (two) or 1 (e)", "base of the logarithm is not known");
    if (params.border != Border::Clip && params.border != Border::Mirror)
        return field_error(Status::BadRequest, "border", "0 (clip) or 1 (mirror)", "border rule is not known");
    if (params.has_range) {
        Result<EntropyScale> scale = scale_of_range(params.lo, params.hi, params.levels, "the range");
        if (!scale) return std::move(scale).error();
    }
    if (job.rows == 0 || job.cols == 0)
        return field_error(Status::EmptyInput, job.rows == 0 ? "rows" : "cols", "at least 1",
                           "an image without pixels has no entropy map");
    return {};
}

struct FreeAligned {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;

// Null if there is no memory.
AlignedBytes allocate(std::size_t bytes) {
    return AlignedBytes(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{64}, std::nothrow)));
}

// Smallest and largest finite pixel, found piece by piece. lo > hi if there is none.
struct FoundRange {
    std::atomic<float> lo{std::numeric_limits<float>::infinity()};
    std::atomic<float> hi{-std::numeric_limits<float>::infinity()};

    void merge(float low, float high) {
        float seen = lo.load(std::memory_order_relaxed);
        while (low < seen && !lo.compare_exchange_weak(seen, low, std::memory_order_relaxed)) {
        }
        seen = hi.load(std::memory_order_relaxed);
        while (high > seen && !hi.compare_exchange_weak(seen, high, std::memory_order_relaxed)) {
        }
    }
};

void run_parallel(ThreadPool* pool, std::uint64_t count, const std::function<void(std::uint64_t, unsigned)>& body) {
    if (pool != nullptr)
        pool->parallel_for(count, body);
    else
        for (std::uint64_t index = 0; index < count; ++index) body(index, 0);
}

// The scale from the data: the range of its finite pixels. All pixels are level 0 if that is empty or a single value.
Result<EntropyScale> scale_of_data(const Job& job, std::uint32_t levels, const InputView& input, ThreadPool* pool,
                                   const StopToken& stop) {
    const std::uint64_t pieces_across = (job.cols + kRangePixels - 1) / kRangePixels;
    const std::uint64_t rows_per_piece = std::max<std::uint64_t>(1, kRangePixels / job.cols);
    const std::uint64_t pieces = pieces_across * ((job.rows + rows_per_piece - 1) / rows_per_piece);
    FoundRange found;
    std::atomic<bool> stopped{false};
    run_parallel(pool, pieces, [&](std::uint64_t piece, unsigned) {
        if (stopped.load(std::memory_order_relaxed)) return;
        if (stop.stop_requested()) return stopped.store(true, std::memory_order_relaxed);
        const std::uint64_t col = piece % pieces_across * kRangePixels;
        const std::uint64_t row = piece / pieces_across * rows_per_piece;
        const std::size_t n = static_cast<std::size_t>(std::min(kRangePixels, job.cols - col));
        float lo = std::numeric_limits<float>::infinity(), hi = -lo;
        for (std::uint64_t r = row; r < std::min(row + rows_per_piece, job.rows); ++r)
            TEGU_ISA_SELECT(entropy_range_f32)(input.data + (r * input.row_stride + col) * sizeof(float), n, &lo, &hi);
        found.merge(lo, hi);
    });
    if (stopped) return stop.error();
    const float lo = found.lo, hi = found.hi;
    if (lo < hi) return scale_of_range(lo, hi, levels, "the range of the finite pixels");
    EntropyScale flat;
    flat.by_range = true;
    flat.levels = levels;
    return flat;
}

Result<EntropyScale> find_scale(const Job& job, const EntropyMapParams& params, const InputView& input,
                                ThreadPool* pool, const StopToken& stop) {
    if (params.has_range) return scale_of_range(params.lo, params.hi, params.levels, "the range");
    if (is_float(job.type)) return scale_of_data(job, params.levels, input, pool, stop);
    EntropyScale scale;
    scale.levels = params.levels;
    return scale;
}

// Fills F and its differences into `memory` (layout.table_bytes) and points the image to them.
void fill_tables(const EntropyMapParams& params, const EntropyLayout& layout, std::byte* memory, EntropyImage* image) {
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

std::uint64_t workers_of(const EntropyLayout& layout, std::uint64_t threads) {
    return std::min({threads, layout.tiles_down * layout.tiles_across, kMaxWorkers});
}

}  // namespace

Result<JobPlan> plan_entropy_map(const Job& job, const EntropyMapParams& params) {
    if (Result<void> checked = check_params(job, params); !checked) return std::move(checked).error();
    const std::uint64_t pixels = job.rows * job.cols;
    if (pixels > (std::uint64_t{1} << 62) / sizeof(float))
        return field_error(Status::TooLarge, "rows", "rows * cols up to 2^60",
                           "the map would be larger than any buffer");
    const EntropyPolicy policy = choose_entropy_policy(params);
    const EntropyLayout layout = entropy_layout(job, params, policy);
    const bool two_passes = is_float(job.type) && !params.has_range;
    JobPlan plan;
    plan.outputs.push_back({ArrayRole::Map, ElementType::F32, job.rows, job.cols});
    plan.bytes_read = pixels * element_bytes(job.type) * (two_passes ? 2 : 1);
    plan.bytes_written = pixels * sizeof(float);
    plan.scratch_bytes = layout.table_bytes + workers_of(layout, kMaxWorkers) * layout.worker_bytes;
    plan.predicted_ns = predict_entropy_ns(job, params, policy.method);
    return plan;
}

Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy,
                                  Span<const InputView> inputs, Span<const OutputView> outputs, ThreadPool* pool,
                                  const StopToken& stop) {
    const EntropyLayout layout = entropy_layout(job, params, policy);
    const std::uint64_t tiles = layout.tiles_down * layout.tiles_across;
    const std::uint64_t workers = workers_of(layout, pool == nullptr ? 1 : pool->threads());
    const std::size_t bytes = layout.table_bytes + workers * layout.worker_bytes;
    const AlignedBytes memory = allocate(bytes);
    if (!memory) return make_error(Status::OutOfMemory, "no memory for " + std::to_string(bytes) + " bytes of scratch");

    Result<EntropyScale> scale = find_scale(job, params, inputs[0], pool, stop);
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

    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stopped{false};
    run_parallel(pool, workers, [&](std::uint64_t worker, unsigned) {
        std::byte* scratch = memory.get() + layout.table_bytes + worker * layout.worker_bytes;
        while (!stopped.load(std::memory_order_relaxed)) {
            const std::uint64_t tile = next.fetch_add(1, std::memory_order_relaxed);
            if (tile >= tiles) return;
            if (!run_entropy_tile(image, layout, tile, scratch)) stopped.store(true, std::memory_order_relaxed);
        }
    });
    if (stopped) return stop.error();

    RunReport report;
    report.policy = std::string("cpu ") + cpu_isa() + " threads=" + std::to_string(workers) +
                    " method=" + std::string(entropy_method_word(policy.method)) +
                    " tile=" + std::to_string(layout.tile_rows) + "x" + std::to_string(layout.tile_cols);
    report.filled_columns.push_back(job.cols);
    return report;
}

Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, Span<const InputView> inputs,
                                  Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop) {
    return run_entropy_map(job, params, choose_entropy_policy(params), inputs, outputs, pool, stop);
}

}  // namespace tegu::kernels
