// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/gpus.h"

#include "base/fd.h"
#include "daemon/gpus/gpu_record.h"
#include "daemon/gpus/warm_up.h"
#include "daemon/jobs/divided_job.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <future>

namespace tegu::daemon {
namespace {

device::MemoryClass wished_class(config::GpuMemory wish) {
    switch (wish) {
        case config::GpuMemory::A: return device::MemoryClass::A;
        case config::GpuMemory::B: return device::MemoryClass::B;
        case config::GpuMemory::C: return device::MemoryClass::C;
        case config::GpuMemory::Discrete: return device::MemoryClass::Discrete;
        case config::GpuMemory::Auto: break;
    }
    return device::MemoryClass::None;
}

// Logged once for all devices, because they may share the reason.
void add_reason(std::string& reason, const std::string& text) {
    if (reason.find(text) == std::string::npos) reason += (reason.empty() ? "" : "; ") + text;
}

std::string text_of(const Error& error) {
    return error.field.empty() ? error.message : error.message + " (" + error.field + ")";
}

// The ordinals of a list, which the settings checked.
std::vector<int> ordinals_of(const std::string& list) {
    std::vector<int> ordinals;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        ordinals.push_back(std::stoi(list.substr(begin, end - begin)));
        begin = end + 1;
    }
    return ordinals;
}

std::vector<int> wanted_ordinals(const device::DeviceList& list, const std::string& devices) {
    if (devices == "auto" || list.devices.empty()) return {-1};
    if (devices != "all") return ordinals_of(devices);
    std::vector<int> ordinals;
    for (std::size_t i = 0; i < list.devices.size(); ++i)
        if (list.devices[i].unusable.empty()) ordinals.push_back(static_cast<int>(i));
    return ordinals.empty() ? std::vector<int>{-1} : ordinals;
}

// Why the folder that `gpu.modules` names cannot be read; empty if it can, or if the setting names none.
std::string folder_problem(const std::string& folder) {
    if (folder.empty() || Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return {};
    return "the folder " + folder + " of gpu.modules cannot be read: " + std::strerror(errno);
}

// On a separate thread: this thread makes no CUDA call.
device::DeviceList find_devices(const device::ModuleSearch& search, WarmUp& warm_up) {
    try {
        std::future<device::DeviceList> list =
            std::async(std::launch::async, [&] { return device::probe_devices(search); });
        warm_up.wait_for(list, "looking for GPUs");
        return list.get();
    } catch (const std::exception& exception) {
        return {{}, std::string("looking for a GPU failed: ") + exception.what()};
    }
}

}  // namespace

GpuStatus choose_devices(const device::DeviceList& list, const config::Settings::Gpu& settings) {
    GpuStatus status;
    status.built = list.built;
    status.module = list.module;
    status.refused_modules = list.refused;
    for (const int ordinal : wanted_ordinals(list, settings.devices)) {
        Result<device::DeviceInfo> device =
            device::choose_device(list, {ordinal, wished_class(settings.memory_class)});
        if (device) {
            status.devices.push_back(std::move(device).value());
        } else {
            add_reason(status.reason, text_of(device.error()));
        }
    }
    return status;
}

Gpus::Gpus(const config::Settings& settings, Executor& fallback, const std::function<void()>& wake) {
    if (settings.executor.backend == config::ExecutorBackend::Cpu) {
        status_.reason = "executor.backend is cpu";
        return;
    }
    // Without code for any GPU the daemon is for the CPU only, so no device counts as missing.
    const device::ModuleSearch search{settings.gpu.modules};
    const bool has_code = device::may_have_gpus(search);
    const std::string problem = has_code ? std::string() : folder_problem(settings.gpu.modules);
    if (has_code) {
        open_unless_it_fails(settings, fallback, wake);
    } else if (!problem.empty()) {
        status_.reason = problem;
    } else {
        WarmUp warm_up([] {});
        status_ = choose_devices(find_devices(search, warm_up), settings.gpu);
        warm_up.finish();
    }
    const bool wanted =
        settings.executor.backend == config::ExecutorBackend::Gpu || has_code || !problem.empty();
    status_.degraded = wanted && !status_.reason.empty();
}

void Gpus::open_unless_it_fails(const config::Settings& settings, Executor& fallback,
                                const std::function<void()>& wake) {
    GpuRecord record = GpuRecord::of_environment();
    status_.reason = record.reason();
    if (!status_.reason.empty()) return;
    record.begin("opening it never ended");
    WarmUp warm_up([&record] { record.opened(); });  // a stop is not a failure of the GPU
    status_ = choose_devices(find_devices({settings.gpu.modules}, warm_up), settings.gpu);
    open(settings, fallback, wake, warm_up);
    record.opened();
    warm_up.finish();
}

void Gpus::open(const config::Settings& settings, Executor& fallback, const std::function<void()>& wake,
                WarmUp& warm_up) {
    std::vector<std::shared_ptr<GpuExecutor>> started;
    std::vector<std::future<Result<void>>> opened(status_.devices.size());
    for (std::size_t i = 0; i < opened.size(); ++i) {
        const std::string number = opened.size() == 1 ? "" : std::to_string(status_.devices[i].ordinal);
        started.push_back(GpuExecutor::start(status_.devices[i], settings, fallback, wake,
                                             ("tegud-gpu" + number).c_str(), opened[i]));
    }
    status_.devices.clear();
    for (std::size_t i = 0; i < opened.size(); ++i) {
        warm_up.wait_for(opened[i], "opening GPU " + std::to_string(started[i]->device().ordinal) + " (" +
                                        started[i]->device().name + ")");
        const Result<void> open = opened[i].get();
        if (open) {
            status_.devices.push_back(started[i]->device());
            all_.push_back(std::move(started[i]));
        } else {
            started[i]->stop();
            add_reason(status_.reason, "GPU " + std::to_string(started[i]->device().ordinal) + " (" +
                                           started[i]->device().name + "): " + text_of(open.error()));
        }
    }
}

void Gpus::submit(const std::shared_ptr<JobTask>& task) {
    const Choice& choice = task->choice;
    task->gpu = choice.gpu;
    if (!choice.divided()) return submit_to(task->gpu, task, task->prepared);
    task->divided = DividedJob::create(task->prepared, static_cast<unsigned>(choice.shared.size()));
    for (const DividedJob::Piece& piece : task->divided->make_pieces(task))
        submit_to(choice.shared[piece.gpu], piece.task, task->prepared);
}

// `prepared`: holds the buffers of the job.
void Gpus::submit_to(std::size_t gpu, const std::shared_ptr<JobTask>& task, const PreparedJob& prepared) {
    for (std::size_t i = 0; i < prepared.uses.size(); ++i) {
        const bool is_input = i < prepared.input_count;
        Buffer* const buffer = prepared.uses[i].buffer();
        if (buffer != nullptr) buffer->used_by(all_[gpu], is_input ? prepared.inputs[i].range.generation : 0);
    }
    all_[gpu]->executor().submit(task);
}

// Returns the whole job if that was the last piece and the result is joined. Runs outside of a session's
// guard: on out of memory only the job fails.
std::shared_ptr<JobTask> Gpus::end_piece(JobTask& piece) {
    std::shared_ptr<JobTask> whole = std::move(piece.whole);
    const std::shared_ptr<DividedJob> divided = whole->divided;
    if (!divided->end_piece(piece)) return nullptr;
    try {
        if (divided->join(*whole)) return whole;
        run_whole(whole);
        return nullptr;
    } catch (const std::exception&) {
        whole->error = make_error(Status::OutOfMemory, "out of memory");  // short enough to need none
        return whole;
    }
}

// Runs a divided job again on one GPU. Its buffer may be in a freeze since the admission, and a registration
// would block sealing.
void Gpus::run_whole(const std::shared_ptr<JobTask>& whole) {
    PreparedJob& prepared = whole->prepared;
    whole->divided.reset();
    whole->cost = RunCost();
    prepared.inputs[0].buffer.may_register = prepared.uses[0].buffer()->client_buffer().may_register;
    std::vector<std::uint64_t> work_ns;
    for (const auto& gpu : all_) {
        const ExecutorLoad load = gpu->executor().load();
        work_ns.push_back(load.waiting_ns + load.running_ns);
    }
    whole->gpu = gpu_to_repeat_on(work_ns);
    submit_to(whole->gpu, whole, prepared);
}

bool Gpus::remove(const JobTask& task) {
    const auto remove = [this](const JobTask& each) {
        return std::any_of(all_.begin(), all_.end(),
                           [&](const auto& gpu) { return gpu->executor().remove(each); });
    };
    if (task.divided == nullptr) return remove(task);
    const bool overdue = Clock::now() >= task.deadline;
    return task.divided->withdraw(
        remove,
        overdue ? make_error(Status::DeadlineExceeded, "the deadline passed while parts of the job waited")
                : make_error(Status::Cancelled, "the job was cancelled while parts of it waited"));
}

ExecutorLoad Gpus::load() const {
    ExecutorLoad load;
    for (const auto& gpu : all_) load += gpu->executor().load();
    load.running_scratch_bytes = 0;  // their scratch memory is not the CPU's
    return load;
}

std::optional<Error> Gpus::failure() const {
    for (const auto& gpu : all_)
        if (std::optional<Error> failure = gpu->executor().failure()) return failure;
    return std::nullopt;
}

void Gpus::take_done(TaskList& done) {
    for (const auto& gpu : all_)
        for (TaskList ended = gpu->executor().take_done(); !ended.empty();) {
            std::shared_ptr<JobTask>& task = ended.front();
            if (task->whole != nullptr) task = end_piece(*task);
            if (task == nullptr)
                ended.pop_front();
            else
                done.splice(done.end(), ended, ended.begin());
        }
}

void Gpus::run_done_control_tasks() {
    for (const auto& gpu : all_) (void)gpu->executor().run_done_control_tasks();
}

bool Gpus::has_control_tasks() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const auto& gpu) { return gpu->executor().has_control_tasks(); });
}

void Gpus::set_quantum(std::uint64_t quantum_ns) {
    for (const auto& gpu : all_) gpu->executor().set_quantum(quantum_ns);
}

// A round trip on a GPU is some such times long.
void Gpus::set_spin(std::chrono::microseconds limit) {
    constexpr int kTimes = 2;
    for (const auto& gpu : all_) gpu->executor().set_spin(kTimes * limit);
}

GpuUse Gpus::use() const {
    GpuUse use;
    for (const auto& gpu : all_) use += gpu->use();
    return use;
}

void Gpus::stop() {
    for (const auto& gpu : all_) gpu->stop();
    all_.clear();
}

}  // namespace tegu::daemon
