// SPDX-License-Identifier: Apache-2.0
// Times of CUB, the toolkit's library, for the same jobs, if the toolkit has it. Built only with CUDA.
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/execution/cuda/context.h"
#include "tools/bench/gpu/histogram_peers.h"
#include "tools/bench/gpu/reduce_peers.h"
#include "tools/bench/gpu/topk_peers.h"
#include "tools/field/jobs.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

using cuda::check_cuda;

// Device memory of a peer: inputs in turn, its work space, and what it writes.
struct PeerMemory {
    DeviceInputs inputs;
    DeviceArray space, order, out, more;
};

struct Peer {
    PartContext& context;
    FieldJob job;  // what it does as well, by its description
    std::size_t space_bytes;
    std::shared_ptr<PeerMemory> memory = std::make_shared<PeerMemory>();

    std::uint64_t n() const { return job.elements(); }
};

Result<void> make(DeviceArray& array, GpuLab& lab, std::uint64_t bytes) {
    Result<DeviceArray> made = DeviceArray::create(lab, bytes);
    if (!made) return std::move(made).error();
    array = std::move(*made);
    return {};
}

Result<void> place(Peer& peer, std::uint64_t out_bytes, std::uint64_t more_bytes) {
    GpuLab& lab = *peer.context.gpu;
    const Bytes content = peer.context.inputs.get(peer.job.job.type, peer.n(), peer.job.values);
    Result<DeviceInputs> inputs =
        DeviceInputs::create(lab, content->data(), content->size(), peer.context.device_bytes);
    if (!inputs) return std::move(inputs).error();
    peer.memory->inputs = std::move(*inputs);
    Result<void> done = make(peer.memory->space, lab, peer.space_bytes);
    if (done) done = make(peer.memory->out, lab, out_bytes);
    if (done) done = make(peer.memory->more, lab, more_bytes);
    return done;
}

Case described(const std::shared_ptr<Peer>& peer, const char* method, std::uint64_t out_bytes,
               std::uint64_t more_bytes) {
    const FieldJob& job = peer->job;
    Case one;
    one.name = job.name;
    one.operation = std::string(job.operation());
    one.backend = "peer:cub";
    one.method = method;
    one.axes = job.axes;
    one.bytes = job.elements() * element_bytes(job.job.type) + out_bytes + more_bytes;
    one.flops = job.flops;
    one.clock = Clock::Stream;
    one.priority = job.priority;
    one.prepare = [peer, out_bytes, more_bytes](Case&) { return place(*peer, out_bytes, more_bytes); };
    return one;
}

// The job of this name among those of the operation.
std::shared_ptr<Peer> peer_of(PartContext& context, const char* operation, const std::string& name) {
    if (!context.options.wants(operation)) return nullptr;
    std::vector<FieldJob> jobs = operation_jobs(operation);
    for (FieldJob& job : jobs) {
        if (job.name != name) continue;
        std::vector<FieldJob> one = {std::move(job)};
        if (context.options.quick) make_quick(one);
        return std::make_shared<Peer>(Peer{context, std::move(one.front()), 0});
    }
    return nullptr;
}

void add_sum(PartContext& context, CaseList& cases, const std::string& name) {
    const auto peer = peer_of(context, "reduce", name);
    if (peer == nullptr) return;
    peer->space_bytes = bench::cub_sum_bytes(peer->n());
    if (peer->space_bytes == 0) return;
    Case one = described(peer, "cub::DeviceReduce::Sum", sizeof(float), 0);
    one.run = [peer](std::size_t turn) {
        const PeerMemory& memory = *peer->memory;
        return check_cuda(bench::cub_sum(memory.space.data(), peer->space_bytes,
                                         static_cast<const float*>(memory.inputs[turn]),
                                         memory.out.as<float>(), peer->n(), peer->context.gpu->stream()),
                          "CUB's sum");
    };
    one.note = "f32 throughout, in an order of its own";
    cases.add(std::move(one));
}

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
        return check_cuda(bench::cub_topk(memory.space.data(), peer->space_bytes,
                                          static_cast<const std::int32_t*>(memory.inputs[turn]), n, k,
                                          memory.out.as<std::int32_t>(), memory.more.as<std::uint32_t>(),
                                          peer->context.gpu->stream()),
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
        return check_cuda(bench::cub_sort(memory.space.data(), peer->space_bytes,
                                          static_cast<const std::int32_t*>(memory.inputs[turn]),
                                          memory.order.as<std::uint32_t>(), n, memory.out.as<std::int32_t>(),
                                          memory.more.as<std::uint32_t>(), peer->context.gpu->stream()),
                          "CUB's sort");
    };
    cases.add(std::move(one));
}

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
        return check_cuda(
            bytes ? bench::cub_histogram(space, peer->space_bytes, static_cast<const std::uint8_t*>(x), n,
                                         counts, kBins, 0, 256, stream)
                  : bench::cub_histogram(space, peer->space_bytes, static_cast<const float*>(x), n, counts,
                                         kBins, 0, 1, stream),
            "CUB's histogram");
    };
    cases.add(std::move(one));
}

}  // namespace

void add_peer_cases(PartContext& context, CaseList& cases) {
    for (const char* const name : {"reduce f32 1e6 sum", "reduce f32 1e7 sum", "reduce f32 1e8 sum"})
        add_sum(context, cases, name);
    for (const char* const name :
         {"topk i32 1e6 k=10", "topk i32 1e7 k=10", "topk i32 1e7 k=10000", "topk i32 1e8 k=10"})
        add_topk(context, cases, name);
    add_sort(context, cases, "topk i32 1e7 k=10");
    for (const char* const name : {"histogram u8 1e7 bins=256", "histogram f32 1e7 bins=256 range"})
        add_histogram(context, cases, name);
}

}  // namespace tegu::field
