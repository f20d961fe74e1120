// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cuda/context.h"
#include "tools/bench/gpu/reduce_peers.h"
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {
namespace {

void add_sum(PartContext& context, CaseList& cases, const std::string& name) {
    const auto peer = peer_of(context, "reduce", name);
    if (peer == nullptr) return;
    peer->space_bytes = bench::cub_sum_bytes(peer->n());
    if (peer->space_bytes == 0) return;
    Case one = described(peer, "cub::DeviceReduce::Sum", sizeof(float), 0);
    one.run = [peer](std::size_t turn) {
        const PeerMemory& memory = *peer->memory;
        return cuda::check_cuda(
            bench::cub_sum(memory.space.data(), peer->space_bytes,
                           static_cast<const float*>(memory.inputs[turn]), memory.out.as<float>(), peer->n(),
                           peer->context.gpu->stream()),
            "CUB's sum");
    };
    one.note = "f32 throughout, in an order of its own";
    cases.add(std::move(one));
}

}  // namespace

void add_reduce_peers(PartContext& context, CaseList& cases) {
    for (const char* const name : {"reduce f32 1e6 sum", "reduce f32 1e7 sum", "reduce f32 1e8 sum"})
        add_sum(context, cases, name);
}

}  // namespace tegu::field
