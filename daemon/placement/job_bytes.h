// SPDX-License-Identifier: Apache-2.0
// JobBytes: what has to be copied for a job to run on a GPU, by memory class: for this job alone, and for
// later ones, too.
#pragma once

#include <cstdint>

#include "daemon/jobs/prepared_job.h"
#include "kernels/device/memory_class.h"

namespace tegu::daemon {

struct JobBytes {
    std::uint64_t alone = 0;  // for this job, both ways
    // for later jobs, too: of inputs that are promised not to change and not there yet
    std::uint64_t kept = 0;
    std::uint64_t staged = 0;  // memory of the device for all arrays of the job; 0 where nothing is copied
};

// `gpu`: whose copies are asked for; null: nothing is there.
JobBytes job_bytes(const PreparedJob& prepared, device::MemoryClass memory_class, const BufferDevice* gpu);

// The buffer whose copy decides between targets; null: none is kept.
Buffer* kept_buffer(const PreparedJob& prepared);

}  // namespace tegu::daemon
