// SPDX-License-Identifier: Apache-2.0
// The module's side of the border: the table of kernels/module/abi.h over the devices that are linked in.
// Compiled into each module. No exception leaves it.
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "kernels/device/gpu.h"
#include "kernels/module/abi.h"
#include "kernels/module/device_record.h"
#include "kernels/module/job_words.h"
#include "kernels/module/layout.h"

struct tegu_module_gpu {
    std::unique_ptr<tegu::device::Gpu> gpu;
    std::int32_t (*work)(void* with) = nullptr;  // done while a call waits
    void* with = nullptr;
    // What the caller sees of the last run and the last list.
    tegu::kernels::RunReport report;
    std::vector<tegu_module_field> fields;
    std::vector<tegu::cuda::KernelResources> kernels;
    std::vector<tegu_module_kernel> kernel_list;
};

namespace tegu::module {
namespace {

using device::Stream;

Stream stream_of(void* stream) {
    return static_cast<Stream>(stream);
}

std::int32_t failed(const Error& error, tegu_module_error* to) {
    to->status = static_cast<std::int32_t>(error.status);
    to->has_row = error.row ? 1 : 0;
    to->row = error.row.value_or(0);
    copy_text(error.message, to->message);
    copy_text(error.field, to->field);
    copy_text(error.allowed, to->allowed);
    return TEGU_MODULE_FAILED;
}

// Makes a call that returns a Result<void>.
template <class Call>
std::int32_t guarded(tegu_module_error* error, Call&& call) noexcept {
    try {
        try {
            const Result<void> done = call();
            return done ? std::int32_t{TEGU_MODULE_DONE} : failed(done.error(), error);
        } catch (const std::bad_alloc&) {
            return TEGU_MODULE_NO_MEMORY;
        } catch (const std::exception& exception) {
            return failed(make_error(Status::Internal, exception.what()), error);
        }
    } catch (const std::bad_alloc&) {  // for the text of the exception
        return TEGU_MODULE_NO_MEMORY;
    }
}

template <class T, class U>
Result<void> store(Result<T> result, U* to) {
    if (!result) return std::move(result).error();
    *to = static_cast<U>(*result);
    return {};
}

// Calls that return nothing release something, and need no memory but for texts of errors.
template <class Call>
void released(Call&& call) noexcept {
    try {
        call();
    } catch (const std::bad_alloc&) {
    }
}

std::int32_t probe(tegu_module_device* devices, std::uint32_t capacity, std::uint32_t* count,
                   tegu_module_error* error) {
    *count = 0;
    return guarded(error, [&]() -> Result<void> {
        const device::DeviceList list = device::probe_devices();
        if (list.devices.empty()) return make_error(Status::Unavailable, list.reason);
        for (const device::DeviceInfo& device : list.devices)
            if (*count < capacity) devices[(*count)++] = record_of(device);
        return {};
    });
}

std::int32_t open(const tegu_module_device* device, std::uint64_t workspace_bytes, tegu_module_gpu** gpu,
                  tegu_module_error* error) {
    return guarded(error, [&]() -> Result<void> {
        Result<std::unique_ptr<device::Gpu>> opened =
            device::open_gpu(device_of(*device), {static_cast<std::size_t>(workspace_bytes)});
        if (!opened) return std::move(opened).error();
        auto made = std::make_unique<tegu_module_gpu>();
        made->gpu = std::move(opened).value();
        *gpu = made.release();
        return {};
    });
}

void close(tegu_module_gpu* gpu) {
    released([&] { delete gpu; });
}

std::int32_t use(tegu_module_gpu* gpu, tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->use(); });
}

std::int32_t create_stream(tegu_module_gpu* gpu, std::uint32_t beside, void** stream,
                           tegu_module_error* error) {
    const device::StreamUse use = beside != 0 ? device::StreamUse::JobsBeside : device::StreamUse::Jobs;
    return guarded(error, [&] { return store(gpu->gpu->create_stream(use), stream); });
}
void destroy_stream(tegu_module_gpu* gpu, void* stream) {
    released([&] { gpu->gpu->destroy_stream(stream_of(stream)); });
}
std::int32_t synchronize(tegu_module_gpu* gpu, void* stream, tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->synchronize(stream_of(stream)); });
}
void trim(tegu_module_gpu* gpu, void* stream) {
    released([&] { gpu->gpu->trim(stream_of(stream)); });
}

