// SPDX-License-Identifier: Apache-2.0
#include "daemon/tuning/tuning_state.h"

#include <algorithm>
#include <thread>

#include "daemon/health/board/board.h"
#include "daemon/health/board/cpu_name.h"
#include "daemon/health/board/files.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kCpuInfoBytes = 256 * 1024;

tuning::TuningMachine machine_of(const MachineNames& names, const device::DeviceInfo* gpu) {
    tuning::TuningMachine machine;
    machine.board_name = names.board;
    machine.cpu_name = names.cpu;
    machine.cpu_threads = names.cpu_threads;
    if (gpu == nullptr) return machine;
    machine.has_gpu = true;
    machine.device_name = gpu->name;
    machine.limits = gpu->limits;
    return machine;
}

bool is_of_another_device(const IgnoredRow& ignored) {
    return ignored.table == config::kOverlayKey && ignored.row.empty() && ignored.where.line == 0;
}

}  // namespace

MachineNames read_machine_names(const std::string& sysroot) {
    MachineNames names;
    names.cpu_threads = std::max(1u, std::thread::hardware_concurrency());
    Result<health::SystemFiles> files = health::SystemFiles::open(sysroot);
    if (!files) return names;
    health::Reader reader(*files);
    const health::Value<std::string> model = health::find_board(reader).fixed.model;
    if (model.known()) names.board = *model;
    const health::Value<std::string> cpu = files->read("proc/cpuinfo", kCpuInfoBytes, health::Longer::Cut);
    if (cpu.known()) names.cpu = health::cpu_name(*cpu);
    return names;
}

config::WantsTable tables_for(const MachineNames& names, Span<const device::DeviceInfo> gpus) {
    const auto fits = [](const TuningDevice& device, const tuning::TuningMachine& machine) {
        return tuning::level_of(device, machine) != tuning::TuningLevel::None;
    };
    return [&names, gpus, fits](const TuningDevice& device) {
        if (gpus.empty()) return fits(device, machine_of(names, nullptr));
        return std::any_of(gpus.begin(), gpus.end(), [&](const device::DeviceInfo& gpu) {
            return fits(device, machine_of(names, &gpu));
        });
    };
}

TuningState::TuningState() : devices_(1) {}

TuningState::TuningState(const config::TuningFiles& files, const MachineNames& names,
                         Span<const device::DeviceInfo> gpus) {
    const TuningTable* const overlay = files.overlay ? &*files.overlay : nullptr;
    for (const device::DeviceInfo& gpu : gpus)
        devices_.push_back(
            {gpu.ordinal, tuning::DeviceTuning(machine_of(names, &gpu), files.tables, overlay)});
    if (gpus.empty())
        devices_.push_back({-1, tuning::DeviceTuning(machine_of(names, nullptr), files.tables, overlay)});
    take_ignored(files.ignored);
    sum_up();
}

const tuning::DeviceTuning& TuningState::gpu(int ordinal) const {
    static const tuning::DeviceTuning defaults;
    for (const Device& device : devices_)
        if (device.ordinal == ordinal) return device.tuning;
    return defaults;
}

void TuningState::take_ignored(const std::vector<IgnoredRow>& ignored) {
    for (const IgnoredRow& each : ignored)
        if (ignored_texts_.insert(ignored_text(each)).second) ignored_.push_back(each);
}

// All GPUs share an overlay. Its device is foreign only if none of them matches.
void TuningState::sum_up() {
    bool overlay_is_used = false;
    for (const Device& device : devices_) {
        for (const tuning::TableUse& use : device.tuning.tables()) {
            overlay_is_used = overlay_is_used || use.level == tuning::TuningLevel::Overlay;
            rows_ += use.cuda_rows + use.cpu_rows;
            costs_ += use.costs;
            if (std::find(tables_.begin(), tables_.end(), use.key) == tables_.end())
                tables_.push_back(use.key);
        }
        take_ignored(device.tuning.ignored());
    }
    if (!overlay_is_used) return;
    for (const IgnoredRow& each : ignored_)
        if (is_of_another_device(each)) ignored_texts_.erase(ignored_text(each));
    ignored_.erase(std::remove_if(ignored_.begin(), ignored_.end(), is_of_another_device), ignored_.end());
}

}  // namespace tegu::daemon
