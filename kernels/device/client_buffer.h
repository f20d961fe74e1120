// SPDX-License-Identifier: Apache-2.0
// The daemon's description of a client's buffer and of the parts that a job uses, for a device. Also the cost
// of moving them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tegu::device {

// A client's buffer at the time its job was admitted.
struct ClientBuffer {
    std::uint64_t id = 0;  // unique and never reused
    // mappings in this process, from the first byte; the memory of a read-only one is not written
    std::byte* readable = nullptr;
    // May be null. Valid for the lifetime of a job that writes through it. A job that only reads may have a
    // stale copy, because a freeze ends the mapping while readers wait.
    std::byte* writable = nullptr;
    std::uint64_t bytes = 0;
    bool sealed = false;       // against writing
    std::uint64_t writes = 0;  // jobs that were allowed to write into it
    bool may_register = true;  // false: a seal was in progress
};

// Bytes [begin, end) of a buffer that a job reads.
struct ClientRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t generation = 0;  // 0: no promise
};

// The cost of moving one job's data.
struct MoveCost {
    std::uint64_t bytes_copied = 0;
    std::uint64_t copy_ns = 0;
    std::string note;  // why avoidable copies were made; may be empty
};

}  // namespace tegu::device
