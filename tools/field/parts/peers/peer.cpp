// SPDX-License-Identifier: Apache-2.0
#include "tools/field/parts/peers/peer.h"

namespace tegu::field {
namespace {

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

}  // namespace

Result<void> make(DeviceArray& array, GpuLab& lab, std::uint64_t bytes) {
    Result<DeviceArray> made = DeviceArray::create(lab, bytes);
    if (!made) return std::move(made).error();
    array = std::move(*made);
    return {};
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

void add_peer_cases(PartContext& context, CaseList& cases) {
#define TEGU_X(stem) add_##stem##_peers(context, cases);
    TEGU_OPERATION_PEERS(TEGU_X)
#undef TEGU_X
}

}  // namespace tegu::field
