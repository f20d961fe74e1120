// SPDX-License-Identifier: Apache-2.0
// ClientMemory: how the bytes of clients' buffers get to a kernel, by memory class:
//   A, discrete   what a job reads is copied into an arena's memory; the copy is kept, and used again where
//                 the content cannot have changed
//   B             the part of the mapping that a job uses is registered, once; where that fails or is not
//   worth it, it is copied C             used in place
// Without a generation the bytes are copied again: whoever changes a buffer and says nothing is right on
// every class.
#pragma once

#include <unordered_map>

#include "kernels/device/kept_copies.h"
#include "kernels/device/registrations.h"

namespace tegu::device {

class ClientMemory {
  public:
    // `arena`: of managed memory for A and B, of the device's for discrete; outlives it. One thread, which is
    // the stream's.
    ClientMemory(Gpu& gpu, MemoryClass memory_class, Arena& arena, Stream stream,
                 const RegistrationLimits& registrations)
        : class_(memory_class), stream_(stream), copies_(arena, stream), registrations_(gpu, registrations) {}
    ClientMemory(const ClientMemory&) = delete;
    ClientMemory& operator=(const ClientMemory&) = delete;

    // The address for kernels of byte range.begin. What it needs for this job alone is put into `temporary`,
    // which ends after the job.
    Result<std::byte*> read(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                            const kernels::StopToken& stop, MoveCost& cost);
    // The address for kernels that write bytes [begin, end) straight into the buffer; null: the result has to
    // be copied.
    // REQUIRES: the job writes through buffer.writable, so that no freeze can end that mapping before the
    //           job.
    std::byte* write(const ClientBuffer& buffer, std::uint64_t begin, std::uint64_t end, MoveCost& cost);
    // Memory of the arena, for which copies that no job needs now are given up. Errors: OutOfMemory,
    // DeviceLost.
    Result<Staging> stage(std::uint64_t bytes) {
        return copies_.stage(static_cast<std::size_t>(bytes), true);
    }
    void give_up_unused() { copies_.give_up_unused(); }

    // The job that read() and write() were called for has ended.
    void end_job();
    // Forgets a buffer, before its mappings end or are sealed. Unknown ones are no error. Between jobs.
    void drop(std::uint64_t id);
    void drop_all();
    // Whether mappings of the buffer may be registered, which pins their pages and so stands in the way of a
    // seal; what is registered ends. Meanwhile it is copied, whatever a job that was admitted before says;
    // jobs that were admitted before and only read never have its writable mapping registered afterwards,
    // which may be another one by then, or nobody's. Between jobs; throws nothing, though without memory for
    // it only what is registered ends.
    void allow_registering(std::uint64_t id, bool allowed);
    // Those that jobs used and that it was not told to forget.
    std::size_t buffers() const { return known_.size(); }
    std::size_t registered_bytes() const { return registrations_.bytes(); }

  private:
    struct Known {
        bool may_register = true;
    };

    std::byte* registered(const ClientBuffer& buffer, const ClientRange& range, MoveCost& cost);
    Result<std::byte*> read_copy(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                                 const kernels::StopToken& stop, MoveCost& cost);

    MemoryClass class_;
    Stream stream_;
    KeptCopies copies_;
    Registrations registrations_;
    std::unordered_map<std::uint64_t, Known> known_;
};

}  // namespace tegu::device
