// SPDX-License-Identifier: Apache-2.0
#include "daemon/prepared_job.h"

#include <string>
#include <utility>

namespace tegu::daemon {
namespace {

// "generation" -> "inputs[0].generation": buffers do not know what they are to a job.
Error prefixed(Error error, const std::string& operand) {
    error.field = operand + "." + (error.field.empty() || error.field == "descriptor" ? "handle" : error.field);
    return error;
}

Error not_found(const std::string& operand, std::uint64_t handle) {
    return field_error(Status::NotFound, operand + ".handle", "a handle of this connection",
                       "no buffer has the handle " + std::to_string(handle));
}

// Bytes from the first to the last element of a rows x cols array; nothing if they do not fit 63 bits.
// REQUIRES: plan_job(job) succeeded, so rows * cols * element size fits.
bool extent_of(const Job& job, std::uint64_t row_stride, std::uint64_t& bytes) {
    bytes = 0;
    if (job.rows == 0 || job.cols == 0) return true;
    return !__builtin_mul_overflow(job.rows - 1, row_stride, &bytes) &&
           !__builtin_add_overflow(bytes, job.cols, &bytes) &&
           !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(element_bytes(job.type)), &bytes) &&
           bytes <= INT64_MAX;
}

struct BoundInput {
    std::shared_ptr<Buffer> buffer;
    BufferRange range;
};

Result<BoundInput> bind_input(const Job& job, const wire::Operand& operand, std::uint64_t row_stride,
                              const BufferTable& buffers, const std::string& name) {
    std::shared_ptr<Buffer> buffer = buffers.find(operand.handle);
    if (buffer == nullptr) return not_found(name, operand.handle);
    const std::size_t element = element_bytes(job.type);
    if (operand.offset_bytes % element != 0)
        return bad_range(
            name + ".offset_bytes", "a multiple of " + std::to_string(element),
            "offset " + std::to_string(operand.offset_bytes) + " is not aligned for the type of the input");
    std::uint64_t extent = 0;
    const bool fits = extent_of(job, row_stride, extent);
    if (!fits || extent > buffer->bytes() || operand.offset_bytes > buffer->bytes() - extent)
        return bad_range(name + ".offset_bytes",
                         fits && extent <= buffer->bytes()
                             ? "0.." + std::to_string(buffer->bytes() - extent)
                             : "a shape within " + std::to_string(buffer->bytes()) + " bytes",
                         "the input ends beyond its buffer of " + std::to_string(buffer->bytes()) + " bytes");
    Result<void> pages = buffer->check_pages();
    if (!pages) return prefixed(std::move(pages).error(), name);
    Result<void> generation = buffer->note_generation(operand.generation);
    if (!generation) return prefixed(std::move(generation).error(), name);
    return BoundInput{std::move(buffer), {operand.offset_bytes, operand.offset_bytes + extent, false}};
}

Result<void> bind_inputs(const wire::JobRequest& request, const BufferTable& buffers, PreparedJob& prepared,
                         std::array<BoundInput, wire::kMaxInputs>& bound) {
    std::uint64_t inline_offset = 0;
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        const wire::Operand& operand = request.inputs[i];
        kernels::InputView& view = prepared.inputs[i];
        view.row_stride = operand.row_stride != 0 ? operand.row_stride : request.job.cols;
        if (operand.handle == 0) {
            view.data = request.data.data() + inline_offset;
            inline_offset +=
                (request.job.rows * request.job.cols * element_bytes(request.job.type) + 7) & ~std::uint64_t{7};
            continue;
        }
        const std::string name = "inputs[" + std::to_string(i) + "]";
        if (view.row_stride < request.job.cols)
            return bad_range(name + ".row_stride", "0, or at least " + std::to_string(request.job.cols),
                             "rows would overlap: the stride is " + std::to_string(view.row_stride));
        Result<BoundInput> input = bind_input(request.job, operand, view.row_stride, buffers, name);
        if (!input) return std::move(input).error();
        view.data = input->buffer->read_data() + operand.offset_bytes;
        Result<BufferUse> use = BufferUse::begin(input->buffer, input->range);
        if (!use) return prefixed(std::move(use).error(), name);
        prepared.uses[i] = std::move(use).value();
        bound[i] = std::move(input).value();
    }
    return {};
}

