// SPDX-License-Identifier: Apache-2.0
// The body of a JOB request: a fixed part, its operands, the parameters of its operation, then the data of
// inline inputs. Only the encoding is checked here. plan_job checks shapes and parameters; the daemon checks
// handles.
#include <algorithm>

#include "wire/bytes.h"
#include "wire/messages.h"
#include "wire/params.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kFixedBytes = 24;
constexpr std::size_t kOperandBytes = 32;
constexpr std::size_t kOutputBytes = 24;

// The names of an operand's fields in errors. The texts are literals, hence one list for each input.
struct OperandFields {
    const char* offset;
    const char* generation;
    const char* row_stride;
};
constexpr OperandFields kOperandFields[kMaxInputs] = {
    {"inputs[0].offset_bytes", "inputs[0].generation", "inputs[0].row_stride"},
    {"inputs[1].offset_bytes", "inputs[1].generation", "inputs[1].row_stride"},
};

Operand read_operand(Reader& reader, const Job& job, const OperandFields& fields) {
    Operand operand;
    operand.handle = reader.u64();
    operand.offset_bytes = reader.u64();
    operand.generation = reader.u64();
    operand.row_stride = reader.u64();
    if (operand.handle != 0) return operand;
    if (operand.offset_bytes != 0)
        reader.fail(Status::BadRange, fields.offset, "0", "data in the message has no offset",
                    operand.offset_bytes);
    if (operand.generation != 0)
        reader.fail(Status::BadRange, fields.generation, "0", "data in the message has no generation",
                    operand.generation);
    if (operand.row_stride != 0 && operand.row_stride != job.cols)
        reader.fail(Status::BadRange, fields.row_stride, "0 or cols", "data in the message is dense",
                    operand.row_stride);
    return operand;
}

OutputOperand read_output(Reader& reader) {
    OutputOperand output;
    output.handle = reader.u64();
    output.offset_bytes = reader.u64();
    output.capacity_bytes = reader.u64();
    if (output.handle == 0) {
        if (output.offset_bytes != 0)
            reader.fail(Status::BadRange, "output.offset_bytes", "0", "a result in the reply has no offset",
                        output.offset_bytes);
        if (output.capacity_bytes != 0)
            reader.fail(Status::BadRange, "output.capacity_bytes", "0",
                        "a result in the reply has no capacity", output.capacity_bytes);
    } else {
        if (output.offset_bytes % kArrayAlignment != 0)
            reader.fail(Status::BadRange, "output.offset_bytes", "a multiple of 64",
                        "the output is not aligned", output.offset_bytes);
        if (output.capacity_bytes > UINT64_MAX - output.offset_bytes)
            reader.fail(Status::BadRange, "output.capacity_bytes", "offset_bytes + capacity_bytes below 2^64",
                        "the output ends beyond any buffer", output.capacity_bytes);
    }
    return output;
}

// Bytes of the inline inputs, each at a multiple of 8; empty if they do not fit a message.
std::optional<std::uint64_t> inline_bytes(const JobRequest& message, std::size_t inputs) {
    std::uint64_t total = 0, each = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
        if (message.inputs[i].handle != 0) continue;
        if (__builtin_mul_overflow(message.job.rows, message.job.cols, &each) ||
            __builtin_mul_overflow(each, element_bytes(message.job.type), &each) || each > kMaxInlineBytes)
            return std::nullopt;
        total += padding_to_8(total) + each;
    }
    return total <= kMaxInlineBytes ? std::optional(total) : std::nullopt;
}

void read_shape(Reader& reader, JobRequest& message) {
    const std::uint8_t type = reader.u8();
    if (!is_element_type(type))
        reader.fail(Status::Unsupported, "type", "an element type of docs/protocol.md",
                    "the element type is not known", type);
    message.job.type = static_cast<ElementType>(type);
    message.job.axis = reader.enumeration("axis", Axis::Rows, "0 (whole) or 1 (rows)");
    message.backend = reader.enumeration("backend", BackendChoice::Gpu, "0 (auto), 1 (cpu) or 2 (gpu)");
    reader.reserved(1);
}

