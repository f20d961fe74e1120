// SPDX-License-Identifier: Apache-2.0
// Fuzzes the table of the descriptor store. Its checksums keep accidents out and would keep the fuzzer out
// too: a bit of the first byte makes that of the header right, another those of the records. Checked: an
// error says what is allowed, buffers are such as a daemon keeps, each number is there once, and what was
// read is read again after it is written.
#include <algorithm>
#include <cstring>

#include "daemon/store/stored_table.h"
#include "tests/fuzz.h"
#include "wire/bytes.h"

namespace {

using namespace tegu::daemon;
using tegu::Bytes;
using tegu::MutableBytes;
using tegu::fuzz::require;

// FNV-1a of all but the last eight bytes, into these.
void make_sum_right(MutableBytes bytes) {
    const std::size_t summed = bytes.size() - 8;
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < summed; ++i)
        sum = (sum ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001b3;
    tegu::wire::Writer(bytes.subspan(summed)).u64(sum);
}

void make_sums_right(MutableBytes table, bool header, bool records) {
    if (table.size() < kTableHeaderBytes) return;
    if (header) make_sum_right(table.subspan(0, kTableHeaderBytes));
    tegu::wire::Reader reader(table.subspan(10));
    const std::size_t bytes = reader.u16();
    if (!records || bytes < 8) return;
    for (std::size_t at = kTableHeaderBytes; at + bytes <= table.size(); at += bytes)
        make_sum_right(table.subspan(at, bytes));
}

bool same(const StoredBuffer& a, const StoredBuffer& b) {
    return a.number == b.number && a.bytes == b.bytes && a.generation == b.generation && a.inode == b.inode &&
           a.token == b.token && a.uid == b.uid && a.pid == b.pid && a.access == b.access &&
           a.created_by_daemon == b.created_by_daemon;
}

void check_written_again(const StoredTable& table) {
    const std::size_t records = std::max<std::size_t>(2, table.buffers.size());
    std::vector<std::byte> memory(kTableHeaderBytes + records * kTableRecordBytes);
    TableWriter writer(memory, table.epoch);
    for (const StoredBuffer& buffer : table.buffers) require(writer.put(buffer), "a record has no place");
    const tegu::Result<StoredTable> again = parse_table(memory);
    require(again.ok() && again->damaged == 0 && again->epoch == table.epoch,
            "what is written cannot be read");
    require(std::equal(table.buffers.begin(), table.buffers.end(), again->buffers.begin(),
                       again->buffers.end(), same),
            "what is written is read as something else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::vector<std::byte> bytes(size - 1);
    if (size > 1) std::memcpy(bytes.data(), data + 1, size - 1);
    make_sums_right(bytes, (data[0] & 1) != 0, (data[0] & 2) != 0);
    const tegu::Result<StoredTable> table = parse_table(bytes);
    if (!table) {
        require(!table.error().field.empty() && !table.error().allowed.empty(),
                "an error that does not help");
        return 0;
    }
    require(table->version >= 1 && table->version <= kTableVersion, "a version that is not known");
    require(table->buffers.size() + table->damaged <= kMaxTableRecords, "more than a table holds");
    std::uint64_t before = 0;
    for (const StoredBuffer& buffer : table->buffers) {
        require(buffer.number > before, "numbers that do not grow");
        require(buffer.bytes != 0 && buffer.bytes <= INT64_MAX, "a buffer of no size");
        require(buffer.token != tegu::wire::BufferToken{}, "a buffer without a token");
        before = buffer.number;
    }
    check_written_again(*table);
    return 0;
}
