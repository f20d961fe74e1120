// SPDX-License-Identifier: Apache-2.0
// HEALTH: a state for programs, and a text with the details.
#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kHeadBytes = 8;
static_assert(kHeadBytes + kMaxHealthTextBytes <= kMaxBodyBytes, "the longest text fits a body");

HealthForm read_form(Reader& reader) {
    const std::uint8_t number = reader.u8();
    if (number > static_cast<std::uint8_t>(HealthForm::Metrics))
        reader.fail(Status::BadRange, "form", "0..2", "there is no such form of the health");
    return static_cast<HealthForm>(number);
}

}  // namespace

void encode(const HealthRequest& message, ByteBuffer& out) {
    Writer writer(out, 8);
    writer.u8(static_cast<std::uint8_t>(message.form));
    writer.reserved(7);
}

Result<HealthRequest> decode_health_request(Bytes body) {
    Reader reader(body);
    const HealthRequest message{read_form(reader)};
    reader.reserved(7);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const HealthReply& message, ByteBuffer& out) {
    assert(message.text.size() <= kMaxHealthTextBytes);
    Writer writer(out, kHeadBytes + message.text.size());
    writer.u8(static_cast<std::uint8_t>(message.state));
    writer.u8(static_cast<std::uint8_t>(message.form));
    writer.reserved(2);
    writer.u32(static_cast<std::uint32_t>(message.text.size()));
    writer.text(message.text);
}

Result<HealthReply> decode_health_reply(Bytes body) {
    Reader reader(body);
    HealthReply message;
    const std::uint8_t state = reader.u8();
    if (state > static_cast<std::uint8_t>(HealthState::Failing))
        reader.fail(Status::BadRange, "state", "0..2", "there is no such state");
    message.state = static_cast<HealthState>(state);
    message.form = read_form(reader);
    reader.reserved(2);
    const std::size_t bytes = reader.u32();
    if (bytes > kMaxHealthTextBytes)
        reader.fail(Status::TooLarge, "text_bytes", "at most 73728", "the text of the health is too long");
    message.text = reader.text(bytes);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

}  // namespace tegu::wire
