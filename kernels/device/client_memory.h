// SPDX-License-Identifier: Apache-2.0
// ClientMemory: moves the bytes of clients' buffers to where a kernel can use them, by memory class:
//   A, discrete   copies the input into arena memory; reuses the copy while the content cannot have changed.
//   B             registers the used part of the mapping once; copies it where that fails or does not pay.
//   C             uses it in place.
// Without a generation the bytes are copied for every job, so unannounced changes are correct on every class.
#pragma once

#include <unordered_map>

#include "kernels/device/kept_copies.h"
#include "kernels/device/registrations.h"

namespace tegu::device {

class ClientMemory {
  public:
    // `arena`: managed memory for A and B, device memory for discrete. It outlives this object. One thread.
    ClientMemory(Gpu& gpu, MemoryClass memory_class, Arena& arena, Stream stream,
                 const RegistrationLimits& registrations)
        : class_(memory_class),
          jobs_(stream),
          copies_(arena, jobs_),
          registrations_(gpu, jobs_, registrations) {}
    ClientMemory(const ClientMemory&) = delete;
    ClientMemory& operator=(const ClientMemory&) = delete;

    // The address for kernels of byte range.begin. Memory that only this job needs goes into `temporary`,
    // which ends after the job.
    Result<std::byte*> read(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                            const kernels::StopToken& stop, MoveCost& cost);
    // The address at which kernels write bytes [begin, end) directly into the buffer. Null: the result must
    // be copied. REQUIRES: the job writes through buffer.writable, so that no freeze can end that mapping
    // before the job ends.
    std::byte* write(const ClientBuffer& buffer, std::uint64_t begin, std::uint64_t end, MoveCost& cost);
    // Arena memory. Frees copies that no current job needs, if necessary. Errors: OutOfMemory, DeviceLost.
    Result<Staging> stage(std::uint64_t bytes) {
        return copies_.stage(static_cast<std::size_t>(bytes), true);
    }
    void give_up_unused() { copies_.give_up_unused(); }

    // Begins a job within the current ones; the other calls then serve it.
    void begin_beside(Stream stream) { jobs_.begin_beside(stream); }
    // Ends the newest job.
    void end_job() { jobs_.end(); }
    // Forgets a buffer, before its mappings end or are sealed. An unknown buffer is no error. Between jobs.
    void drop(std::uint64_t id);
    void drop_all();
    // Sets whether mappings of the buffer may be registered, and ends its registrations. Registered pages are
    // pinned, which prevents a seal. While false, the buffer is copied, also for jobs that were admitted
    // before. Jobs that were admitted before and only read never register its writable mapping
    // afterwards: that mapping may be another one, or gone. Between jobs. Throws nothing; without memory it
    // only ends the registrations.
    void allow_registering(std::uint64_t id, bool allowed);
    // Buffers that jobs used and that drop() has not removed.
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
    CurrentJobs jobs_;
    KeptCopies copies_;
    Registrations registrations_;
    std::unordered_map<std::uint64_t, Known> known_;
};

}  // namespace tegu::device
