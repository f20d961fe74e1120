// SPDX-License-Identifier: Apache-2.0
// Registrations: ranges of the mappings of clients' buffers that kernels use in place, on boards that can
// register memory of the host. What is registered is pinned: so only ranges that are worth it are, and in
// total no more than a limit; those that were not used for longest end first. Ranges of one mapping never
// overlap, as no page can be registered twice.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/device/gpu.h"

namespace tegu::device {

struct RegistrationLimits {
    std::size_t bytes = 0;        // that are registered at once
    std::size_t least_bytes = 0;  // a range below is not worth it
};

class Registrations {
  public:
    enum class Side { Readable, Writable };
    struct Range {
        std::uint64_t begin, end;
    };

    // `gpu` outlives it. One thread.
    Registrations(Gpu& gpu, const RegistrationLimits& limits) : gpu_(gpu), limits_(limits) {}
    ~Registrations();
    Registrations(const Registrations&) = delete;
    Registrations& operator=(const Registrations&) = delete;

    // The address for kernels of byte range.begin, if what is registered now covers the range; else null.
    std::byte* find(std::uint64_t id, Side side, const Range& range);
    // The same, registering it if need be. `data`: the mapping, of `bytes`; good until the range is dropped.
    // Null: the range has to be copied; `why` is set to what stood in the way, and left alone where it was
    // not worth it.
    std::byte* find_or_add(std::uint64_t id, Side side, std::byte* data, std::uint64_t bytes,
                           const Range& range, std::string* why);
    // Lets go of all that is registered of a buffer. Between jobs.
    void drop(std::uint64_t id);
    // The job that the others were called for has ended.
    void end_job() { ++job_; }

    std::size_t bytes() const { return held_; }

  private:
    struct Region {
        std::uint64_t begin, end;  // bytes of the buffer
        std::byte* data;           // the mapping's byte `begin`
        std::byte* address;        // for kernels
        std::uint64_t last_job;
    };
    struct Mapping {
        std::vector<Region> regions;
        std::string refused;  // why nothing of it can be registered
    };
    struct Known {
        Mapping sides[2];
    };

    Region* covering(Mapping& mapping, const Range& range) const;
    std::uint64_t in_use_bytes() const;  // by the job at hand
    void end_oldest();                   // REQUIRES: there is one that is not in use
    void end(Mapping& mapping, std::size_t index);

    Gpu& gpu_;
    RegistrationLimits limits_;
    std::unordered_map<std::uint64_t, Known> known_;
    std::size_t held_ = 0;
    std::uint64_t job_ = 1;
};

}  // namespace tegu::device
