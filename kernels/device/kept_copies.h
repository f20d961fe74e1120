// SPDX-License-Identifier: Apache-2.0
// KeptCopies: copies of ranges of clients' buffers in an arena, kept from job to job. A copy has the size of
// what a job read, not of the buffer. It is used again if the buffer was sealed against writing when it was
// made, or if the job names a generation not newer than the one that it was made for, and no job of this
// process has written since.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/device/client_buffer.h"
#include "kernels/device/staging.h"

namespace tegu::device {

class KeptCopies {
  public:
    // Holds up to seven eighths of the arena, which outlives it: the rest is for what jobs need besides. One
    // thread, which is the stream's.
    KeptCopies(Arena& arena, Stream stream)
        : arena_(arena), stream_(stream), limit_(arena.limit_bytes() - arena.limit_bytes() / 8) {}
    KeptCopies(const KeptCopies&) = delete;
    KeptCopies& operator=(const KeptCopies&) = delete;

    // Whether a copy of the range could serve a later job: else there is no reason to keep one.
    static bool promised(const ClientBuffer& buffer, const ClientRange& range) {
        return buffer.sealed || range.generation != 0;
    }
    // The address for kernels of byte range.begin. A job that reads little takes what room there is; a larger
    // one has copies given up for it that were not used for longest. Errors: OutOfMemory, if there is no
    // room; those of the Gpu, and of the token.
    Result<std::byte*> read(const ClientBuffer& buffer, const ClientRange& range,
                            const kernels::StopToken& stop, MoveCost& cost);

    // Memory of the arena, for which copies may be given up: those that were not used for longest, none of
    // the job at hand, and none in vain.
    // Errors: those of Arena::take().
    Result<Staging> stage(std::size_t bytes, bool may_give_up);
    // All but those of the job at hand.
    void give_up_unused();

    void drop(std::uint64_t id) { known_.erase(id); }
    void drop_all() { known_.clear(); }
    // The job that read() was called for has ended.
    void end_job() { ++job_; }

  private:
    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    struct Copy {
        std::uint64_t begin = 0, end = 0;  // bytes of the buffer
        Staging memory;
        Ranges present;  // that were copied; sorted, apart
        std::uint64_t last_job = 0;
        bool sealed = false;  // what is present was copied when the buffer was
        std::uint64_t generation = 0;
        std::uint64_t writes = 0;
    };
    using Copies = std::vector<Copy>;

    Result<Copy*> copy_for(const ClientBuffer& buffer, const ClientRange& range);
    static Copies::iterator oldest_of(Copies& copies);
    bool give_up_oldest();
    std::size_t held_bytes() const;
    std::size_t unused_bytes() const;  // what giving up all can free

    Arena& arena_;
    Stream stream_;
    std::size_t limit_;
    std::unordered_map<std::uint64_t, Copies> known_;  // by buffer
    std::uint64_t job_ = 1;
};

}  // namespace tegu::device
