// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/prepared_job.h"

#include <string>
#include <utility>

namespace tegu::daemon {
namespace {

// "generation" -> "inputs[0].generation": adds the operand, which the buffer does not have.
Error prefixed(Error error, const std::string& operand) {
    error.field =
        operand + "." + (error.field.empty() || error.field == "descriptor" ? "handle" : error.field);
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

// An input in a buffer; without one it is in the message.
struct BoundInput {
    std::shared_ptr<Buffer> buffer;
    BufferRange range;
    bool dense = true;
    bool in_place = false;  // it is the first array of the result, too
};
using BoundInputs = std::array<BoundInput, wire::kMaxInputs>;

std::string input_name(std::size_t index) {
    return "inputs[" + std::to_string(index) + "]";
}

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
    const bool dense = row_stride == job.cols || job.rows <= 1;
    return BoundInput{
        std::move(buffer), {operand.offset_bytes, operand.offset_bytes + extent, false}, dense, false};
}

Result<void> bind_inputs(const wire::JobRequest& request, const BufferTable& buffers, PreparedJob& prepared,
                         BoundInputs& bound) {
    std::uint64_t inline_offset = 0;
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        const wire::Operand& operand = request.inputs[i];
        kernels::InputView& view = prepared.inputs[i];
        view.row_stride = operand.row_stride != 0 ? operand.row_stride : request.job.cols;
        if (operand.handle == 0) {
            prepared.is_inline[i] = true;
            view.data = request.data.data() + inline_offset;
            inline_offset += (request.job.rows * request.job.cols * element_bytes(request.job.type) + 7) &
                             ~std::uint64_t{7};
            continue;
        }
        if (view.row_stride < request.job.cols)
            return bad_range(input_name(i) + ".row_stride",
                             "0, or at least " + std::to_string(request.job.cols),
                             "rows would overlap: the stride is " + std::to_string(view.row_stride));
        Result<BoundInput> input = bind_input(request.job, operand, view.row_stride, buffers, input_name(i));
        if (!input) return std::move(input).error();
        view.data = input->buffer->read_data() + operand.offset_bytes;
        bound[i] = std::move(input).value();
    }
    return {};
}

Result<void> check_output(const wire::OutputOperand& output, const Buffer& buffer, std::uint64_t needed) {
    if (output.offset_bytes > buffer.bytes() || output.capacity_bytes > buffer.bytes() - output.offset_bytes)
        return bad_range("output.offset_bytes",
                         "offset_bytes + capacity_bytes up to " + std::to_string(buffer.bytes()),
                         std::to_string(output.capacity_bytes) + " bytes from offset " +
                             std::to_string(output.offset_bytes) + " end beyond the buffer of " +
                             std::to_string(buffer.bytes()) + " bytes");
    if (needed > output.capacity_bytes)
        return field_error(Status::TooLarge, "output.capacity_bytes",
                           std::to_string(needed) + " bytes or more",
                           "the result of " + std::to_string(needed) + " bytes does not fit the output of " +
                               std::to_string(output.capacity_bytes));
    return {};
}

// Checks that the result overlaps no input. Exception: its first array may be exactly a dense input if the
// operation works in place; later arrays then follow that input. `result`: all arrays with their gaps.
Result<void> check_overlap(const PreparedJob& prepared, const Buffer& buffer, const BufferRange& result,
                           BoundInputs& inputs) {
    if (prepared.result_bytes == 0) return {};
    const std::uint64_t first_end = result.begin + array_bytes(prepared.plan.outputs.front());
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        BoundInput& input = inputs[i];
        if (input.buffer.get() != &buffer || !result.conflicts(input.range)) continue;
        input.in_place = prepared.plan.in_place && input.dense && input.range.begin == result.begin &&
                         input.range.end == first_end;
        if (input.in_place) continue;
        const std::string place = prepared.plan.in_place ? ", or exactly those of a dense input" : "";
        return bad_range("output.offset_bytes", "bytes that are not input of the same job" + place,
                         "bytes " + std::to_string(result.begin) + " to " + std::to_string(result.end) +
                             " of the output overlap " + input_name(i) + " at " +
                             std::to_string(input.range.begin) + " to " + std::to_string(input.range.end));
    }
    return {};
}

Result<void> bind_output(const wire::OutputOperand& output, const BufferTable& buffers, BoundInputs& inputs,
                         PreparedJob& prepared, BoundInput& bound) {
    const std::shared_ptr<Buffer> buffer = buffers.find(output.handle);
    if (buffer == nullptr) return not_found("output", output.handle);
    Result<void> fits = check_output(output, *buffer, prepared.result_bytes);
    if (!fits) return fits;
    const BufferRange range{output.offset_bytes, output.offset_bytes + prepared.result_bytes, true};
    Result<void> apart = check_overlap(prepared, *buffer, range, inputs);
    if (!apart) return apart;
    Result<void> pages = buffer->check_pages();
    if (!pages) return prefixed(std::move(pages).error(), "output");
    Result<std::byte*> data = buffer->write_data();
    if (!data) return prefixed(std::move(data).error(), "output");
    prepared.output = *data + output.offset_bytes;
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        if (!inputs[i].in_place) continue;
        prepared.inputs[i].data = prepared.output;  // not the read-only mapping of the same bytes
        prepared.in_place = true;
    }
    bound = BoundInput{buffer, range, true, false};
    return {};
}

