// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/canonical.h"

#include <algorithm>
#include <cstdio>

#include "wire/messages.h"

namespace tegu::wire {
namespace {

bool names_field(const Error& error) {
    return error.status != Status::Ok && is_status(static_cast<std::uint16_t>(error.status)) &&
           !error.field.empty() && !error.message.empty();
}

bool same(Bytes left, Bytes right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

template <class Message>
ByteBuffer encoded(const Message& message) {
    ByteBuffer out(3, std::byte{0xaa});  // encoders append
    encode(message, out);
    return ByteBuffer(out.begin() + 3, out.end());
}

template <class Message, Result<Message> (*decode)(Bytes)>
Outcome check(Bytes body) {
    const Result<Message> message = decode(body);
    if (!message) return names_field(message.error()) ? Outcome::Refused : Outcome::Broken;
    return same(encoded(*message), body) ? Outcome::Canonical : Outcome::Broken;
}

template <class Element, Result<std::vector<Element>> (*decode)(Bytes)>
Outcome check_list(Bytes body) {
    const Result<std::vector<Element>> list = decode(body);
    if (!list) return names_field(list.error()) ? Outcome::Refused : Outcome::Broken;
    const ByteBuffer again = encoded(Span<const Element>(*list));
    if (same(again, body)) return Outcome::Canonical;
    // Values of a kind that is not known are skipped: what is left must be stable.
    const Result<std::vector<Element>> rest = decode(again);
    return again.size() < body.size() && rest && same(encoded(Span<const Element>(*rest)), again)
               ? Outcome::Canonical
               : Outcome::Broken;
}

Outcome check_error(Bytes body) {
    FrameHeader header;
    header.reply = true;
    header.status = Status::Busy;
    header.deadline_ns = 5;
    const Error error = decode_error(header, body);
    if (error.status != Status::Busy || error.retry_after_ns != 5) return Outcome::Broken;
    if (same(encoded(error), body)) return Outcome::Canonical;
    return error.message == "the daemon sent an error whose text cannot be read" ? Outcome::Refused
                                                                                 : Outcome::Broken;
}

Outcome check_empty(Bytes body) {
    const Result<void> result = decode_empty(body);
    if (result.ok() != body.empty()) return Outcome::Broken;
    if (result.ok()) return Outcome::Canonical;
    return names_field(result.error()) ? Outcome::Refused : Outcome::Broken;
}

}  // namespace

const BodyCodec kBodyCodecs[] = {
    {"HELLO request", check<HelloRequest, decode_hello_request>},
    {"HELLO reply", check<HelloReply, decode_hello_reply>},
    {"INFO reply", check_list<Field, decode_fields>},
    {"BUFFER_REGISTER request", check<BufferRegisterRequest, decode_buffer_register>},
    {"BUFFER_REGISTER reply", check<BufferReply, decode_buffer_reply>},
    {"BUFFER_CREATE request", check<BufferCreateRequest, decode_buffer_create>},
    {"BUFFER_CREATE reply", check<BufferReply, decode_buffer_reply>},
    {"BUFFER_FREEZE request", check<BufferRef, decode_buffer_ref>},
    {"BUFFER_RELEASE request", check<BufferRef, decode_buffer_ref>},
    {"BUFFER_LIST reply", check_list<BufferInfo, decode_buffer_list>},
    {"JOB request", check<JobRequest, decode_job_request>},
    {"JOB reply", check<JobReply, decode_job_reply>},
    {"CANCEL request", check<CancelRequest, decode_cancel_request>},
    {"CANCEL reply", check<CancelReply, decode_cancel_reply>},
    {"error reply", check_error},
    {"INFO request", check_empty},
    {"KERNELS request", check<KernelsRequest, decode_kernels_request>},
    {"KERNELS reply", check<KernelsReply, decode_kernels_reply>},
    {"HEALTH request", check<HealthRequest, decode_health_request>},
    {"HEALTH reply", check<HealthReply, decode_health_reply>},
    {"BUFFER_ATTACH request", check<BufferAttachRequest, decode_buffer_attach>},
    {"BUFFER_ATTACH reply", check<BufferReply, decode_buffer_reply>},
    {"JOB_LIST request", check<JobListRequest, decode_job_list_request>},
    {"JOB_LIST reply", check<JobListReply, decode_job_list_reply>},
    {"JOB_CANCEL request", check<JobCancelRequest, decode_job_cancel_request>},
    {"JOB_CANCEL reply", check<CancelReply, decode_cancel_reply>},
};
const std::size_t kBodyCodecCount = sizeof kBodyCodecs / sizeof kBodyCodecs[0];

const BodyCodec* find_codec(const std::string& name) {
    const auto* end = kBodyCodecs + kBodyCodecCount;
    const auto* found =
        std::find_if(kBodyCodecs, end, [&](const BodyCodec& codec) { return codec.name == name; });
    return found == end ? nullptr : found;
}

}  // namespace tegu::wire
