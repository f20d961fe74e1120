// SPDX-License-Identifier: Apache-2.0
// The GPU of a Jetson and its memory controller, read from kernel files without a driver library; paths
// differ by generation. Discrete GPUs and the load of a Thor need NVML and are unknown here.
#pragma once

#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct GpuLayout {
    Source load, clock, min, max, governor, railgated;
};
struct EmcLayout {
    Source clock, max, cap, activity;
};

GpuLayout find_gpu(Reader& reader);
Gpu sample_gpu(Reader& reader, const GpuLayout& layout);
EmcLayout find_emc(Reader& reader);
Emc sample_emc(Reader& reader, const EmcLayout& layout);

}  // namespace tegu::daemon::health
