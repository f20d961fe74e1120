// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "kernels/add/cuda/add.h"
#include "kernels/add/overflow.h"
#include "kernels/execution/cuda/pace.h"
#include "kernels/operation_cuda.h"
#include "kernels/registry.h"

namespace tegu::cuda {
namespace {

using kernels::Int128;

// The exact sum for a value stored modulo 2^bits. A signed sum that wrapped to below zero was too large, the
// others too small; an unsigned sum was too large. In place, the terms are overwritten and only the stored
// value remains.
template <class T>
Int128 exact_sum(const std::byte* stored) {
    T wrapped;
    std::memcpy(&wrapped, stored, sizeof wrapped);
    const Int128 turn = static_cast<Int128>(1) << (8 * sizeof(T));
    const auto value = static_cast<Int128>(wrapped);
    const bool is_signed = T(-1) < T(1);
    return is_signed && wrapped >= T(0) ? value - turn : value + turn;
}

Error overflow_at(ElementType type, std::uint64_t index, const std::byte* stored) {
    return visit_element_type(type, [&](auto element) {
        using T = decltype(element);
        if constexpr (std::is_integral_v<T>) return kernels::add_overflow(type, index, exact_sum<T>(stored));
        return make_error(Status::Internal, "a sum of floats cannot fail");
    });
}

// Launches piece after piece; arrays without gaps are one long row.
Result<void> add_all(ElementType type, AddArrays arrays, const Context& context,
                     const kernels::StopToken& stop) {
    const AddConfig config = context.config(context.policies.add);
    const std::size_t bytes = element_bytes(type);
    if (arrays.x_row_stride == arrays.cols && arrays.y_row_stride == arrays.cols) {
        arrays.cols *= arrays.rows;
        arrays.rows = 1;
    }
    Pace pace(context, stop);
    const std::uint64_t elements = config.policy.launch_bytes * config.limits.multiprocessors / (3 * bytes);
    return pace.launch(pieces_of(arrays.rows, arrays.cols, elements), "add", [&](const Piece& piece) {
        AddArrays part = arrays;
        part.x =
            static_cast<const std::byte*>(arrays.x) + (piece.row * arrays.x_row_stride + piece.col) * bytes;
        part.y =
            static_cast<const std::byte*>(arrays.y) + (piece.row * arrays.y_row_stride + piece.col) * bytes;
        part.first = piece.row * arrays.cols + piece.col;
        part.z = static_cast<std::byte*>(arrays.z) + part.first * bytes;
        part.rows = piece.rows;
        part.cols = piece.cols;
        return launch_add(type, part, config);
    });
}

}  // namespace

Result<kernels::RunReport> run_add(const JobRun& run, const AddParams&, const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    const Job& job = run.job;
    const std::uint64_t none = ~std::uint64_t{0};
    ArrayTaker taker(context);
    auto* const overflow = taker.take<std::uint64_t>(1);
    if (!taker.done()) return taker.done().error();
    const bool exact = !is_float(job.type);
    Result<void> done = exact ? context.workspace->write(overflow, &none, sizeof none) : Result<void>();
    if (!done) return std::move(done).error();
    const Span<const kernels::InputView> in = run.inputs;
    done = add_all(job.type,
                   AddArrays{in[0].data, in[1].data, run.outputs[0].data, job.rows, job.cols,
                             in[0].row_stride, in[1].row_stride, overflow},
                   context, run.stop);
    std::uint64_t first = none;
    if (done && exact) done = context.workspace->read(&first, overflow, sizeof first);
    if (done && first != none) {
        std::byte stored[sizeof(std::uint64_t)] = {};
        const std::size_t bytes = element_bytes(job.type);
        done = context.workspace->read(stored, run.outputs[0].data + first * bytes, bytes);
        if (done) return overflow_at(job.type, first, stored);
    }
    Result<kernels::RunReport> report = report_when_done(std::move(done), context);
    if (!report) return report;
    report->policy.add("block", context.policies.add.threads_per_block);
    report->filled_columns = {job.cols};
    return report;
}

}  // namespace tegu::cuda
