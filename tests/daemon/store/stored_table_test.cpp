// SPDX-License-Identifier: Apache-2.0
// The table of the descriptor store: what was written is read, at every instant of a write; what was not is
// refused or passed over.
#include "daemon/store/stored_table.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tegu::daemon {
namespace {

constexpr std::size_t kRecords = 4;
using Memory = std::vector<std::byte>;

Memory empty_memory() {
    return Memory(kTableHeaderBytes + kRecords * kTableRecordBytes);
}

StoredBuffer buffer(std::uint64_t number, std::uint64_t generation = 0) {
    StoredBuffer result;
    result.number = number;
    result.bytes = 4096 * number;
    result.generation = generation;
    result.inode = 77;
    for (std::size_t i = 0; i < result.token.size(); ++i)
        result.token[i] = static_cast<std::byte>(number + i);
    result.uid = 1000;
    result.pid = 4242;
    result.access = wire::Access::ReadWrite;
    result.created_by_daemon = true;
    return result;
}

Memory table_of_two() {
    Memory memory = empty_memory();
    TableWriter writer(memory, 9);
    EXPECT_TRUE(writer.put(buffer(1)));
    EXPECT_TRUE(writer.put(buffer(2, 5)));
    return memory;
}

bool same(const StoredBuffer& a, const StoredBuffer& b) {
    return a.number == b.number && a.bytes == b.bytes && a.generation == b.generation && a.inode == b.inode &&
           a.token == b.token && a.uid == b.uid && a.pid == b.pid && a.access == b.access &&
           a.created_by_daemon == b.created_by_daemon;
}

TEST(StoredTable, ComesBack) {
    const Result<StoredTable> table = parse_table(table_of_two());
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->epoch, 9u);
    EXPECT_EQ(table->version, kTableVersion);
    EXPECT_EQ(table->damaged, 0u);
    ASSERT_EQ(table->buffers.size(), 2u);
    EXPECT_TRUE(same(table->buffers[0], buffer(1)));
    EXPECT_TRUE(same(table->buffers[1], buffer(2, 5)));
}

TEST(StoredTable, ForgetsAndTakesNoMoreThanItHolds) {
    Memory memory = empty_memory();
    TableWriter writer(memory, 1);
    for (std::uint64_t number = 1; number <= kRecords; ++number) EXPECT_TRUE(writer.put(buffer(number)));
    EXPECT_FALSE(writer.put(buffer(9)));
    writer.remove(2);
    writer.remove(0);
    writer.remove(17);
    EXPECT_TRUE(writer.put(buffer(9)));
    const Result<StoredTable> table = parse_table(memory);
    ASSERT_TRUE(table.ok());
    ASSERT_EQ(table->buffers.size(), kRecords);
    EXPECT_EQ(table->buffers[1].number, 3u);
    EXPECT_EQ(table->buffers[3].number, 9u);
}

TEST(StoredTable, TruncatedAnywhereItIsRefused) {
    const Memory whole = table_of_two();
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(parse_table(Bytes(whole).subspan(0, size)).ok()) << size;
}

TEST(StoredTable, WithAnyBitFlippedItNeverSaysWhatWasNotWritten) {
    const Memory whole = table_of_two();
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        Memory memory = whole;
        memory[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        const Result<StoredTable> table = parse_table(memory);
        if (bit < kTableHeaderBytes * 8) {
            EXPECT_FALSE(table.ok()) << bit;
            continue;
        }
        ASSERT_TRUE(table.ok()) << bit;
        const bool in_a_record = bit < (kTableHeaderBytes + 2 * kTableRecordBytes) * 8;
        EXPECT_EQ(table->buffers.size(), in_a_record ? 1u : 2u) << bit;
        EXPECT_LE(table->damaged, 1u) << bit;
        for (const StoredBuffer& each : table->buffers)
            EXPECT_TRUE(same(each, each.number == 1 ? buffer(1) : buffer(2, 5))) << bit;
    }
}

// The bytes of a record are written in order, and then the number of the one before is cleared.
TEST(StoredTable, KilledInTheMiddleOfAWriteItHoldsTheOldOrTheNew) {
    const Memory before = table_of_two();
    Memory after = before;
    {
        Memory memory = empty_memory();
        TableWriter writer(memory, 9);
        (void)writer.put(buffer(1));
        (void)writer.put(buffer(2, 5));
        (void)writer.put(buffer(2, 6));
        after = memory;
    }
    const std::size_t record = kTableHeaderBytes + 2 * kTableRecordBytes;
    bool seen_new = false;
    for (std::size_t written = 0; written <= kTableRecordBytes; ++written) {
        Memory torn = before;
        std::memcpy(torn.data() + record, after.data() + record, written);
        const Result<StoredTable> table = parse_table(torn);
        ASSERT_TRUE(table.ok());
        ASSERT_EQ(table->buffers.size(), 2u) << written;
        const StoredBuffer& two = table->buffers[1];
        EXPECT_TRUE(same(two, buffer(2, 5)) || same(two, buffer(2, 6))) << written;
        EXPECT_TRUE(!seen_new || two.generation == 6) << written;
        seen_new = two.generation == 6;
    }
    EXPECT_TRUE(seen_new);
    EXPECT_EQ(parse_table(after)->buffers[1].generation, 6u);
}

