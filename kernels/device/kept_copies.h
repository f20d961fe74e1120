// SPDX-License-Identifier: Apache-2.0
// KeptCopies: copies of ranges of clients' buffers in an arena, kept from job to job. A copy has the size of
// what a job read, not of the buffer.
#pragma once

#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/device/client_buffer.h"
#include "kernels/device/current_jobs.h"
#include "kernels/device/staging.h"

namespace tegu::device {

// A copy that was made while the buffer was sealed against writing is always reused. Another copy is reused
// if the job names a generation not newer than the copy's and no job of this process has written since.
class KeptCopies {
  public:
    // Holds at most seven eighths of the arena, which outlives it, as do the jobs; other memory of jobs gets
    // the rest. One thread. The calls serve the newest job.
    KeptCopies(Arena& arena, const CurrentJobs& jobs)
        : arena_(arena), limit_(arena.limit_bytes() - arena.limit_bytes() / 8), jobs_(jobs) {}
    KeptCopies(const KeptCopies&) = delete;
    KeptCopies& operator=(const KeptCopies&) = delete;

    // Returns whether a copy of the range could serve a later job. Otherwise it is not kept.
    static bool promised(const ClientBuffer& buffer, const ClientRange& range) {
        return buffer.sealed || range.generation != 0;
    }
    // The address for kernels of byte range.begin. A job that reads little takes only free capacity. A larger
    // job frees the least recently used copies. Errors: OutOfMemory, if the capacity is too small; those of
    // the Gpu and of the stop token.
    Result<std::byte*> read(const ClientBuffer& buffer, const ClientRange& range,
                            const kernels::StopToken& stop, MoveCost& cost);

    // Arena memory. May free the least recently used copies, but no copy of a current job, and none if that
    // would not suffice. Errors: those of Arena::take().
    Result<Staging> stage(std::size_t bytes, bool may_give_up);
    // Frees all copies that no current job uses.
    void give_up_unused();

    void drop(std::uint64_t id) { known_.erase(id); }
    void drop_all() { known_.clear(); }

  private:
    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    struct Copy {
        std::uint64_t begin = 0, end = 0;  // bytes of the buffer
        Staging memory;
        Ranges present;  // copied ranges; sorted, disjoint
        std::uint64_t last_job = 0;
        bool sealed = false;  // the buffer was sealed when `present` was copied
        std::uint64_t generation = 0;
        std::uint64_t writes = 0;
    };
    using Copies = std::list<Copy>;  // a copy stays in its place while a job waits

    Result<Copy*> copy_for(const ClientBuffer& buffer, const ClientRange& range);
    bool in_use(const Copy& copy) const { return jobs_.has(copy.last_job); }
    // A copy in use only if all are.
    Copies::iterator oldest_of(Copies& copies) const;
    bool give_up_oldest();
    std::size_t held_bytes() const;
    std::size_t unused_bytes() const;  // bytes that give_up_unused() would free

    Arena& arena_;
    std::size_t limit_;
    std::unordered_map<std::uint64_t, Copies> known_;  // by buffer
    const CurrentJobs& jobs_;
};

}  // namespace tegu::device
