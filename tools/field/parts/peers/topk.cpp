// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu/topk_peers.h"
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {

void add_topk_peers(PartContext& context, CaseList& cases) {
    const auto topk = [](const FieldJob& job) {
        const auto n = static_cast<std::uint32_t>(job.elements());
        const auto k = static_cast<std::uint32_t>(std::get<TopkParams>(job.job.params).k);
        const std::size_t bytes = bench::cub_topk_bytes(n, k);
        const auto run = [n, k, bytes](const PeerMemory& memory, const void* x, cuda::Stream stream) {
            return bench::cub_topk(memory.space.data(), bytes, static_cast<const std::int32_t*>(x), n, k,
                                   memory.out.as<std::int32_t>(), memory.more.as<std::uint32_t>(), stream);
        };
        return PeerMethod{"cub::DeviceTopK", bytes, k * 4ull,
                          k * 4ull,          run,   "unsorted; which of equal values it takes is random"};
    };
    const auto sort = [](const FieldJob& job) {
        const auto n = static_cast<std::uint32_t>(job.elements());
        const std::size_t bytes = bench::cub_sort_bytes(n);
        const auto run = [n, bytes](const PeerMemory& memory, const void* x, cuda::Stream stream) {
            return bench::cub_sort(memory.space.data(), bytes, static_cast<const std::int32_t*>(x),
                                   memory.order.as<std::uint32_t>(), n, memory.out.as<std::int32_t>(),
                                   memory.more.as<std::uint32_t>(), stream);
        };
        return PeerMethod{
            "cub::DeviceRadixSort of all pairs", bytes, n * 4ull, n * 4ull, run, "", " by sorting all", true};
    };
    for (const char* const name :
         {"topk i32 1e6 k=10", "topk i32 1e7 k=10", "topk i32 1e7 k=10000", "topk i32 1e8 k=10"})
        add_peer(context, cases, name, topk);
    add_peer(context, cases, "topk i32 1e7 k=10", sort);
}

}  // namespace tegu::field
