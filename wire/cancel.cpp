// SPDX-License-Identifier: Apache-2.0
// CANCEL, and the empty body.
#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {

void encode(const CancelRequest& message, ByteBuffer& out) {
    Writer(out, 8).u64(message.target_id);
}

Result<CancelRequest> decode_cancel_request(Bytes body) {
    Reader reader(body);
    const CancelRequest message{reader.u64()};
    if (message.target_id == 0)
        reader.fail(Status::BadRange, "target_id", "not 0", "no request has the id 0");
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const CancelReply& message, ByteBuffer& out) {
    Writer writer(out, 8);
    writer.u8(message.was_running ? 1 : 0);
    writer.reserved(7);
}

Result<CancelReply> decode_cancel_reply(Bytes body) {
    Reader reader(body);
    const CancelReply message{reader.boolean("was_running")};
    reader.reserved(7);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

Result<void> decode_empty(Bytes body) {
    if (auto error = Reader(body).finish()) return *std::move(error);
    return {};
}

}  // namespace tegu::wire
