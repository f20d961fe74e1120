// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/machine.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

#include "tools/tune/measure/cpu_bench.h"
#include "tools/tune/measure/gpu_bench.h"

namespace tegu::tune {
namespace {

// A class has up to three jobs at once, each with inputs and results on the host and on the device.
constexpr std::uint64_t kHostShare = 12;        // of the memory, for the arrays of one job
constexpr std::uint64_t kDeviceShare = 5;       // of the device's, for the copies of one job
constexpr std::uint64_t kIntegratedShare = 12;  // likewise, where both are one
// Workspace of one job; open_gpu() limits it to the device.
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{1} << 30;

std::uint64_t available_bytes(const std::string& sysroot) {
    std::ifstream file(sysroot + "/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        unsigned long long kib = 0;
        if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kib) == 1) return kib * 1024;
    }
    return std::uint64_t{1} << 30;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return text;
}

std::string or_unknown(const std::string& text) {
    return text.empty() ? "unknown" : text;
}

}  // namespace

Machine::~Machine() {
    benches_.clear();  // before the GPU that they are on
}

Result<std::unique_ptr<Machine>> Machine::open(const MachineWish& wish) {
    std::unique_ptr<Machine> machine(new Machine());
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    machine->pool_ = std::make_unique<kernels::ThreadPool>(wish.threads != 0 ? wish.threads : cores);
    machine->host_bytes_ = available_bytes(wish.sysroot);
    Result<void> done;
    if (wish.backends != Backends::Cpu) done = machine->open_gpu(wish);
    if (done) done = machine->identify(wish);
    if (done) done = machine->make_benches(wish);
    if (!done) return std::move(done).error();
    return machine;
}

Result<void> Machine::open_gpu(const MachineWish& wish) {
    device::DeviceWish device;
    device.ordinal = wish.device;
    const Result<device::DeviceInfo> chosen = device::choose_device(device::probe_devices(), device);
    const bool is_needed = wish.backends == Backends::Gpu || wish.device >= 0;
    if (!chosen && is_needed) return chosen.error();
    if (!chosen) {
        no_gpu_ = chosen.error().message;
        return {};
    }
    device::GpuLimits limits;
    limits.workspace_bytes = kWorkspaceBytes;
    Result<std::unique_ptr<device::Gpu>> opened = device::open_gpu(*chosen, limits);
    if (opened) {
        gpu_ = std::move(*opened);
        Result<void> used = gpu_->use();
        if (!used) return used;
        const Result<std::size_t> free = gpu_->free_bytes();
        if (!free) return free.error();
        device_bytes_ = *free;
        return {};
    }
    no_gpu_ = opened.error().message;
    return is_needed ? Result<void>(std::move(opened).error()) : Result<void>();
}

Result<void> Machine::identify(const MachineWish& wish) {
    board::BoardSource source;
    source.root = wish.sysroot;
    const device::DeviceInfo* const device = gpu_ == nullptr ? nullptr : &gpu_->info();
    if (device != nullptr) source.gpu_address = board::gpu_address(device->ordinal);
    Result<board::BoardIdentity> identity = board::identify_board(source, device);
    if (!identity) return std::move(identity).error();
    identity_ = std::move(*identity);
    Result<std::unique_ptr<board::BoardWatch>> watch = board::BoardWatch::open(source, device);
    if (!watch) return std::move(watch).error();
    watch_ = std::move(*watch);
    facts_.has_gpu = device != nullptr;
    if (device != nullptr) {
        facts_.device_name = device->name;
        facts_.limits = device->limits;
    }
    facts_.board_name = identity_.board;
    facts_.cpu_name = identity_.cpu.name;
    facts_.cpu_threads = pool_->threads();
    return {};
}

Result<void> Machine::make_benches(const MachineWish& wish) {
    if (gpu_ != nullptr) {
        Result<std::unique_ptr<Bench>> bench = make_gpu_bench(*gpu_, gpu_job_bytes());
        if (!bench) return std::move(bench).error();
        benches_.push_back(std::move(*bench));
    }
    if (wish.backends != Backends::Gpu) benches_.push_back(make_cpu_bench(*pool_));
    return {};
}

std::uint64_t Machine::gpu_job_bytes() const {
    return device_bytes_ / (gpu_->info().attributes.integrated ? kIntegratedShare : kDeviceShare);
}

TuningDevice Machine::table_device() const {
    TuningDevice device;
    if (gpu_ == nullptr) {
        device.name = facts_.cpu_name;
        device.cpu_threads = facts_.cpu_threads;
        return device;
    }
    const device::DeviceInfo& info = gpu_->info();
    // The driver calls all boards of a generation the same.
    device.name = info.attributes.integrated && !identity_.board.empty() ? identity_.board : info.name;
    device.compute_capability = info.limits.compute_capability;
    device.multiprocessors = info.limits.multiprocessors;
    return device;
}

TuningEvidence Machine::evidence() const {
    TuningEvidence evidence;
    evidence.date = today();
    evidence.driver = identity_.driver;
    evidence.toolkit = identity_.toolkit;
    evidence.power_mode = identity_.power_mode;
    return evidence;
}

std::string Machine::text() const {
    std::string text;
    if (gpu_ != nullptr) {
        const device::DeviceInfo& info = gpu_->info();
        text = info.name + ", sm_" + std::to_string(info.limits.compute_capability) + ", " +
               std::to_string(info.limits.multiprocessors) + " multiprocessors; driver " +
               or_unknown(identity_.driver) + "; toolkit " + or_unknown(identity_.toolkit) + "; ";
    }
    text += or_unknown(facts_.cpu_name) + ", " + kernels::cpu_isa() + ", " +
            std::to_string(pool_->threads()) + " threads; ";
    if (!identity_.power_mode.empty()) text += "power mode " + identity_.power_mode + "; ";
    return text + "tegu " TEGU_VERSION;
}

std::vector<TuningBackend> Machine::backends() const {
    std::vector<TuningBackend> backends;
    for (const auto& bench : benches_) backends.push_back(bench->backend());
    return backends;
}

std::vector<ClassLimits> Machine::limits(std::uint64_t max_elements) const {
    std::vector<ClassLimits> limits;
    for (const auto& bench : benches_) {
        ClassLimits one;
        one.elements = max_elements;
        one.array_bytes = host_bytes_ / kHostShare;
        // Two copies at least, so that a run does not find its own input in a cache.
        if (bench->backend() == TuningBackend::Cuda)
            one.array_bytes = std::min(one.array_bytes, gpu_job_bytes() / 2);
        limits.push_back(one);
    }
    return limits;
}

std::vector<Bench*> Machine::benches() const {
    std::vector<Bench*> benches;
    for (const auto& bench : benches_) benches.push_back(bench.get());
    return benches;
}

}  // namespace tegu::tune