Result<void> check_output(const wire::OutputOperand& output, const Buffer& buffer, std::uint64_t needed) {
    if (output.offset_bytes > buffer.bytes() || output.capacity_bytes > buffer.bytes() - output.offset_bytes)
        return bad_range("output.offset_bytes", "offset_bytes + capacity_bytes up to " + std::to_string(buffer.bytes()),
                         std::to_string(output.capacity_bytes) + " bytes from offset " +
                             std::to_string(output.offset_bytes) + " end beyond the buffer of " +
                             std::to_string(buffer.bytes()) + " bytes");
    if (needed > output.capacity_bytes)
        return field_error(Status::TooLarge, "output.capacity_bytes", std::to_string(needed) + " bytes or more",
                           "the result of " + std::to_string(needed) + " bytes does not fit the output of " +
                               std::to_string(output.capacity_bytes));
    return {};
}

Result<void> bind_output(const wire::OutputOperand& output, const BufferTable& buffers,
                         const std::array<BoundInput, wire::kMaxInputs>& inputs, PreparedJob& prepared) {
    const std::shared_ptr<Buffer> buffer = buffers.find(output.handle);
    if (buffer == nullptr) return not_found("output", output.handle);
    Result<void> fits = check_output(output, *buffer, prepared.result_bytes);
    if (!fits) return fits;
    const BufferRange range{output.offset_bytes, output.offset_bytes + prepared.result_bytes, true};
    for (const BoundInput& input : inputs)
        if (input.buffer == buffer && range.conflicts(input.range))
            return bad_range("output.offset_bytes", "bytes that are not input of the same job",
                             "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                                 " of the output overlap the input at " + std::to_string(input.range.begin) + " to " +
                                 std::to_string(input.range.end));
    Result<void> pages = buffer->check_pages();
    if (!pages) return prefixed(std::move(pages).error(), "output");
    Result<std::byte*> data = buffer->write_data();
    if (!data) return prefixed(std::move(data).error(), "output");
    Result<BufferUse> use = BufferUse::begin(buffer, range);
    if (!use) return prefixed(std::move(use).error(), "output");
    prepared.output = *data + output.offset_bytes;
    prepared.uses.back() = std::move(use).value();
    return {};
}

Result<void> lay_out(PreparedJob& prepared) {
    Result<std::uint64_t> bytes = wire::layout_arrays(
        prepared.plan.outputs, prepared.in_output ? wire::kArrayAlignment : 8, prepared.output_offsets);
    if (!bytes) return std::move(bytes).error();
    prepared.result_bytes = *bytes;
    if (!prepared.in_output && *bytes > wire::kMaxInlineBytes)
        return field_error(Status::TooLarge, "output.handle", std::to_string(*bytes) + " bytes in an output buffer",
                           "the result of " + std::to_string(*bytes) + " bytes is too large for a reply");
    return {};
}

}  // namespace

void PreparedJob::rebase_inline(Bytes from, const std::byte* to) {
    for (std::size_t i = 0; i < input_count; ++i) {
        const std::byte* data = inputs[i].data;
        if (data >= from.begin() && data <= from.end()) inputs[i].data = to + (data - from.begin());
    }
}

Result<PreparedJob> prepare_job(const wire::JobRequest& request, const BufferTable& buffers,
                                std::uint64_t scratch_bytes) {
    if (request.backend == wire::BackendChoice::Gpu)
        return field_error(Status::Unsupported, "backend", "auto, cpu", "this daemon has no GPU backend");
    Result<kernels::JobPlan> plan = kernels::plan_job(request.job);
    if (!plan) return std::move(plan).error();
    if (plan->scratch_bytes > scratch_bytes)
        return field_error(Status::TooLarge, "rows",
                           "a job that needs at most " + std::to_string(scratch_bytes) + " bytes of working memory",
                           "the job needs " + std::to_string(plan->scratch_bytes) + " bytes of working memory");
    PreparedJob prepared;
    prepared.job = request.job;
    prepared.plan = std::move(plan).value();
    prepared.input_count =
        static_cast<std::size_t>(find_operation(static_cast<std::uint16_t>(operation_of(request.job)))->inputs);
    prepared.in_output = request.output.handle != 0;
    Result<void> laid_out = lay_out(prepared);
    if (!laid_out) return std::move(laid_out).error();
    std::array<BoundInput, wire::kMaxInputs> inputs;
    Result<void> bound = bind_inputs(request, buffers, prepared, inputs);
    if (bound && prepared.in_output) bound = bind_output(request.output, buffers, inputs, prepared);
    if (!bound) return std::move(bound).error();
    return prepared;
}

}  // namespace tegu::daemon