// The parameters must have exactly the length that the message gives.
Result<JobParams> read_params_block(Operation operation, Bytes block, const Reader& message) {
    if (!message.ok()) return message.error();
    Reader reader(block);
    JobParams params = read_params(operation, reader);
    if (!reader.ok() && !reader.ran_out()) return reader.error();
    if (!reader.ran_out() && reader.left() == 0) return params;
    // The parameters read so far give the full length; for a list that is cut short, the length up to its
    // next element.
    const std::size_t needed =
        std::max(params_bytes(params), reader.ran_out() ? block.size() + reader.missing() : 0);
    return field_error(
        Status::BadRequest, "params_bytes", std::to_string(needed),
        "the parameters of this operation have another length, found " + std::to_string(block.size()));
}

// Bytes between the data of two operands are zero, as all padding.
bool padding_is_zero(const JobRequest& message, std::size_t inputs) {
    if (inputs < 2 || message.inputs[0].handle != 0 || message.inputs[1].handle != 0) return true;
    const std::size_t each = message.job.rows * message.job.cols * element_bytes(message.job.type);
    const Bytes padding =
        message.data.subspan(each, padding_to_8(each) * (each < message.data.size() ? 1 : 0));
    return std::all_of(padding.begin(), padding.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

void encode(const JobRequest& message, ByteBuffer& out) {
    const Operation operation = operation_of(message.job);
    const std::size_t inputs = static_cast<std::size_t>(info_of(operation).inputs);
    const std::size_t params = params_bytes(message.job.params);
    const std::size_t bytes = kFixedBytes + inputs * kOperandBytes + kOutputBytes + params;
    out.reserve(out.size() + bytes + message.data.size());
    Writer writer(out, bytes);
    writer.u16(static_cast<std::uint16_t>(operation));
    writer.u8(static_cast<std::uint8_t>(message.job.type));
    writer.u8(static_cast<std::uint8_t>(message.job.axis));
    writer.u8(static_cast<std::uint8_t>(message.backend));
    writer.reserved(1);
    writer.u16(static_cast<std::uint16_t>(params));
    writer.u64(message.job.rows);
    writer.u64(message.job.cols);
    for (std::size_t i = 0; i < inputs; ++i) {
        const Operand& operand = message.inputs[i];
        writer.u64(operand.handle);
        writer.u64(operand.offset_bytes);
        writer.u64(operand.generation);
        writer.u64(operand.row_stride);
    }
    writer.u64(message.output.handle);
    writer.u64(message.output.offset_bytes);
    writer.u64(message.output.capacity_bytes);
    write_params(message.job.params, writer);
    out.insert(out.end(), message.data.begin(), message.data.end());
}

Result<JobRequest> decode_job_request(Bytes body) {
    Reader reader(body);
    JobRequest message;
    const std::uint16_t operation = reader.u16();
    const OperationInfo* info = find_operation(operation);
    if (info == nullptr)
        reader.fail(Status::Unsupported, "operation", "an operation of docs/protocol.md",
                    "the operation is not known", operation);
    read_shape(reader, message);
    const std::size_t params = reader.u16();
    message.job.rows = reader.u64();
    message.job.cols = reader.u64();
    if (!reader.ok()) return reader.error();
    const std::size_t inputs = static_cast<std::size_t>(info->inputs);
    for (std::size_t i = 0; i < inputs; ++i)
        message.inputs[i] = read_operand(reader, message.job, kOperandFields[i]);
    message.output = read_output(reader);
    if (params > reader.left())
        reader.fail(Status::BadRequest, "params_bytes", "at most what is left of the body",
                    "the parameters end beyond the body", params);
    Result<JobParams> read = read_params_block(info->operation, reader.bytes(params), reader);
    if (!read) return std::move(read).error();
    message.job.params = std::move(read).value();
    message.data = reader.bytes(reader.left());
    if (!reader.ok()) return reader.error();

    const std::optional<std::uint64_t> needed = inline_bytes(message, inputs);
    if (!needed || message.data.size() > kMaxInlineBytes)
        return field_error(Status::TooLarge, "data", "0.." + std::to_string(kMaxInlineBytes),
                           "the data is too large for a message; use a buffer");
    if (message.data.size() != *needed)
        return field_error(
            Status::BadRequest, "data", std::to_string(*needed) + " bytes",
            "the shape and the " + std::to_string(message.data.size()) + " bytes of data do not agree");
    if (!padding_is_zero(message, inputs))
        return field_error(Status::BadRequest, "padding", "0",
                           "a byte between the data of two operands is not zero");
    return message;
}

}  // namespace tegu::wire