// Begins the use of the buffers. An input that is also the output is held only as output, because a job must
// not conflict with itself.
Result<void> begin_uses(const wire::JobRequest& request, const BoundInputs& inputs, const BoundInput& output,
                        PreparedJob& prepared) {
    const auto begin = [&](const BoundInput& bound, const std::string& name, BufferUse& use) -> Result<void> {
        Result<BufferUse> begun = BufferUse::begin(bound.buffer, bound.range);
        if (!begun) return prefixed(std::move(begun).error(), name);
        use = std::move(begun).value();
        prepared.cold |= use.cold();
        return {};
    };
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        if (inputs[i].buffer == nullptr) continue;
        Result<void> noted = inputs[i].buffer->note_generation(request.inputs[i].generation);
        if (!noted) return prefixed(std::move(noted).error(), input_name(i));
        if (inputs[i].in_place) continue;
        Result<void> begun = begin(inputs[i], input_name(i), prepared.uses[i]);
        if (!begun) return begun;
    }
    return output.buffer == nullptr ? Result<void>() : begin(output, "output", prepared.uses.back());
}

// The state of the buffers while the job holds them.
void describe_buffers(const wire::JobRequest& request, const BoundInputs& inputs, const BoundInput& output,
                      PreparedJob& prepared) {
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        if (inputs[i].buffer == nullptr) continue;
        prepared.input_buffers[i] = inputs[i].buffer->client_buffer();
        prepared.input_ranges[i] = {inputs[i].range.begin, inputs[i].range.end, request.inputs[i].generation};
        prepared.input_is_output[i] = inputs[i].in_place;
    }
    if (output.buffer == nullptr) return;
    prepared.output_buffer = output.buffer->client_buffer();
    prepared.output_begin = output.range.begin;
}

Result<void> lay_out(PreparedJob& prepared) {
    Result<std::uint64_t> bytes = wire::layout_arrays(
        prepared.plan.outputs, prepared.in_output ? wire::kArrayAlignment : 8, prepared.output_offsets);
    if (!bytes) return std::move(bytes).error();
    prepared.result_bytes = *bytes;
    if (!prepared.in_output && *bytes > wire::kMaxInlineBytes)
        return field_error(Status::TooLarge, "output.handle",
                           std::to_string(*bytes) + " bytes in an output buffer",
                           "the result of " + std::to_string(*bytes) + " bytes is too large for a reply");
    return {};
}

// Applies the CPU tuning row for the job and plans again with it, if its memory is within the limit.
void tune(std::uint64_t scratch_bytes, PreparedJob& prepared) {
    const Job& job = prepared.job;
    prepared.cpu_choice = prepared.tuning->cpu().choose(TuningBackend::Cpu, job);
    if (prepared.cpu_choice.is_default()) return;
    const kernels::CpuPolicies policies = prepared.cpu_choice.cpu(job);
    Result<kernels::JobPlan> plan = kernels::plan_job(job, policies);
    if (!plan || plan->scratch_bytes > scratch_bytes) {
        prepared.cpu_choice = tuning::DeviceTuning().choose(TuningBackend::Cpu, job);
        return;
    }
    prepared.plan = std::move(plan).value();
    prepared.cpu_policies = policies;
}

}  // namespace

void PreparedJob::rebase_inline(Bytes from, const std::byte* to) {
    for (std::size_t i = 0; i < input_count; ++i)
        if (is_inline[i]) inputs[i].data = to + (inputs[i].data - from.begin());
}

Result<PreparedJob> prepare_job(const wire::JobRequest& request, const BufferTable& buffers,
                                std::uint64_t scratch_bytes, std::shared_ptr<const TuningState> tuning) {
    Result<kernels::JobPlan> plan = kernels::plan_job(request.job);
    if (!plan) return std::move(plan).error();
    if (plan->scratch_bytes > scratch_bytes)
        return field_error(
            Status::TooLarge, "rows",
            "a job that needs at most " + std::to_string(scratch_bytes) + " bytes of working memory",
            "the job needs " + std::to_string(plan->scratch_bytes) + " bytes of working memory");
    PreparedJob prepared;
    prepared.job = request.job;
    prepared.backend = request.backend;
    prepared.plan = std::move(plan).value();
    prepared.tuning = std::move(tuning);
    tune(scratch_bytes, prepared);
    prepared.cost_class = classify(prepared.job, prepared.plan);
    prepared.input_count = static_cast<std::size_t>(
        find_operation(static_cast<std::uint16_t>(operation_of(request.job)))->inputs);
    prepared.in_output = request.output.handle != 0;
    Result<void> laid_out = lay_out(prepared);
    if (!laid_out) return std::move(laid_out).error();
    BoundInputs inputs;
    BoundInput output;
    Result<void> bound = bind_inputs(request, buffers, prepared, inputs);
    if (bound && prepared.in_output) bound = bind_output(request.output, buffers, inputs, prepared, output);
    if (bound) bound = begin_uses(request, inputs, output, prepared);
    if (!bound) return std::move(bound).error();
    describe_buffers(request, inputs, output, prepared);
    return prepared;
}

}  // namespace tegu::daemon
