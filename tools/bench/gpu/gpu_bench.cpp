// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu/gpu_bench.h"

#include <cstdio>

#include "tools/bench/gpu/reduce_peers.h"

namespace tegu::bench {

GpuBench::GpuBench(Options options) : GpuTimer(options.quick), options_(std::move(options)) {
    std::printf("# %s; copy of %llu MiB: %.0f GB/s read and written\n", device().c_str(),
                static_cast<unsigned long long>(copied_bytes() >> 20), copy_bytes_per_us() / 1e3);
    if (const unsigned version = cub_version(); version != 0)
        std::printf("# CUB %u.%u.%u\n", version / 100000, version / 100 % 1000, version % 100);
    std::printf("%-44s %12s %10s %7s %9s %8s  %s\n", "case", "elements", "us", "noise", "GB/s", "of copy",
                "beside");
}

void GpuBench::report(const std::string& name, std::uint64_t n, std::uint64_t bytes, const GpuTime& time,
                      const std::string& beside, const GpuTime& peer) {
    std::printf("%-44s %12llu %10.2f %6.1f%% %9.0f %8.2f", name.c_str(), static_cast<unsigned long long>(n),
                time.us, 100 * time.noise, static_cast<double>(bytes) / time.us / 1e3,
                copy_us(bytes) / time.us);
    if (!beside.empty())
        std::printf("  %s %.2f us: %.2f times as fast", beside.c_str(), peer.us, peer.us / time.us);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace tegu::bench
