// SPDX-License-Identifier: Apache-2.0
// JobBytes: the bytes that a job on a GPU copies, by memory class: for this job only, and for later jobs too.
#pragma once

#include <cstdint>

#include "daemon/jobs/prepared_job.h"
#include "kernels/device/memory_class.h"

namespace tegu::daemon {

struct JobBytes {
    std::uint64_t alone = 0;  // for this job only, both directions
    // also for later jobs: inputs with a generation that are not on the device yet
    std::uint64_t kept = 0;
    std::uint64_t staged = 0;  // device memory for all arrays of the job; 0 without copies
};

// `gpu`: the device whose copies count; null: no copies exist.
JobBytes job_bytes(const PreparedJob& prepared, device::MemoryClass memory_class, const BufferDevice* gpu);

// The buffer whose copy affects placement; null: no copy is kept.
Buffer* kept_buffer(const PreparedJob& prepared);

}  // namespace tegu::daemon
