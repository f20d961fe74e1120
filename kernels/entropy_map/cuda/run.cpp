// SPDX-License-Identifier: Apache-2.0
// Launches an entropy_map job: first the range of float data if none is given, then each piece, then the NaN
// results. The host makes the table and the scale, with the code of the CPU backend.
#include <algorithm>
#include <vector>

#include "kernels/counting/cuda/levels_run.h"
#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/numerics/entropy_table.h"
#include "kernels/numerics/levels.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"

namespace tegu::cuda {
namespace {

class EntropyMapRun {
  public:
    EntropyMapRun(const JobRun& run, const EntropyMapParams& params, const Context& context)
        : job_(run.job),
          params_(params),
          context_(context),
          pace_(context, run.stop),
          image_{job_.type,
                 run.inputs[0].data,
                 job_.rows,
                 job_.cols,
                 run.inputs[0].row_stride,
                 {},
                 reinterpret_cast<float*>(run.outputs[0].data),
                 nullptr},
          window_{params.window_rows, params.window_cols, params.levels, params.border == Border::Mirror} {}

    Result<void> run() {
        Result<void> done = prepare();
        if (!done) return done;
        shape_ = entropy_map_shape(image_, window_, context_.policies.entropy_map, context_.limits);
        ArrayTaker arrays(context_);
        auto* const plane = arrays.take<std::uint8_t>(shape_.plane_bytes);
        if (!arrays.done()) return arrays.done();
        done = for_each_piece([&](const EntropyPiece& piece) {
            return launch_entropy_map(launch_, piece, plane, context_.stream);
        });
        if (!done) return done;
        return is_float(job_.type) ? mark_nans() : context_.workspace->synchronize();
    }
    void describe(kernels::RunPolicy* policy) const {
        policy->add("method", shape_.method == EntropyMapMethod::Pairs     ? "pairs"
                              : shape_.method == EntropyMapMethod::Columns ? "columns"
                              : shape_.method == EntropyMapMethod::Quads   ? "quads"
                                                                           : "slide");
        if (shape_.plane) policy->add_word("plane", "plane");
        policy->add("block", shape_.threads);
        policy->add("columns", shape_.columns);
        policy->add("strip", shape_.strip_rows);
    }

  private:
    Result<void> prepare() {
        Result<kernels::LevelScale> scale = find_scale();
        if (!scale) return std::move(scale).error();
        image_.rule = level_rule(*scale);
        ArrayTaker arrays(context_);
        image_.nan_seen = arrays.take_zeroed<std::uint32_t>(1);
        if (!arrays.done()) return arrays.done();
        return make_tables();
    }

    Result<kernels::LevelScale> find_scale() {
        if (params_.has_range)
            return kernels::level_scale_of_range(job_.type, params_.lo, params_.hi, params_.levels,
                                                 "the range");
        if (!is_float(job_.type)) return kernels::whole_level_scale(params_.levels);
        ArrayTaker taker(context_);
        auto* const found = taker.take_zeroed<FiniteBounds>(1);
        if (!taker.done()) return taker.done().error();
        const FiniteArrays arrays{image_.x, found, 1, image_.rows, image_.cols, image_.row_stride};
        Result<void> done = find_finite_bounds(job_.type, arrays, context_, &pace_);
        FiniteBounds bounds{0, 0};
        if (done) done = context_.workspace->read(&bounds, found, sizeof bounds);
        if (!done) return std::move(done).error();
        return kernels::level_scale_of_data(
            job_.type, finite_range_of<kernels::FiniteRange>(job_.type, bounds), params_.levels);
    }

    Result<void> make_tables() {
        const std::uint32_t pixels = window_.rows * window_.cols;
        const unsigned shift = kernels::entropy_table_shift(params_.base, pixels);
        std::vector<std::uint32_t> host(2 * pixels + 1);
        kernels::fill_entropy_table(params_.base, shift, Span<std::uint32_t>(host.data(), pixels + 1));
        for (std::uint32_t n = 0; n < pixels; ++n) host[pixels + 1 + n] = host[n + 1] - host[n];
        ArrayTaker arrays(context_);
        auto* const entries = arrays.take<std::uint32_t>(host.size());
        if (!arrays.done()) return arrays.done();
        tables_ = EntropyTables{entries, entries + pixels + 1, static_cast<float>(std::uint32_t{1} << shift)};
        return context_.workspace->write(entries, host.data(), host.size() * sizeof(std::uint32_t));
    }

    template <class Launch>
    Result<void> for_each_piece(Launch launch) {
        const PieceGrid grid{job_.rows, job_.cols, shape_.piece_rows, shape_.piece_cols};
        return pace_.launch(grid, "entropy_map", [&](const Piece& piece) {
            return launch(EntropyPiece{piece.row, piece.row + piece.rows, piece.col, piece.col + piece.cols});
        });
    }

    Result<void> mark_nans() {
        std::uint32_t seen = 0;
        Result<void> done = context_.workspace->read(&seen, image_.nan_seen, sizeof seen);
        if (!done || seen == 0) return done;
        ArrayTaker arrays(context_);
        auto* const columns = arrays.take<std::uint32_t>(
            entropy_nan_bytes(window_, EntropyPiece{0, shape_.piece_rows, 0, shape_.piece_cols}) /
            sizeof(std::uint32_t));
        if (!arrays.done()) return arrays.done();
        const EntropyMapConfig config = context_.config(context_.policies.entropy_map);
        done = for_each_piece(
            [&](const EntropyPiece& piece) { return launch_entropy_nans(launch_, piece, columns, config); });
        return done ? context_.workspace->synchronize() : done;
    }

    const Job& job_;
    const EntropyMapParams& params_;
    const Context& context_;
    Pace pace_;
    EntropyMapImage image_;
    const EntropyWindow window_;
    EntropyTables tables_{};
    EntropyMapShape shape_{};
    const EntropyMapJob launch_{image_, window_, tables_, shape_};
};

}  // namespace

Result<kernels::RunReport> run_entropy_map(const JobRun& run, const EntropyMapParams& params,
                                           const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    EntropyMapRun map(run, params, context);
    Result<void> done = map.run();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    map.describe(&report.policy);
    report.filled_columns = {run.job.cols};
    return report;
}

}  // namespace tegu::cuda
