// SPDX-License-Identifier: Apache-2.0
// ClientMemory: how the bytes of clients' buffers get to a kernel, by memory class:
//   A, discrete   copied into an arena's memory; the copy is kept, and used again where the content cannot have changed
//   B             the mapping is registered, once; where that fails it is copied
//   C             used in place
// A copy is used again if the buffer was sealed against writing when it was made, or if the job names a generation not newer than the
// one that it was made for, and no job of this process has written since. Without a generation the bytes are copied again: whoever
// changes a buffer and says nothing is right on every class.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/device/staging.h"

namespace tegu::device {

// A client's buffer, as a job saw it when it was admitted.
struct ClientBuffer {
    std::uint64_t id = 0;  // of this buffer alone, for good
    std::byte* readable =
        nullptr;  // its mappings in this process, from the first byte; the memory of a read-only one is not written
    std::byte* writable = nullptr;  // null: there is none
    std::uint64_t bytes = 0;
    bool sealed = false;       // against writing
    std::uint64_t writes = 0;  // jobs that were let write into it
    bool may_register = true;  // false: it is being sealed
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

class ClientMemory {
  public:
    // `arena`: of managed memory for A and B, of the device's for discrete; outlives it. One thread, which is the stream's.
    ClientMemory(Gpu& gpu, MemoryClass memory_class, Arena& arena, Stream stream)
        : gpu_(gpu), class_(memory_class), arena_(arena), stream_(stream) {}
    ~ClientMemory() { drop_all(); }
    ClientMemory(const ClientMemory&) = delete;
    ClientMemory& operator=(const ClientMemory&) = delete;

    // The address for kernels of byte range.begin. What it needs for this job alone is put into `temporary`, which ends after the job.
    Result<std::byte*> read(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                            const kernels::StopToken& stop, MoveCost& cost);
    // The address for kernels that write straight into the buffer's byte `begin`; null: the result has to be copied.
    Result<std::byte*> write(const ClientBuffer& buffer, std::uint64_t begin, MoveCost& cost);
    // Memory of an arena, for which copies that no job needs now are given up. Errors: OutOfMemory, DeviceLost.
    Result<Staging> stage(std::uint64_t bytes);

    // The job that read() and write() were called for has ended.
    void end_job();
    // Forgets a buffer, before its mappings end or are sealed. Unknown ones are no error. Between jobs.
    void drop(std::uint64_t id);
    void drop_all();
    // Whether mappings of the buffer may be registered, which pins their pages and so stands in the way of a seal; what is
    // registered ends. Meanwhile it is copied. Between jobs.
    void allow_registering(std::uint64_t id, bool allowed);
    std::size_t buffers() const { return known_.size(); }

  private:
    struct Copy {
        Staging memory;                                                // of the whole buffer
        std::vector<std::pair<std::uint64_t, std::uint64_t>> present;  // byte ranges that were copied; sorted, apart
        bool sealed = false;                                           // what is present was copied when the buffer was
        std::uint64_t generation = 0;
        std::uint64_t writes = 0;
    };
    struct Mapping {
        std::byte* data = nullptr;  // null: not registered
        std::byte* address = nullptr;
        std::string refused;  // why it cannot be
    };
    struct Known {
        std::optional<Copy> copy;
        Mapping readable, writable;
        std::list<std::uint64_t>::iterator age;
        bool in_use = false;  // by the job at hand
        bool may_register = true;
    };

    Known& know(std::uint64_t id);
    std::byte* registered(Mapping& mapping, std::byte* data, const ClientBuffer& buffer, bool read_only,
                          MoveCost& cost);
    void unregister(Mapping& mapping);
    Result<std::byte*> read_copy(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                                 const kernels::StopToken& stop, MoveCost& cost);
    Result<std::byte*> read_kept(const ClientBuffer& buffer, const ClientRange& range, Known& known,
                                 const kernels::StopToken& stop, MoveCost& cost);
    // The copy of the buffer that was not used for longest, but for those of the job at hand. False: there is none.
    bool give_up_oldest();

    Gpu& gpu_;
    MemoryClass class_;
    Arena& arena_;
    Stream stream_;
    std::unordered_map<std::uint64_t, Known> known_;
    std::list<std::uint64_t> ages_;  // least recently used first
};

}  // namespace tegu::device
