// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu/reduce_peers.h"
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {

void add_reduce_peers(PartContext& context, CaseList& cases) {
    const auto sum = [](const FieldJob& job) {
        const std::uint64_t n = job.elements();
        const std::size_t bytes = bench::cub_sum_bytes(n);
        const auto run = [n, bytes](const PeerMemory& memory, const void* x, cuda::Stream stream) {
            return bench::cub_sum(memory.space.data(), bytes, static_cast<const float*>(x),
                                  memory.out.as<float>(), n, stream);
        };
        return PeerMethod{
            "cub::DeviceReduce::Sum", bytes, sizeof(float), 0, run, "f32 throughout, in an order of its own"};
    };
    for (const char* const name : {"reduce f32 1e6 sum", "reduce f32 1e7 sum", "reduce f32 1e8 sum"})
        add_peer(context, cases, name, sum);
}

}  // namespace tegu::field
