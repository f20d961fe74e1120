// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "kernels/execution/cuda/context.h"
#include "tools/bench/gpu/topk_peers.h"
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {
namespace {

void add_topk(PartContext& context, CaseList& cases, const std::string& name) {
    const auto peer = peer_of(context, "topk", name);
    if (peer == nullptr) return;
    const auto n = static_cast<std::uint32_t>(peer->n());
    const auto k = static_cast<std::uint32_t>(std::get<TopkParams>(peer->job.job.params).k);
    peer->space_bytes = bench::cub_topk_bytes(n, k);
    if (peer->space_bytes == 0) return;
    Case one = described(peer, "cub::DeviceTopK", k * 4ull, k * 4ull);
    one.run = [peer, n, k](std::size_t turn) {
        const PeerMemory& memory = *peer->memory;
        return cuda::check_cuda(bench::cub_topk(memory.space.data(), peer->space_bytes,
                                                static_cast<const std::int32_t*>(memory.inputs[turn]), n, k,
                                                memory.out.as<std::int32_t>(),
                                                memory.more.as<std::uint32_t>(), peer->context.gpu->stream()),
                                "CUB's top-k");
    };
    one.note = "unsorted; which of equal values it takes is random";
    cases.add(std::move(one));
}

void add_sort(PartContext& context, CaseList& cases, const std::string& name) {
    const auto peer = peer_of(context, "topk", name);
    if (peer == nullptr) return;
    const auto n = static_cast<std::uint32_t>(peer->n());
    peer->space_bytes = bench::cub_sort_bytes(n);
    if (peer->space_bytes == 0) return;
    Case one = described(peer, "cub::DeviceRadixSort of all pairs", n * 4ull, n * 4ull);
    one.name += " by sorting all";
    one.prepare = [peer, n, prepare = one.prepare](Case& self) {
        Result<void> done = prepare(self);
        if (done) done = make(peer->memory->order, *peer->context.gpu, n * 4ull);
        if (!done) return done;
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        return peer->memory->order.upload(order.data(), n * 4ull);
    };
    one.run = [peer, n](std::size_t turn) {
        const PeerMemory& memory = *peer->memory;
        return cuda::check_cuda(
            bench::cub_sort(memory.space.data(), peer->space_bytes,
                            static_cast<const std::int32_t*>(memory.inputs[turn]),
                            memory.order.as<std::uint32_t>(), n, memory.out.as<std::int32_t>(),
                            memory.more.as<std::uint32_t>(), peer->context.gpu->stream()),
            "CUB's sort");
    };
    cases.add(std::move(one));
}

}  // namespace

void add_topk_peers(PartContext& context, CaseList& cases) {
    for (const char* const name :
         {"topk i32 1e6 k=10", "topk i32 1e7 k=10", "topk i32 1e7 k=10000", "topk i32 1e8 k=10"})
        add_topk(context, cases, name);
    add_sort(context, cases, "topk i32 1e7 k=10");
}

}  // namespace tegu::field
