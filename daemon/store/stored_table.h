// SPDX-License-Identifier: Apache-2.0
// The table of the descriptor store: a memfd of fixed little-endian records for the next daemon. It stays
// readable after a SIGKILL at any instant: checksums mark whole records, and the newer of two copies counts.
// Parsing is a pure function of bytes that may hold anything.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "wire/messages.h"

namespace tegu::daemon {

// Version of the tables that this daemon writes. It reads all versions up to this.
inline constexpr std::uint16_t kTableVersion = 1;
inline constexpr std::size_t kTableHeaderBytes = 64;
inline constexpr std::size_t kTableRecordBytes = 80;
inline constexpr std::size_t kMaxTableRecords = 4096;
// also of other versions
inline constexpr std::size_t kMaxTableBytes = kTableHeaderBytes + kMaxTableRecords * 256;

// One kept buffer.
struct StoredBuffer {
    // of its descriptor in the store, not 0; unique among live descriptors
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;  // not 0
    std::uint64_t generation = 0;
    std::uint64_t inode = 0;  // of the memfd, to check the returned descriptor
    wire::BufferToken token{};
    std::uint32_t uid = 0;  // of the owner
    std::uint32_t pid = 0;  // the process that registered it, for lists
    wire::Access access = wire::Access::Read;
    bool created_by_daemon = false;
};

struct StoredTable {
    std::uint16_t version = kTableVersion;
    std::uint64_t epoch = 0;            // incremented by each daemon; the higher one of two tables counts
    std::vector<StoredBuffer> buffers;  // the newest record of each number, by number
    std::size_t damaged = 0;            // skipped records: incomplete or invalid
};

// Errors: BadVersion (of a newer daemon; `allowed` has the readable versions), BadRequest (no table, or a
// damaged header), TooLarge. The field names the problem.
Result<StoredTable> parse_table(Bytes bytes);

// Writes records into the memory of a table. The table is readable at every instant of every method.
class TableWriter {
  public:
    // REQUIRES: `memory` is zero, holds kTableHeaderBytes + n * kTableRecordBytes for an n of 2 or more, and
    //           outlives it.
    TableWriter(MutableBytes memory, std::uint64_t epoch);
    // Adds a buffer, or replaces the record of its number. False: no record is free.
    bool put(const StoredBuffer& buffer);
    void remove(std::uint64_t number);

  private:
    MutableBytes record(std::size_t index) const {
        return memory_.subspan(kTableHeaderBytes + index * kTableRecordBytes, kTableRecordBytes);
    }
    std::size_t find(std::uint64_t number) const;

    MutableBytes memory_;
    std::vector<std::uint64_t> numbers_;  // number in each record, 0: free. The memory itself is never read.
    std::uint64_t sequence_ = 0;
};

}  // namespace tegu::daemon