std::int32_t allocate_managed(tegu_module_gpu* gpu, std::uint64_t bytes, void** memory,
                              tegu_module_error* error) {
    return guarded(error, [&] { return store(gpu->gpu->allocate_managed(bytes), memory); });
}
void free_managed(tegu_module_gpu* gpu, void* memory) {
    released([&] { gpu->gpu->free_managed(memory); });
}
std::int32_t attach_to_stream(tegu_module_gpu* gpu, void* memory, void* stream, tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->attach_to_stream(memory, stream_of(stream)); });
}
std::int32_t attach_to_host(tegu_module_gpu* gpu, void* memory, void* stream, tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->attach_to_host(memory, stream_of(stream)); });
}
std::int32_t prefetch_to_device(tegu_module_gpu* gpu, void* memory, std::uint64_t bytes, void* stream,
                                tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->prefetch_to_device(memory, bytes, stream_of(stream)); });
}
std::int32_t prefetch_to_host(tegu_module_gpu* gpu, void* memory, std::uint64_t bytes, void* stream,
                              tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->prefetch_to_host(memory, bytes, stream_of(stream)); });
}
std::int32_t allocate_pinned(tegu_module_gpu* gpu, std::uint64_t bytes, void** memory,
                             tegu_module_error* error) {
    return guarded(error, [&] { return store(gpu->gpu->allocate_pinned(bytes), memory); });
}
void free_pinned(tegu_module_gpu* gpu, void* memory) {
    released([&] { gpu->gpu->free_pinned(memory); });
}
std::int32_t allocate_device(tegu_module_gpu* gpu, std::uint64_t bytes, void** memory,
                             tegu_module_error* error) {
    return guarded(error, [&] { return store(gpu->gpu->allocate_device(bytes), memory); });
}
void free_device(tegu_module_gpu* gpu, void* memory) {
    released([&] { gpu->gpu->free_device(memory); });
}
std::int32_t copy(tegu_module_gpu* gpu, void* to, const void* from, std::uint64_t bytes, void* stream,
                  tegu_module_error* error) {
    return guarded(error, [&] { return gpu->gpu->copy(to, from, bytes, stream_of(stream)); });
}
std::int32_t register_mapping(tegu_module_gpu* gpu, void* data, std::uint64_t bytes, std::uint32_t read_only,
                              void** address, tegu_module_error* error) {
    return guarded(error,
                   [&] { return store(gpu->gpu->register_mapping(data, bytes, read_only != 0), address); });
}
void unregister_mapping(tegu_module_gpu* gpu, void* data) {
    released([&] { gpu->gpu->unregister_mapping(data); });
}

std::uint64_t workspace_limit(tegu_module_gpu* gpu) {
    return gpu->gpu->workspace_limit();
}
std::int32_t free_bytes(tegu_module_gpu* gpu, std::uint64_t* bytes, tegu_module_error* error) {
    return guarded(error, [&] { return store(gpu->gpu->free_bytes(), bytes); });
}

std::int32_t list_kernels(tegu_module_gpu* gpu, const tegu_module_kernel** list, std::uint64_t* count,
                          tegu_module_error* error) {
    return guarded(error, [&]() -> Result<void> {
        Result<std::vector<cuda::KernelResources>> found = gpu->gpu->kernels();
        if (!found) return std::move(found).error();
        gpu->kernel_list.clear();
        gpu->kernels = std::move(found).value();
        for (const cuda::KernelResources& kernel : gpu->kernels)
            gpu->kernel_list.push_back({kernel.name.c_str(), kernel.moves.c_str(), kernel.registers,
                                        kernel.threads, kernel.max_threads, kernel.blocks_per_multiprocessor,
                                        kernel.static_shared_bytes, kernel.dynamic_shared_bytes,
                                        kernel.local_bytes, kernel.constant_bytes, kernel.architecture, 0});
        *list = gpu->kernel_list.data();
        *count = gpu->kernel_list.size();
        return {};
    });
}

Result<Job> job_of(const tegu_module_job& from) {
    Result<JobParams> params =
        read_words(from.operation, Span<const std::uint64_t>(from.words, from.word_count));
    if (!params) return std::move(params).error();
    Job job;
    job.type = static_cast<ElementType>(from.type);
    job.axis = static_cast<Axis>(from.axis);
    job.rows = from.rows;
    job.cols = from.cols;
    job.params = std::move(params).value();
    return job;
}

