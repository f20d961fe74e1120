// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cuda/context.h"
#include "tools/bench/gpu/histogram_peers.h"
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {
namespace {

void add_histogram(PartContext& context, CaseList& cases, const std::string& name) {
    const auto peer = peer_of(context, "histogram", name);
    if (peer == nullptr) return;
    constexpr std::int32_t kBins = 256;
    const auto n = static_cast<std::int32_t>(peer->n());
    peer->space_bytes = bench::cub_histogram_bytes(n, kBins);
    if (peer->space_bytes == 0) return;
    Case one = described(peer, "cub::DeviceHistogram::HistogramEven", kBins * 4ull, 0);
    one.run = [peer, n](std::size_t turn) {
        const PeerMemory& memory = *peer->memory;
        void* const space = memory.space.data();
        unsigned* const counts = memory.out.as<unsigned>();
        const cuda::Stream stream = peer->context.gpu->stream();
        const void* const x = memory.inputs[turn];
        const bool bytes = peer->job.job.type == ElementType::U8;
        return cuda::check_cuda(
            bytes ? bench::cub_histogram(space, peer->space_bytes, static_cast<const std::uint8_t*>(x), n,
                                         counts, kBins, 0, 256, stream)
                  : bench::cub_histogram(space, peer->space_bytes, static_cast<const float*>(x), n, counts,
                                         kBins, 0, 1, stream),
            "CUB's histogram");
    };
    cases.add(std::move(one));
}

}  // namespace

void add_histogram_peers(PartContext& context, CaseList& cases) {
    for (const char* const name : {"histogram u8 1e7 bins=256", "histogram f32 1e7 bins=256 range"})
        add_histogram(context, cases, name);
}

}  // namespace tegu::field
