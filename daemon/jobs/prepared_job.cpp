// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/prepared_job.h"

#include <string>
#include <utility>

namespace tegu::daemon {
namespace {

// Adds the operand to a field of the buffer: "generation" becomes "inputs[0].generation".
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

// The buffer of each operand, parallel to PreparedJob::uses; null: the array is in the message or the reply.
using Buffers = std::array<std::shared_ptr<Buffer>, wire::kMaxInputs + 1>;

std::string input_name(std::size_t index) {
    return "inputs[" + std::to_string(index) + "]";
}

// An input in a buffer. REQUIRES: its row stride is set.
Result<void> bind_input(const Job& job, const wire::Operand& operand, const std::string& name, Buffer& buffer,
                        device::JobInput& input) {
    const std::size_t element = element_bytes(job.type);
    if (operand.offset_bytes % element != 0)
        return bad_range(
            name + ".offset_bytes", "a multiple of " + std::to_string(element),
            "offset " + std::to_string(operand.offset_bytes) + " is not aligned for the type of the input");
    std::uint64_t extent = 0;
    const bool fits = extent_of(job, input.view.row_stride, extent);
    if (!fits || extent > buffer.bytes() || operand.offset_bytes > buffer.bytes() - extent)
        return bad_range(name + ".offset_bytes",
                         fits && extent <= buffer.bytes()
                             ? "0.." + std::to_string(buffer.bytes() - extent)
                             : "a shape within " + std::to_string(buffer.bytes()) + " bytes",
                         "the input ends beyond its buffer of " + std::to_string(buffer.bytes()) + " bytes");
    Result<void> pages = buffer.check_pages();
    if (!pages) return prefixed(std::move(pages).error(), name);
    input.view.data = buffer.read_data() + operand.offset_bytes;
    input.range = {operand.offset_bytes, operand.offset_bytes + extent, operand.generation};
    return {};
}

Result<void> bind_inputs(const wire::JobRequest& request, const BufferTable& table, PreparedJob& prepared,
                         Buffers& buffers) {
    std::uint64_t inline_offset = 0;
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        const wire::Operand& operand = request.inputs[i];
        kernels::InputView& view = prepared.inputs[i].view;
        view.row_stride = operand.row_stride != 0 ? operand.row_stride : request.job.cols;
        if (operand.handle == 0) {
            view.data = request.data.data() + inline_offset;
            inline_offset += (request.job.rows * request.job.cols * element_bytes(request.job.type) + 7) &
                             ~std::uint64_t{7};
            continue;
        }
        if (view.row_stride < request.job.cols)
            return bad_range(input_name(i) + ".row_stride",
                             "0, or at least " + std::to_string(request.job.cols),
                             "rows would overlap: the stride is " + std::to_string(view.row_stride));
        buffers[i] = table.find(operand.handle);
        if (buffers[i] == nullptr) return not_found(input_name(i), operand.handle);
        Result<void> bound = bind_input(request.job, operand, input_name(i), *buffers[i], prepared.inputs[i]);
        if (!bound) return bound;
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
Result<void> check_overlap(const Buffers& buffers, const BufferRange& result, PreparedJob& prepared) {
    if (prepared.result_bytes == 0) return {};
    const std::uint64_t first_end = result.begin + array_bytes(prepared.plan.outputs.front());
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        device::JobInput& input = prepared.inputs[i];
        const device::ClientRange& range = input.range;
        if (buffers[i] != buffers.back() || !result.conflicts({range.begin, range.end, false})) continue;
        const bool dense = input.view.row_stride == prepared.job.cols || prepared.job.rows <= 1;
        input.is_output =
            prepared.plan.in_place && dense && range.begin == result.begin && range.end == first_end;
        if (input.is_output) continue;
        const std::string exception = prepared.plan.in_place ? ", or exactly those of a dense input" : "";
        return bad_range("output.offset_bytes", "bytes that are not input of the same job" + exception,
                         "bytes " + std::to_string(result.begin) + " to " + std::to_string(result.end) +
                             " of the output overlap " + input_name(i) + " at " +
                             std::to_string(range.begin) + " to " + std::to_string(range.end));
    }
    return {};
}

BufferRange output_range(const wire::OutputOperand& output, const PreparedJob& prepared) {
    return {output.offset_bytes, output.offset_bytes + prepared.result_bytes, true};
}

Result<void> bind_output(const wire::OutputOperand& output, const BufferTable& table, PreparedJob& prepared,
                         Buffers& buffers) {
    buffers.back() = table.find(output.handle);
    if (buffers.back() == nullptr) return not_found("output", output.handle);
    Buffer& buffer = *buffers.back();
    Result<void> fits = check_output(output, buffer, prepared.result_bytes);
    if (!fits) return fits;
    Result<void> apart = check_overlap(buffers, output_range(output, prepared), prepared);
    if (!apart) return apart;
    Result<void> pages = buffer.check_pages();
    if (!pages) return prefixed(std::move(pages).error(), "output");
    Result<std::byte*> data = buffer.write_data();
    if (!data) return prefixed(std::move(data).error(), "output");
    prepared.output.data = *data + output.offset_bytes;
    prepared.output.begin = output.offset_bytes;
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        if (!prepared.inputs[i].is_output) continue;
        prepared.inputs[i].view.data = prepared.output.data;  // not the read-only mapping of the same bytes
        prepared.in_place = true;
    }
    return {};
}

// Begins the use of the buffers, and describes them as they are while the job holds them. An input that is
// also the output is held only as output, because a job must not conflict with itself.
Result<void> begin_uses(const wire::JobRequest& request, const Buffers& buffers, PreparedJob& prepared) {
    const auto begin = [&](std::size_t index, const BufferRange& range,
                           const std::string& name) -> Result<void> {
        Result<BufferUse> begun = BufferUse::begin(buffers[index], range);
        if (!begun) return prefixed(std::move(begun).error(), name);
        prepared.uses[index] = std::move(begun).value();
        prepared.cold |= prepared.uses[index].cold();
        return {};
    };
    for (std::size_t i = 0; i < prepared.input_count; ++i) {
        const device::JobInput& input = prepared.inputs[i];
        if (buffers[i] == nullptr) continue;
        Result<void> noted = buffers[i]->note_generation(input.range.generation);
        if (!noted) return prefixed(std::move(noted).error(), input_name(i));
        if (input.is_output) continue;
        Result<void> begun = begin(i, {input.range.begin, input.range.end, false}, input_name(i));
        if (!begun) return begun;
    }
    if (buffers.back() != nullptr) {
        Result<void> begun = begin(buffers.size() - 1, output_range(request.output, prepared), "output");
        if (!begun) return begun;
        prepared.output.buffer = buffers.back()->client_buffer();
    }
    for (std::size_t i = 0; i < prepared.input_count; ++i)
        if (buffers[i] != nullptr) prepared.inputs[i].buffer = buffers[i]->client_buffer();
    return {};
}

Result<void> lay_out(bool in_reply, PreparedJob& prepared) {
    Result<std::uint64_t> bytes = wire::layout_arrays(
        prepared.plan.outputs, in_reply ? 8 : wire::kArrayAlignment, prepared.output.offsets);
    if (!bytes) return std::move(bytes).error();
    prepared.result_bytes = *bytes;
    if (in_reply && *bytes > wire::kMaxInlineBytes)
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
        if (!inputs[i].in_buffer()) inputs[i].view.data = to + (inputs[i].view.data - from.begin());
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
    prepared.input_count = static_cast<std::size_t>(info_of(operation_of(request.job)).inputs);
    const bool in_reply = request.output.handle == 0;
    Result<void> done = lay_out(in_reply, prepared);
    Buffers held;
    if (done) done = bind_inputs(request, buffers, prepared, held);
    if (done && !in_reply) done = bind_output(request.output, buffers, prepared, held);
    if (done) done = begin_uses(request, held, prepared);
    if (!done) return std::move(done).error();
    return prepared;
}

}  // namespace tegu::daemon
