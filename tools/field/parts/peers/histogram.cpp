// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu/histogram_peers.h"
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {

void add_histogram_peers(PartContext& context, CaseList& cases) {
    const auto even = [](const FieldJob& job) {
        constexpr std::int32_t kBins = 256;
        const auto n = static_cast<std::int32_t>(job.elements());
        const std::size_t bytes = bench::cub_histogram_bytes(n, kBins);
        const bool is_u8 = job.job.type == ElementType::U8;
        const auto run = [n, bytes, is_u8](const PeerMemory& memory, const void* x, cuda::Stream stream) {
            void* const space = memory.space.data();
            unsigned* const counts = memory.out.as<unsigned>();
            return is_u8 ? bench::cub_histogram(space, bytes, static_cast<const std::uint8_t*>(x), n, counts,
                                                kBins, 0, 256, stream)
                         : bench::cub_histogram(space, bytes, static_cast<const float*>(x), n, counts, kBins,
                                                0, 1, stream);
        };
        return PeerMethod{"cub::DeviceHistogram::HistogramEven", bytes, kBins * 4, 0, run};
    };
    for (const char* const name : {"histogram u8 1e7 bins=256", "histogram f32 1e7 bins=256 range"})
        add_peer(context, cases, name, even);
}

}  // namespace tegu::field