// A header as its checksum wants it, with two bytes at `offset` changed.
Memory with_header(std::size_t offset, std::uint64_t value, std::size_t bytes) {
    Memory memory = table_of_two();
    std::memcpy(memory.data() + offset, &value, bytes);
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < kTableHeaderBytes - 8; ++i)
        sum = (sum ^ static_cast<std::uint64_t>(memory[i])) * 0x100000001b3;
    std::memcpy(memory.data() + kTableHeaderBytes - 8, &sum, 8);
    return memory;
}

TEST(StoredTable, OfANewerDaemonItIsRefusedWithTheVersionsThatCanBeRead) {
    for (const std::uint64_t version : {0u, kTableVersion + 1u, 65535u}) {
        const Result<StoredTable> table = parse_table(with_header(8, version, 2));
        ASSERT_FALSE(table.ok());
        EXPECT_EQ(table.error().status, Status::BadVersion);
        EXPECT_EQ(table.error().allowed, "1.." + std::to_string(kTableVersion));
    }
}

TEST(StoredTable, CountsAreNotBelieved) {
    EXPECT_TRUE(parse_table(with_header(12, kRecords, 4)).ok());
    for (const std::uint64_t records : {kRecords + 1, kMaxTableRecords + 1, std::size_t{0xffffffff}})
        EXPECT_EQ(parse_table(with_header(12, records, 4)).error().field, "records") << records;
    for (const std::uint64_t bytes : {0, 1, 79})
        EXPECT_EQ(parse_table(with_header(10, bytes, 2)).error().field, "record_bytes") << bytes;
    EXPECT_FALSE(parse_table(with_header(10, 65535, 2)).ok());
    EXPECT_EQ(parse_table(Memory(kMaxTableBytes + 1)).error().status, Status::TooLarge);
    EXPECT_EQ(parse_table(Memory(4096)).error().field, "magic");
}

// What version 1 wrote, byte by byte: every later daemon must read it.
TEST(StoredTable, OfVersionOneStaysReadable) {
    Memory memory(kTableHeaderBytes + 2 * 80);
    const auto put = [&](std::size_t at, std::initializer_list<unsigned> bytes) {
        for (const unsigned byte : bytes) memory[at++] = static_cast<std::byte>(byte);
    };
    const auto sum = [&](std::size_t begin, std::size_t end) {
        std::uint64_t value = 0xcbf29ce484222325;
        for (std::size_t i = begin; i < end; ++i)
            value = (value ^ static_cast<std::uint64_t>(memory[i])) * 0x100000001b3;
        for (unsigned i = 0; i < 8; ++i) memory[end + i] = static_cast<std::byte>(value >> (8 * i));
    };
    put(0, {'t', 'e', 'g', 'u', 'd', 't', 'a', 'b', 1, 0, 80, 0, 2, 0, 0, 0, 3});
    sum(0, 56);
    put(64, {7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 16});  // number 7, sequence 1, 4096 bytes
    put(64 + 24, {5, 0, 0, 0, 0, 0, 0, 0, 0x21});                      // generation 5, inode 0x21
    put(64 + 40, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    // uid 1000, pid 4242, read and write, made by the daemon
    put(64 + 56, {0xe8, 3, 0, 0, 0x92, 16, 0, 0, 1, 1});
    sum(64, 136);
    const Result<StoredTable> table = parse_table(memory);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->epoch, 3u);
    ASSERT_EQ(table->buffers.size(), 1u);
    const StoredBuffer& seven = table->buffers[0];
    EXPECT_EQ(seven.number, 7u);
    EXPECT_EQ(seven.bytes, 4096u);
    EXPECT_EQ(seven.generation, 5u);
    EXPECT_EQ(seven.inode, 0x21u);
    EXPECT_EQ(seven.token[15], std::byte{16});
    EXPECT_EQ(seven.uid, 1000u);
    EXPECT_EQ(seven.pid, 4242u);
    EXPECT_EQ(seven.access, wire::Access::ReadWrite);
    EXPECT_TRUE(seven.created_by_daemon);
}

}  // namespace
}  // namespace tegu::daemon
