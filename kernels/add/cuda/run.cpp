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
    const AddPolicy& policy = context.policies.add;
    const std::size_t bytes = element_bytes(type);
    if (arrays.x_row_stride == arrays.cols && arrays.y_row_stride == arrays.cols) {
        arrays.cols *= arrays.rows;
        arrays.rows = 1;
    }
    Pace pace(context, stop);
    const std::uint64_t elements = policy.launch_bytes * context.limits.multiprocessors / (3 * bytes);
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
        return launch_add(type, part, policy, context.limits, context.stream);
    });
}

}  // namespace

Result<kernels::RunReport> run_add(const JobRun& run, const AddParams&, const Context& context) {
    if (run.stop.stop_requested()) return run.stop.error();
    const std::uint64_t none = ~std::uint64_t{0};
    Result<void*> overflow = context.workspace->take(sizeof none);
    if (!overflow) return std::move(overflow).error();
    const bool exact = !is_float(run.job.type);
    if (exact) {
        Result<void> set = context.workspace->write(*overflow, &none, sizeof none);
        if (!set) return std::move(set).error();
    }
    const AddArrays arrays{run.inputs[0].data,
                           run.inputs[1].data,
                           run.outputs[0].data,
                           run.job.rows,
                           run.job.cols,
                           run.inputs[0].row_stride,
                           run.inputs[1].row_stride,
                           static_cast<std::uint64_t*>(*overflow)};
    Result<void> launched = add_all(run.job.type, arrays, context, run.stop);
    if (!launched) return std::move(launched).error();
    if (exact) {
        std::uint64_t first = none;
        Result<void> read = context.workspace->read(&first, *overflow, sizeof first);
        if (!read) return std::move(read).error();
        if (first != none) {
            std::byte stored[sizeof(std::uint64_t)] = {};
            const std::size_t bytes = element_bytes(run.job.type);
            read = context.workspace->read(stored, run.outputs[0].data + first * bytes, bytes);
            if (!read) return std::move(read).error();
            return overflow_at(run.job.type, first, stored);
        }
    }
    Result<void> done = context.workspace->synchronize();
    if (!done) return std::move(done).error();
    kernels::RunReport report = cuda_report(context);
    report.policy.add("block", context.policies.add.threads_per_block);
    report.filled_columns = {run.job.cols};
    return report;
}

}  // namespace tegu::cuda
