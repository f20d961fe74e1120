// SPDX-License-Identifier: Apache-2.0
#include "daemon/store/stored_table.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <string>

#include "wire/bytes.h"

namespace tegu::daemon {
namespace {

constexpr std::string_view kTableMagic = "tegudtab";
constexpr std::size_t kChecksumBytes = 8;
constexpr std::uint16_t kSmallestRecordBytes = kTableRecordBytes;  // of version 1; later ones append to it

// FNV-1a: texts that differ in one byte have different sums. It detects accidents, not forgeries: all values
// are checked anyway.
std::uint64_t checksum(Bytes bytes) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    return sum;
}

// The last eight bytes are the sum of all others.
bool sum_is_right(Bytes bytes) {
    const std::size_t summed = bytes.size() - kChecksumBytes;
    wire::Reader reader(bytes.subspan(summed));
    return reader.u64() == checksum(bytes.subspan(0, summed));
}

Error table_error(Status status, std::string field, std::string allowed, std::string message) {
    return field_error(status, std::move(field), std::move(allowed),
                       "the table of buffers " + std::move(message));
}

struct Record {
    std::uint64_t sequence = 0;
    StoredBuffer buffer;
};

// False: no daemon wrote this record.
bool read_record(Bytes bytes, Record& record) {
    if (!sum_is_right(bytes)) return false;
    wire::Reader reader(bytes);
    StoredBuffer& buffer = record.buffer;
    buffer.number = reader.u64();
    record.sequence = reader.u64();
    buffer.bytes = reader.u64();
    buffer.generation = reader.u64();
    buffer.inode = reader.u64();
    const Bytes token = reader.bytes(wire::kTokenBytes);
    std::copy(token.begin(), token.end(), buffer.token.begin());
    buffer.uid = reader.u32();
    buffer.pid = reader.u32();
    buffer.access = reader.enumeration("access", wire::Access::ReadWrite, "0 or 1");
    buffer.created_by_daemon = reader.boolean("created_by_daemon");
    return reader.ok() && buffer.bytes != 0 && buffer.bytes <= INT64_MAX &&
           buffer.token != wire::BufferToken{};
}

std::uint64_t number_of(Bytes record) {
    return wire::Reader(record).u64();
}

Result<void> check_header(Bytes bytes) {
    if (bytes.size() > kMaxTableBytes)
        return table_error(Status::TooLarge, "bytes", "at most " + std::to_string(kMaxTableBytes),
                           "is too large");
    if (bytes.size() < kTableHeaderBytes)
        return table_error(Status::BadRequest, "bytes", "at least " + std::to_string(kTableHeaderBytes),
                           "is cut off");
    wire::Reader reader(bytes);
    if (reader.text(kTableMagic.size()) != kTableMagic)
        return table_error(Status::BadRequest, "magic", std::string(kTableMagic), "is no table");
    const std::uint16_t version = reader.u16();
    if (!sum_is_right(bytes.subspan(0, kTableHeaderBytes)))
        return table_error(Status::BadRequest, "checksum", "the sum of the header", "is damaged");
    if (version == 0 || version > kTableVersion)
        return table_error(
            Status::BadVersion, "version", "1.." + std::to_string(kTableVersion),
            "has version " + std::to_string(version) + (version == 0 ? "" : ", of a newer daemon"));
    return {};
}

}  // namespace

Result<StoredTable> parse_table(Bytes bytes) {
    Result<void> header = check_header(bytes);
    if (!header) return std::move(header).error();
    wire::Reader reader(bytes.subspan(kTableMagic.size()));
    StoredTable table;
    table.version = reader.u16();
    const std::size_t record_bytes = reader.u16();
    const std::size_t records = reader.u32();
    table.epoch = reader.u64();
    if (record_bytes < kSmallestRecordBytes)
        return table_error(Status::BadRequest, "record_bytes",
                           "at least " + std::to_string(kSmallestRecordBytes),
                           "has records of " + std::to_string(record_bytes) + " bytes");
    if (records > kMaxTableRecords || (bytes.size() - kTableHeaderBytes) / record_bytes < records)
        return table_error(Status::BadRequest, "records", "as many as it holds, at most 4096",
                           "claims " + std::to_string(records) + " records");
    std::map<std::uint64_t, Record> newest;
    for (std::size_t i = 0; i < records; ++i) {
        const Bytes slot = bytes.subspan(kTableHeaderBytes + i * record_bytes, record_bytes);
        if (number_of(slot) == 0) continue;
        Record record;
        if (!read_record(slot, record)) {
            ++table.damaged;
            continue;
        }
        Record& known = newest[record.buffer.number];
        if (known.buffer.number == 0 || record.sequence > known.sequence) known = record;
    }
    for (const auto& each : newest) table.buffers.push_back(each.second.buffer);
    return table;
}

TableWriter::TableWriter(MutableBytes memory, std::uint64_t epoch)
    : memory_(memory),
      numbers_(std::min((memory.size() - kTableHeaderBytes) / kTableRecordBytes, kMaxTableRecords)) {
    assert(memory.size() >= kTableHeaderBytes + 2 * kTableRecordBytes);
    wire::Writer writer(memory_.subspan(0, kTableHeaderBytes));
    writer.text(kTableMagic);
    writer.u16(kTableVersion);
    writer.u16(kTableRecordBytes);
    writer.u32(static_cast<std::uint32_t>(numbers_.size()));
    writer.u64(epoch);
    writer.reserved(kTableHeaderBytes - 24 - kChecksumBytes);
    writer.u64(checksum(memory_.subspan(0, kTableHeaderBytes - kChecksumBytes)));
}

std::size_t TableWriter::find(std::uint64_t number) const {
    return static_cast<std::size_t>(std::find(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
}

// The fences keep the order of the writes: a killed process has done a prefix of them.
bool TableWriter::put(const StoredBuffer& buffer) {
    const std::size_t before = find(buffer.number);
    const std::size_t index = find(0);
    if (index == numbers_.size()) return false;
    const MutableBytes slot = record(index);
    wire::Writer writer(slot);
    writer.u64(buffer.number);
    writer.u64(++sequence_);
    writer.u64(buffer.bytes);
    writer.u64(buffer.generation);
    writer.u64(buffer.inode);
    writer.bytes(buffer.token);
    writer.u32(buffer.uid);
    writer.u32(buffer.pid);
    writer.u8(static_cast<std::uint8_t>(buffer.access));
    writer.u8(buffer.created_by_daemon ? 1 : 0);
    writer.u16(0);
    writer.u32(0);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    writer.u64(checksum(slot.subspan(0, kTableRecordBytes - kChecksumBytes)));
    std::atomic_signal_fence(std::memory_order_seq_cst);
    numbers_[index] = buffer.number;
    if (before == numbers_.size()) return true;
    wire::Writer(record(before)).u64(0);
    numbers_[before] = 0;
    return true;
}

void TableWriter::remove(std::uint64_t number) {
    const std::size_t index = find(number);
    if (number == 0 || index == numbers_.size()) return;
    wire::Writer(record(index)).u64(0);
    numbers_[index] = 0;
}

}  // namespace tegu::daemon
