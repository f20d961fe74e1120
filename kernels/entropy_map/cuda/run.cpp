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
    EntropyMapRun(const Job& job, const EntropyMapParams& params, const kernels::InputView& input,
                  const kernels::OutputView& output, const Context& context, const kernels::StopToken& stop)
        : job_(job),
          params_(params),
          context_(context),
          pace_(context, stop),
          image_{job.type,
                 input.data,
                 job.rows,
                 job.cols,
                 input.row_stride,
                 {},
                 reinterpret_cast<float*>(output.data),
                 nullptr},
          window_{params.window_rows, params.window_cols, params.levels, params.border == Border::Mirror} {}

    Result<void> run() {
        Result<void> done = prepare();
        if (!done) return done;
        shape_ = entropy_map_shape(image_, window_, context_.policies.entropy_map, context_.limits);
        Result<void*> plane = context_.workspace->take(shape_.plane_bytes);
        if (!plane) return std::move(plane).error();
        done = for_each_piece([&](const EntropyPiece& piece) {
            return launch_entropy_map(image_, window_, tables_, piece, shape_,
                                      static_cast<std::uint8_t*>(*plane), context_.stream);
        });
        if (!done) return done;
        return is_float(job_.type) ? mark_nans() : context_.workspace->synchronize();
    }
    void describe(kernels::RunPolicy* policy) const {
        policy->add("method", shape_.method == EntropyMapMethod::Pairs     ? "pairs"
                              : shape_.method == EntropyMapMethod::Columns ? "columns"
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
        Result<void*> nan_seen = context_.workspace->take_zeroed(sizeof *image_.nan_seen);
        if (!nan_seen) return std::move(nan_seen).error();
        image_.nan_seen = static_cast<std::uint32_t*>(*nan_seen);
        return make_tables();
    }

    Result<kernels::LevelScale> find_scale() {
        if (params_.has_range)
            return kernels::level_scale_of_range(job_.type, params_.lo, params_.hi, params_.levels,
                                                 "the range");
        if (!is_float(job_.type)) return kernels::whole_level_scale(params_.levels);
        Result<void*> found = context_.workspace->take_zeroed(sizeof(FiniteBounds));
        if (!found) return std::move(found).error();
        const FiniteArrays arrays{
            image_.x, static_cast<FiniteBounds*>(*found), 1, image_.rows, image_.cols, image_.row_stride};
        Result<void> done = find_finite_bounds(job_.type, arrays, context_, &pace_);
        FiniteBounds bounds{0, 0};
        if (done) done = context_.workspace->read(&bounds, *found, sizeof bounds);
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
        const std::size_t bytes = host.size() * sizeof(std::uint32_t);
        Result<void*> device = context_.workspace->take(bytes);
        if (!device) return std::move(device).error();
        const auto* const entries = static_cast<const std::uint32_t*>(*device);
        tables_ = EntropyTables{entries, entries + pixels + 1, static_cast<float>(std::uint32_t{1} << shift)};
        return context_.workspace->write(*device, host.data(), bytes);
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
        Result<void*> columns = context_.workspace->take(
            entropy_nan_bytes(window_, EntropyPiece{0, shape_.piece_rows, 0, shape_.piece_cols}));
        if (!columns) return std::move(columns).error();
        done = for_each_piece([&](const EntropyPiece& piece) {
            return launch_entropy_nans(image_, window_, piece, static_cast<std::uint32_t*>(*columns),
                                       context_.limits, context_.stream);
        });
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
};

}  // namespace

Result<kernels::RunReport> run_entropy_map(const JobRun& run, const EntropyMapParams& params,
                                           const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    EntropyMapRun own(run.job, params, run.inputs[0], run.outputs[0], context, run.stop);
    Result<void> done = own.run();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    own.describe(&report.policy);
    report.filled_columns = {run.job.cols};
    return report;
}

}  // namespace tegu::cuda
