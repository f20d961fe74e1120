// SPDX-License-Identifier: Apache-2.0
#include "tools/field/parts/peers/peer.h"

#include <numeric>

namespace tegu::field {
namespace {

Result<void> make(DeviceArray& array, GpuLab& lab, std::uint64_t bytes) {
    Result<DeviceArray> made = DeviceArray::create(lab, bytes);
    if (!made) return std::move(made).error();
    array = std::move(*made);
    return {};
}

Result<void> fill(PartContext& context, const FieldJob& job, const PeerMethod& method, PeerMemory& memory) {
    GpuLab& lab = *context.gpu;
    const Bytes content = context.inputs.get(job.job.type, job.elements(), job.values);
    Result<DeviceInputs> inputs =
        DeviceInputs::create(lab, content->data(), content->size(), context.device_bytes);
    if (!inputs) return std::move(inputs).error();
    memory.inputs = std::move(*inputs);
    Result<void> done = make(memory.space, lab, method.space_bytes);
    if (done) done = make(memory.out, lab, method.out_bytes);
    if (done) done = make(memory.more, lab, method.more_bytes);
    if (!done || !method.has_order) return done;
    std::vector<std::uint32_t> order(job.elements());
    std::iota(order.begin(), order.end(), 0u);
    done = make(memory.order, lab, 4 * order.size());
    return done ? memory.order.upload(order.data(), 4 * order.size()) : done;
}

std::optional<FieldJob> find_job(const PartContext& context, const std::string& name) {
    const std::string operation = name.substr(0, name.find(' '));
    if (!context.options.wants(operation)) return std::nullopt;
    std::vector<FieldJob> jobs = operation_jobs(operation);
    for (FieldJob& job : jobs) {
        if (job.name != name) continue;
        std::vector<FieldJob> one = {std::move(job)};
        if (context.options.quick) make_quick(one);
        return std::move(one.front());
    }
    return std::nullopt;
}

}  // namespace

void add_peer(PartContext& context, CaseList& cases, const std::string& name,
              const std::function<PeerMethod(const FieldJob& job)>& method_of) {
    const std::optional<FieldJob> job = find_job(context, name);
    if (!job) return;
    const PeerMethod method = method_of(*job);
    if (method.space_bytes == 0) return;
    Case one;
    one.name = job->name + method.suffix;
    one.operation = std::string(job->operation());
    one.backend = "peer:cub";
    one.method = method.name;
    one.note = method.note;
    one.axes = job->axes;
    one.bytes = job->elements() * element_bytes(job->job.type) + method.out_bytes + method.more_bytes;
    one.flops = job->flops;
    one.clock = Clock::Stream;
    one.priority = job->priority;
    const auto memory = std::make_shared<PeerMemory>();
    one.prepare = [&context, job, method, memory](Case&) { return fill(context, *job, method, *memory); };
    one.run = [&context, method, memory](std::size_t turn) {
        return cuda::check_cuda(method.run(*memory, memory->inputs[turn], context.gpu->stream()),
                                method.name);
    };
    cases.add(std::move(one));
}

void add_peer_cases(PartContext& context, CaseList& cases) {
#define TEGU_X(stem) add_##stem##_peers(context, cases);
    TEGU_OPERATION_PEERS(TEGU_X)
#undef TEGU_X
}

}  // namespace tegu::field
