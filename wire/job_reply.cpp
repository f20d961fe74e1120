// SPDX-License-Identifier: Apache-2.0
// The body of the reply to a successful JOB: backend and times, the descriptions of the arrays, then their
// data, unless they are in the output operand.
#include <cassert>

#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kReplyBytes = 32;
constexpr std::size_t kArrayBytes = 32;

bool checked_bytes(const ArraySpec& spec, std::uint64_t& bytes) {
    return !__builtin_mul_overflow(spec.rows, spec.cols, &bytes) &&
           !__builtin_mul_overflow(bytes, element_bytes(spec.type), &bytes) && bytes <= INT64_MAX;
}

void write_array(const ResultArray& array, Writer& writer) {
    writer.u8(static_cast<std::uint8_t>(array.spec.role));
    writer.u8(static_cast<std::uint8_t>(array.spec.type));
    writer.reserved(6);
    writer.u64(array.spec.rows);
    writer.u64(array.spec.cols);
    writer.u64(array.offset_bytes);
}

ResultArray read_array(Reader& reader) {
    const std::uint8_t role = reader.u8(), type = reader.u8();
    if (!is_array_role(role))
        reader.fail(Status::BadRange, "role", "a role of docs/protocol.md", "the role is not known");
    if (!is_element_type(type))
        reader.fail(Status::BadRange, "type", "an element type of docs/protocol.md",
                    "the element type is not known");
    reader.reserved(6);
    ResultArray array{{static_cast<ArrayRole>(role), static_cast<ElementType>(type), 0, 0}, 0};
    array.spec.rows = reader.u64();
    array.spec.cols = reader.u64();
    array.offset_bytes = reader.u64();
    return array;
}

// Checks that an array lies inside `limit` bytes and begins at its alignment.
void check_array(Reader& reader, const ResultArray& array, std::uint64_t alignment, std::uint64_t limit) {
    std::uint64_t bytes = 0;
    if (!checked_bytes(array.spec, bytes) || bytes > limit || array.offset_bytes > limit - bytes)
        reader.fail(Status::BadRange, "offset_bytes", "inside the data", "an array ends beyond the data");
    if (array.offset_bytes % alignment != 0)
        reader.fail(Status::BadRange, "offset_bytes", alignment == 8 ? "a multiple of 8" : "a multiple of 64",
                    "an array is not aligned");
}

}  // namespace

Result<std::uint64_t> layout_arrays(Span<const ArraySpec> specs, std::uint64_t alignment,
                                    std::vector<std::uint64_t>& offsets) {
    assert(alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= 4096);
    offsets.clear();
    std::uint64_t end = 0;
    for (const ArraySpec& spec : specs) {
        const std::uint64_t begin = (end + alignment - 1) & ~(alignment - 1);
        std::uint64_t bytes = 0;
        if (!checked_bytes(spec, bytes) || begin > INT64_MAX || bytes > INT64_MAX - begin)
            return field_error(Status::TooLarge, "rows", "a result below 2^63 bytes",
                               "the arrays of the result are larger than any memory");
        offsets.push_back(begin);
        end = begin + bytes;
    }
    return end;
}

std::size_t encode_job_reply_prefix(const JobReply& message, std::size_t data_bytes, ByteBuffer& out) {
    assert(message.arrays.size() <= kMaxArrays && message.policy.size() <= kMaxPolicyBytes);
    const std::size_t padding = padding_to_8(message.policy.size());
    const std::size_t prefix =
        kReplyBytes + message.arrays.size() * kArrayBytes + message.policy.size() + padding;
    const std::size_t data_begin = out.size() + prefix;
    Writer writer(out, prefix + data_bytes);
    writer.u8(static_cast<std::uint8_t>(message.backend));
    writer.u8(message.in_output ? 1 : 0);
    writer.u16(static_cast<std::uint16_t>(message.arrays.size()));
    writer.u16(static_cast<std::uint16_t>(message.policy.size()));
    writer.reserved(2);
    writer.u64(message.timing.queue_ns);
    writer.u64(message.timing.copy_ns);
    writer.u64(message.timing.compute_ns);
    for (const ResultArray& array : message.arrays) write_array(array, writer);
    writer.text(message.policy);
    return data_begin;
}

void encode(const JobReply& message, ByteBuffer& out) {
    const std::size_t begin = encode_job_reply_prefix(message, message.data.size(), out);
    Writer(MutableBytes(out.data() + begin, message.data.size())).bytes(message.data);
}

Result<JobReply> decode_job_reply(Bytes body) {
    Reader reader(body);
    JobReply message;
    message.backend = reader.enumeration("backend", Backend::Gpu, "0 (none), 1 (cpu) or 2 (gpu)");
    message.in_output = reader.boolean("in_output");
    const std::size_t count = reader.u16(), policy_bytes = reader.u16();
    reader.reserved(2);
    message.timing.queue_ns = reader.u64();
    message.timing.copy_ns = reader.u64();
    message.timing.compute_ns = reader.u64();
    if (count > kMaxArrays)
        reader.fail(Status::TooLarge, "array_count", "at most 32", "there are too many arrays");
    if (policy_bytes > kMaxPolicyBytes)
        reader.fail(Status::TooLarge, "policy_bytes", "at most 256", "the policy is too long");
    if (reader.left() / kArrayBytes < count)
        reader.fail(Status::BadRequest, "body", "all arrays", "the body ends in the arrays");
    if (!reader.ok()) return reader.error();
    message.arrays.reserve(count);
    for (std::size_t i = 0; i < count; ++i) message.arrays.push_back(read_array(reader));
    message.policy = reader.text(policy_bytes);
    reader.reserved(padding_to_8(policy_bytes));
    message.data = reader.bytes(reader.left());
    if (message.in_output && !message.data.empty())
        reader.fail(Status::BadRequest, "data", "0 bytes",
                    "there is data although the result is in the output");
    if (message.data.size() > kMaxInlineBytes)
        reader.fail(Status::TooLarge, "data", "0..65536 bytes", "there is too much data");
    const std::uint64_t limit = message.in_output ? INT64_MAX : message.data.size();
    for (const ResultArray& array : message.arrays)
        check_array(reader, array, message.in_output ? kArrayAlignment : 8, limit);
    if (!reader.ok()) return reader.error();
    return message;
}

}  // namespace tegu::wire
