// SPDX-License-Identifier: Apache-2.0
// A client's buffer and the parts of it that a job uses, as the daemon tells them to a device; and what it
// took to get them there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tegu::device {

// A client's buffer, as a job saw it when it was admitted.
struct ClientBuffer {
    std::uint64_t id = 0;  // of this buffer alone, for good
    // its mappings in this process, from the first byte; the memory of a read-only one is not written
    std::byte* readable = nullptr;
    // Null: there is none. It is good for a job that writes through it, for as long as that job lives; the
    // copy of a job that only reads may be stale, as a freeze ends the mapping while readers wait.
    std::byte* writable = nullptr;
    std::uint64_t bytes = 0;
    bool sealed = false;       // against writing
    std::uint64_t writes = 0;  // jobs that were let write into it
    bool may_register = true;  // false: it was being sealed
};

// Bytes [begin, end) of a buffer that a job reads.
struct ClientRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t generation = 0;  // 0: promises nothing
};

// What the ways of one job took.
struct MoveCost {
    std::uint64_t bytes_copied = 0;
    std::uint64_t copy_ns = 0;
    std::string note;  // why memory was copied that need not be; may be empty
};

}  // namespace tegu::device
