// SPDX-License-Identifier: Apache-2.0
#include "kernels/module/module_gpu.h"

#include <new>
#include <utility>

#include "kernels/module/device_record.h"
#include "kernels/module/job_words.h"

namespace tegu::module {
namespace {

std::int32_t poll_stop(void* of) {
    const auto& stop = *static_cast<const kernels::StopToken*>(of);
    if (!stop.stop_requested()) return 0;
    return stop.cancelled() ? 1 : 2;
}

kernels::RunReport report_of(const tegu_module_report& from) {
    kernels::RunReport report;
    report.policy.reserve(from.field_count + 2);  // memory, and what was copied
    for (std::uint64_t i = 0; i < from.field_count; ++i) {
        const tegu_module_field& field = from.fields[i];
        std::string value(field.value, field.value_bytes);
        if (field.shows_key != 0)
            report.policy.add(field.key, std::move(value));
        else
            report.policy.add_word(field.key, std::move(value));
    }
    report.filled_columns.assign(from.filled_columns, from.filled_columns + from.column_count);
    report.threads = from.threads;
    return report;
}

std::int32_t work_meanwhile(void* of) {
    return static_cast<const ModuleGpu*>(of)->meanwhile()() ? 1 : 0;
}

}  // namespace

Error error_of(std::int32_t outcome, const tegu_module_error& error) {
    if (outcome == TEGU_MODULE_NO_MEMORY) throw std::bad_alloc();
    const bool known =
        error.status > 0 && error.status <= UINT16_MAX && is_status(static_cast<std::uint16_t>(error.status));
    Error made = field_error(known ? static_cast<Status>(error.status) : Status::Internal,
                             text_of(error.field), text_of(error.allowed), text_of(error.message));
    if (error.has_row != 0) made.row = error.row;
    return made;
}

Result<void> ModuleGpu::done(std::int32_t outcome) const {
    if (outcome == TEGU_MODULE_DONE) return {};
    return error_of(outcome, error_);
}

template <class T>
Result<T> ModuleGpu::value(std::int32_t outcome, T of) const {
    if (outcome == TEGU_MODULE_DONE) return of;
    return error_of(outcome, error_);
}

Result<std::unique_ptr<device::Gpu>> ModuleGpu::open(const tegu_module& module,
                                                     const device::DeviceInfo& device,
                                                     const device::GpuLimits& limits) {
    const tegu_module_device record = record_of(device);
    tegu_module_gpu* gpu = nullptr;
    tegu_module_error error{};
    const std::int32_t outcome = module.open(&record, limits.workspace_bytes, &gpu, &error);
    if (outcome != TEGU_MODULE_DONE) return error_of(outcome, error);
    return std::unique_ptr<device::Gpu>(new ModuleGpu(module, gpu, device));
}

Result<void> ModuleGpu::use() {
    return done(module_.use(gpu_, &error_));
}

Result<device::Stream> ModuleGpu::create_stream(device::StreamUse use) {
    void* stream = nullptr;
    const std::uint32_t beside = use == device::StreamUse::JobsBeside ? 1 : 0;
    const std::int32_t outcome = module_.create_stream(gpu_, beside, &stream, &error_);
    return value(outcome, static_cast<device::Stream>(stream));
}

Result<void> ModuleGpu::synchronize(device::Stream stream) {
    return done(module_.synchronize(gpu_, stream, &error_));
}

Result<void*> ModuleGpu::allocate_managed(std::size_t bytes) {
    void* memory = nullptr;
    const std::int32_t outcome = module_.allocate_managed(gpu_, bytes, &memory, &error_);
    return value(outcome, memory);
}

Result<void> ModuleGpu::attach_to_stream(void* memory, device::Stream stream) {
    return done(module_.attach_to_stream(gpu_, memory, stream, &error_));
}

Result<void> ModuleGpu::attach_to_host(void* memory, device::Stream stream) {
    return done(module_.attach_to_host(gpu_, memory, stream, &error_));
}

Result<void> ModuleGpu::prefetch_to_device(void* memory, std::size_t bytes, device::Stream stream) {
    return done(module_.prefetch_to_device(gpu_, memory, bytes, stream, &error_));
}

Result<void> ModuleGpu::prefetch_to_host(void* memory, std::size_t bytes, device::Stream stream) {
    return done(module_.prefetch_to_host(gpu_, memory, bytes, stream, &error_));
}

Result<void*> ModuleGpu::allocate_pinned(std::size_t bytes) {
    void* memory = nullptr;
    const std::int32_t outcome = module_.allocate_pinned(gpu_, bytes, &memory, &error_);
    return value(outcome, memory);
}

Result<void*> ModuleGpu::allocate_device(std::size_t bytes) {
    void* memory = nullptr;
    const std::int32_t outcome = module_.allocate_device(gpu_, bytes, &memory, &error_);
    return value(outcome, memory);
}

Result<void> ModuleGpu::copy(void* to, const void* from, std::size_t bytes, device::Stream stream) {
    return done(module_.copy(gpu_, to, from, bytes, stream, &error_));
}

Result<void*> ModuleGpu::register_mapping(void* data, std::size_t bytes, bool read_only) {
    void* address = nullptr;
    const std::int32_t outcome =
        module_.register_mapping(gpu_, data, bytes, read_only ? 1 : 0, &address, &error_);
    return value(outcome, address);
}

std::size_t ModuleGpu::workspace_limit() const {
    return static_cast<std::size_t>(module_.workspace_limit(gpu_));
}

Result<std::size_t> ModuleGpu::free_bytes() {
    std::uint64_t bytes = 0;
    const std::int32_t outcome = module_.free_bytes(gpu_, &bytes, &error_);
    return value(outcome, static_cast<std::size_t>(bytes));
}

Result<std::vector<cuda::KernelResources>> ModuleGpu::kernels() {
    const tegu_module_kernel* list = nullptr;
    std::uint64_t count = 0;
    const std::int32_t outcome = module_.kernels(gpu_, &list, &count, &error_);
    if (outcome != TEGU_MODULE_DONE) return error_of(outcome, error_);
    std::vector<cuda::KernelResources> kernels(static_cast<std::size_t>(count));
    for (cuda::KernelResources& kernel : kernels) {
        const tegu_module_kernel& from = list[&kernel - kernels.data()];
        kernel.name = from.name;
        kernel.moves = from.moves;
        kernel.registers = from.registers;
        kernel.threads = from.threads;
        kernel.max_threads = from.max_threads;
        kernel.blocks_per_multiprocessor = from.blocks_per_multiprocessor;
        kernel.static_shared_bytes = from.static_shared_bytes;
        kernel.dynamic_shared_bytes = from.dynamic_shared_bytes;
        kernel.local_bytes = from.local_bytes;
        kernel.constant_bytes = from.constant_bytes;
        kernel.architecture = from.architecture;
    }
    return kernels;
}

Result<kernels::RunReport> ModuleGpu::run(const cuda::JobRun& run, device::Stream stream,
                                          const cuda::JobPolicies& policies) {
    write_words(run.job.params, &words_);
    inputs_.clear();
    for (const kernels::InputView& input : run.inputs) inputs_.push_back({input.data, input.row_stride});
    outputs_.clear();
    for (const kernels::OutputView& output : run.outputs) outputs_.push_back(output.data);
    tegu_module_job job{};
    job.operation = static_cast<std::uint32_t>(operation_of(run.job));
    job.type = static_cast<std::uint32_t>(run.job.type);
    job.axis = static_cast<std::uint32_t>(run.job.axis);
    job.rows = run.job.rows;
    job.cols = run.job.cols;
    job.words = words_.data();
    job.word_count = words_.size();
    job.inputs = inputs_.data();
    job.input_count = static_cast<std::uint32_t>(inputs_.size());
    job.outputs = outputs_.data();
    job.output_count = static_cast<std::uint32_t>(outputs_.size());
    job.policies = policies.whole;
    for (unsigned i = 0; i < TEGU_MODULE_PARTS; ++i) job.part_policies[i] = policies.parts[i];
    job.poll_stop = poll_stop;
    job.stop = const_cast<kernels::StopToken*>(&run.stop);  // only read
    tegu_module_report report{};
    const std::int32_t outcome = module_.run(gpu_, &job, stream, &report, &error_);
    if (outcome != TEGU_MODULE_DONE) return error_of(outcome, error_);
    return report_of(report);
}

void ModuleGpu::set_meanwhile(const cuda::Meanwhile& meanwhile) {
    Gpu::set_meanwhile(meanwhile);
    module_.set_meanwhile(gpu_, meanwhile.work == nullptr ? nullptr : work_meanwhile, this);
}

}  // namespace tegu::module