cuda::JobPolicies policies_of(const tegu_module_job& from) {
    cuda::JobPolicies policies;
    policies.whole = static_cast<const cuda::Policies*>(from.policies);
    for (unsigned i = 0; i < TEGU_MODULE_PARTS; ++i)
        policies.parts[i] = static_cast<const cuda::Policies*>(from.part_policies[i]);
    return policies;
}

void show(tegu_module_gpu& gpu, tegu_module_report* report) {
    gpu.fields.clear();
    for (const kernels::RunPolicy::Field& field : gpu.report.policy.fields())
        gpu.fields.push_back(
            {field.key.data(), field.value.data(), field.value.size(), field.shows_key ? 1u : 0u, 0});
    *report = {gpu.fields.data(),
               gpu.fields.size(),
               gpu.report.filled_columns.data(),
               gpu.report.filled_columns.size(),
               gpu.report.threads,
               0};
}

// A fused job is planned again, for the plans of its parts.
std::int32_t run(tegu_module_gpu* gpu, const tegu_module_job* from, void* stream, tegu_module_report* report,
                 tegu_module_error* error) {
    return guarded(error, [&]() -> Result<void> {
        const Result<Job> job = job_of(*from);
        if (!job) return job.error();
        std::vector<kernels::InputView> inputs;
        inputs.reserve(from->input_count);
        for (std::uint32_t i = 0; i < from->input_count; ++i)
            inputs.push_back(
                {static_cast<const std::byte*>(from->inputs[i].data), from->inputs[i].row_stride});
        std::vector<kernels::OutputView> outputs;
        outputs.reserve(from->output_count);
        for (std::uint32_t i = 0; i < from->output_count; ++i)
            outputs.push_back({static_cast<std::byte*>(from->outputs[i])});
        kernels::JobPlan plan;
        if (operation_of(*job) == Operation::Fused) {
            Result<kernels::JobPlan> planned = kernels::plan_job(*job);
            if (!planned) return std::move(planned).error();
            plan = std::move(planned).value();
        }
        const kernels::StopToken stop(from->poll_stop, from->stop);
        Result<kernels::RunReport> done =
            gpu->gpu->run({*job, plan.parts, inputs, outputs, stop}, stream_of(stream), policies_of(*from));
        if (!done) return std::move(done).error();
        gpu->report = std::move(done).value();
        show(*gpu, report);
        return {};
    });
}

void set_meanwhile(tegu_module_gpu* gpu, std::int32_t (*work)(void* with), void* with) {
    gpu->work = work;
    gpu->with = with;
    const auto does = [](void* of) {
        const auto& waiting = *static_cast<const tegu_module_gpu*>(of);
        return waiting.work(waiting.with) != 0;
    };
    gpu->gpu->set_meanwhile(work == nullptr ? cuda::Meanwhile() : cuda::Meanwhile{does, gpu});
}

tegu_module make_table() {
    static const std::vector<std::uint32_t> built(device::built_architectures().begin(),
                                                  device::built_architectures().end());
    tegu_module table{};
    table.abi = TEGU_MODULE_ABI;
    table.table_bytes = sizeof table;
    table.revision = layout_revision();
    table.version = TEGU_VERSION;
    table.toolkit = TEGU_MODULE_TOOLKIT;
    table.built = built.data();
    table.built_count = built.size();
    table.probe = probe;
    table.open = open;
    table.close = close;
    table.use = use;
    table.create_stream = create_stream;
    table.destroy_stream = destroy_stream;
    table.synchronize = synchronize;
    table.trim = trim;
    table.allocate_managed = allocate_managed;
    table.free_managed = free_managed;
    table.attach_to_stream = attach_to_stream;
    table.attach_to_host = attach_to_host;
    table.prefetch_to_device = prefetch_to_device;
    table.prefetch_to_host = prefetch_to_host;
    table.allocate_pinned = allocate_pinned;
    table.free_pinned = free_pinned;
    table.allocate_device = allocate_device;
    table.free_device = free_device;
    table.copy = copy;
    table.register_mapping = register_mapping;
    table.unregister_mapping = unregister_mapping;
    table.workspace_limit = workspace_limit;
    table.free_bytes = free_bytes;
    table.kernels = list_kernels;
    table.run = run;
    table.set_meanwhile = set_meanwhile;
    return table;
}

}  // namespace
}  // namespace tegu::module

// Null: the host has no memory.
extern "C" __attribute__((visibility("default"))) const tegu_module* tegu_cuda_module() {
    try {
        static const tegu_module table = tegu::module::make_table();
        return &table;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
