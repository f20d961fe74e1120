// SPDX-License-Identifier: Apache-2.0
// Registrations: registered ranges of clients' mappings, which kernels use in place on boards that can
// register host memory. Registered memory is pinned, so ranges have a minimum size and the total has a limit;
// the least recently used range ends first. Ranges of one mapping never overlap, because no page can be
// registered twice.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/device/current_jobs.h"

namespace tegu::device {

struct RegistrationLimits {
    std::size_t bytes = 0;        // maximum that is registered at once
    std::size_t least_bytes = 0;  // smaller ranges are not registered
};

class Registrations {
  public:
    enum class Side { Readable, Writable };
    struct Range {
        std::uint64_t begin, end;
    };

    // `gpu` and `jobs` outlive this object. One thread. The calls serve the newest job.
    Registrations(Gpu& gpu, const CurrentJobs& jobs, const RegistrationLimits& limits)
        : gpu_(gpu), jobs_(jobs), limits_(limits) {}
    ~Registrations();
    Registrations(const Registrations&) = delete;
    Registrations& operator=(const Registrations&) = delete;

    // The address for kernels of byte range.begin, if a registration covers the range; else null.
    std::byte* find(std::uint64_t id, Side side, const Range& range);
    // As find(), but registers the range if necessary. `data`: the mapping, of `bytes`; valid until the range
    // is dropped. Null: the range must be copied. `why` then gets the reason. It stays unchanged if the
    // registration does not pay or an overlapping range is in use.
    std::byte* find_or_add(std::uint64_t id, Side side, std::byte* data, std::uint64_t bytes,
                           const Range& range, std::string* why);
    // Ends all registrations of a buffer. Between jobs.
    void drop(std::uint64_t id);

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
        std::string refused;  // why the mapping cannot be registered
    };
    struct Known {
        Mapping sides[2];
    };

    Region* covering(Mapping& mapping, const Range& range) const;
    std::uint64_t in_use_bytes() const;  // used by current jobs
    void end_oldest();                   // REQUIRES: an unused range exists
    void end(Mapping& mapping, std::size_t index);

    Gpu& gpu_;
    const CurrentJobs& jobs_;
    RegistrationLimits limits_;
    std::unordered_map<std::uint64_t, Known> known_;
    std::size_t held_ = 0;
};

}  // namespace tegu::device
