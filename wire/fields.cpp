// SPDX-License-Identifier: Apache-2.0
// The named values of INFO and STATS replies. Every value carries its length, so that an older client can
// skip the kinds of a newer daemon.
#include <cassert>

#include "wire/bytes.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

enum Kind : std::uint8_t { kU64 = 0, kF64 = 1, kText = 2 };
constexpr std::size_t kEntryBytes = 4;  // before the name

std::string_view cut_field_text(const std::string& text) {
    return cut_text(text, kMaxFieldTextBytes);
}

std::size_t value_bytes(const FieldValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? cut_field_text(*text).size() : 8;
}

struct WriteValue {
    Writer& writer;
    void operator()(std::uint64_t value) const { writer.u64(value); }
    void operator()(double value) const { writer.f64(value); }
    void operator()(const std::string& value) const { writer.text(cut_field_text(value)); }
};

void check_length(Reader& reader, bool good) {
    if (!good)
        reader.fail(Status::BadRequest, "value_bytes", "8 for a number", "a value has the wrong length");
}

}  // namespace

void encode(Span<const Field> fields, ByteBuffer& out) {
    assert(fields.size() <= kMaxFields);
    std::size_t bytes = 8;
    for (const Field& field : fields) bytes += kEntryBytes + field.name.size() + value_bytes(field.value);
    Writer writer(out, bytes);
    writer.u16(static_cast<std::uint16_t>(fields.size()));
    writer.reserved(6);
    for (const Field& field : fields) {
        assert(!field.name.empty() && field.name.size() <= kMaxNameBytes);
        writer.u8(static_cast<std::uint8_t>(field.value.index()));
        writer.u8(static_cast<std::uint8_t>(field.name.size()));
        writer.u16(static_cast<std::uint16_t>(value_bytes(field.value)));
        writer.text(field.name);
        std::visit(WriteValue{writer}, field.value);
    }
}

Result<std::vector<Field>> decode_fields(Bytes body) {
    Reader reader(body);
    const std::size_t count = reader.list_count(kMaxFields, "at most 512", "there are too many fields");
    reader.reserved(6);
    std::vector<Field> fields;
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const std::uint8_t kind = reader.u8();
        const std::size_t name_bytes = reader.u8(), bytes = reader.u16();
        const std::string_view name = reader.text(name_bytes);
        if (name.empty() || name.size() > kMaxNameBytes)
            reader.fail(Status::BadRequest, "name_bytes", "1..64",
                        "a field has no name, or one that is too long");
        if (bytes > kMaxFieldTextBytes)
            reader.fail(Status::TooLarge, "value_bytes", "at most 1024", "the value of a field is too long");
        Field field{std::string(name), std::uint64_t{0}};
        if (kind == kU64 || kind == kF64) check_length(reader, bytes == 8);
        if (kind == kU64)
            field.value = reader.u64();
        else if (kind == kF64)
            field.value = reader.f64();
        else
            field.value = std::string(reader.text(bytes));
        if (kind <= kText) fields.push_back(std::move(field));
    }
    if (auto error = reader.finish()) return *std::move(error);
    return fields;
}

}  // namespace tegu::wire
