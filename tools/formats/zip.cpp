// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/zip.h"

#include <zlib.h>
#include <algorithm>
#include <cstring>
#include <memory>

namespace tegu {
namespace formats {
namespace {

constexpr std::uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kEntryBytes = 46,
                        kLocalBytes = 30;
constexpr std::uint64_t kMaxComment = 65535, kMaxDirectoryBytes = 16u << 20;
constexpr std::uint64_t kMaxExpansion = 1032;  // of deflate: bytes out per byte in
constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr unsigned kStored = 0, kDeflated = 8;

Error malformed(const std::string& what) {
    return bad_data("archive", "a .npz as np.savez writes it", ".npz: " + what);
}

std::uint64_t number(const char* at, int bytes) {
    std::uint64_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(at[i]);
    return value;
}
bool begins(const char* at, const char* signature) {
    return std::memcmp(at, signature, 4) == 0;
}

struct Directory {
    std::uint64_t offset = 0, bytes = 0, entries = 0;
};

Expected<std::string> part(const Reader& file, std::uint64_t offset, std::uint64_t bytes) {
    std::string text(bytes, '\0');
    Expected<void> read = file.read(offset, text.data(), bytes);
    if (!read) return read.error();
    return text;
}

// ZIP64 keeps what does not fit into the end of the archive in a record of its own before it.
Expected<void> find_directory64(const Reader& file, std::uint64_t end, Directory& directory) {
    if (end < kLocatorBytes) return {};
    Expected<std::string> locator = part(file, end - kLocatorBytes, kLocatorBytes);
    if (!locator) return locator.error();
    if (!begins(locator->data(), "PK\x06\x07")) return {};
    const std::uint64_t at = number(locator->data() + 8, 8);
    if (!file.holds(at, kEnd64Bytes)) return malformed("the end of the archive is not inside the file");
    Expected<std::string> record = part(file, at, kEnd64Bytes);
    if (!record) return record.error();
    if (!begins(record->data(), "PK\x06\x06")) return malformed("the end of the archive is damaged");
    directory = {number(record->data() + 48, 8), number(record->data() + 40, 8),
                 number(record->data() + 32, 8)};
    return {};
}

Expected<Directory> find_directory(const Reader& file) {
    const std::uint64_t tail = std::min(file.bytes, kEndBytes + kMaxComment);
    Expected<std::string> text = part(file, file.bytes - tail, tail);
    if (!text) return text.error();
    for (std::uint64_t at = tail < kEndBytes ? 0 : tail - kEndBytes + 1; at-- > 0;) {
        const char* end = text->data() + at;
        if (!begins(end, "PK\x05\x06") || number(end + 20, 2) != tail - at - kEndBytes) continue;
        Directory directory{number(end + 16, 4), number(end + 12, 4), number(end + 10, 2)};
        Expected<void> found = find_directory64(file, file.bytes - tail + at, directory);
        if (!found) return found.error();
        if (!file.holds(directory.offset, directory.bytes))
            return malformed("the list of members is not inside the file");
        if (directory.bytes > kMaxDirectoryBytes)
            return bad_data("archive", "16 MiB",
                            ".npz: a list of members of " + std::to_string(directory.bytes) + " bytes");
        return directory;
    }
    return malformed("truncated: the end of the archive is missing");
}

// Values that are all ones stand in the extra field of ZIP64, in this order.
bool take_zip64(const char* extra, std::uint64_t bytes, ZipMember& member) {
    std::uint64_t* const values[] = {&member.bytes, &member.packed_bytes, &member.header_offset};
    for (std::uint64_t at = 0; at + 4 <= bytes;) {
        const std::uint64_t kind = number(extra + at, 2), size = number(extra + at + 2, 2);
        if (at + 4 + size > bytes) return false;
        std::uint64_t next = at + 4;
        for (std::uint64_t* value : values) {
            if (kind != 1 || *value != UINT32_MAX) continue;
            if (next + 8 > at + 4 + size) return false;
            *value = number(extra + next, 8);
            next += 8;
        }
        at += 4 + size;
    }
    return true;
}

Expected<void> check_member(const Reader& file, const ZipMember& member, unsigned flags, unsigned method) {
    const std::string name = "member '" + member.name + "' ";
    if ((flags & 1) != 0) return malformed(name + "is encrypted");
    if (method != kStored && method != kDeflated)
        return bad_data("compression", "stored or deflated",
                        ".npz: " + name + "has compression " + std::to_string(method));
    if (member.packed_bytes > file.bytes) return malformed(name + "is not inside the file");
    const std::uint64_t max_bytes =
        method == kStored ? member.packed_bytes : (member.packed_bytes + 1) * kMaxExpansion;
    if (member.bytes > max_bytes || (method == kStored && member.bytes != member.packed_bytes))
        return malformed(name + "announces " + std::to_string(member.bytes) + " bytes, which " +
                         std::to_string(member.packed_bytes) + " packed ones cannot hold");
    return {};
}

// Printable: the name is shown.
std::string cleaned(std::string_view name) {
    std::string text(name.substr(0, 256));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    return text;
}

}  // namespace

bool looks_like_zip(std::string_view prefix) {
    return prefix.substr(0, 4) == "PK\x03\x04" || prefix.substr(0, 4) == "PK\x05\x06";
}

Expected<std::vector<ZipMember>> list_zip(const Reader& file) {
    Expected<Directory> directory = find_directory(file);
    if (!directory) return directory.error();
    Expected<std::string> text = part(file, directory->offset, directory->bytes);
    if (!text) return text.error();
    std::vector<ZipMember> members;
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < directory->entries; ++i) {
        const char* entry = text->data() + at;
        if (text->size() - at < kEntryBytes || !begins(entry, "PK\x01\x02"))
            return malformed("the list of members is damaged");
        const std::uint64_t name = number(entry + 28, 2), extra = number(entry + 30, 2),
                            comment = number(entry + 32, 2);
        if (text->size() - at - kEntryBytes < name + extra + comment)
            return malformed("the list of members is damaged");
        ZipMember member;
        const auto method = static_cast<unsigned>(number(entry + 10, 2));
        member.name = cleaned(std::string_view(entry + kEntryBytes, name));
        member.deflated = method == kDeflated;
        member.crc = static_cast<std::uint32_t>(number(entry + 16, 4));
        member.packed_bytes = number(entry + 20, 4);
        member.bytes = number(entry + 24, 4);
        member.header_offset = number(entry + 42, 4);
        if (!take_zip64(entry + kEntryBytes + name, extra, member))
            return malformed("the list of members is damaged");
        Expected<void> checked =
            check_member(file, member, static_cast<unsigned>(number(entry + 8, 2)), method);
        if (!checked) return checked.error();
        members.push_back(std::move(member));
        at += kEntryBytes + name + extra + comment;
    }
    return members;
}

Expected<std::uint64_t> data_offset(const Reader& file, const ZipMember& member) {
    const Error damaged = malformed("the header of member '" + member.name + "' is damaged");
    if (!file.holds(member.header_offset, kLocalBytes)) return damaged;
    Expected<std::string> header = part(file, member.header_offset, kLocalBytes);
    if (!header) return header.error();
    const std::uint64_t offset =
        member.header_offset + kLocalBytes + number(header->data() + 26, 2) + number(header->data() + 28, 2);
    if (!begins(header->data(), "PK\x03\x04") || !file.holds(offset, member.packed_bytes)) return damaged;
    return offset;
}

Expected<void> inflate_member(const Reader& file, const ZipMember& member,
                              const std::function<bool(const char*, std::size_t)>& sink) {
    Expected<std::uint64_t> offset = data_offset(file, member);
    if (!offset) return offset.error();
    z_stream stream;
    std::memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return Error{TEGU_OUT_OF_MEMORY, 0, {}, {}, ".npz: out of memory"};
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, &inflateEnd);
    std::string in(kChunkBytes, '\0'), out(kChunkBytes, '\0');
    std::uint64_t taken = 0, made = 0;
    uLong crc = crc32(0, nullptr, 0);
    for (int code = Z_OK; code != Z_STREAM_END;) {
        if (stream.avail_in == 0 && taken < member.packed_bytes) {
            const std::uint64_t count = std::min<std::uint64_t>(kChunkBytes, member.packed_bytes - taken);
            Expected<void> read = file.read(*offset + taken, in.data(), count);
            if (!read) return read;
            taken += count;
            stream.next_in = reinterpret_cast<Bytef*>(in.data());
            stream.avail_in = static_cast<uInt>(count);
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        code = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = out.size() - stream.avail_out;
        if ((code != Z_OK && code != Z_STREAM_END) || got > member.bytes - made)
            return malformed("member '" + member.name + "' is damaged");
        crc = crc32(crc, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(got));
        made += got;
        if (!sink(out.data(), got)) return {};
    }
    if (made != member.bytes || crc != member.crc)
        return malformed("member '" + member.name + "' is damaged: its check sum differs");
    return {};
}

}  // namespace formats
}  // namespace tegu
