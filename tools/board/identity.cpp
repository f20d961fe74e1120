// SPDX-License-Identifier: Apache-2.0
#include "tools/board/identity.h"

#include <sys/utsname.h>

#include <algorithm>

#include "daemon/health/board/board.h"
#include "daemon/health/board/cpu.h"
#include "daemon/health/board/fan.h"
#include "daemon/health/board/gpu.h"
#include "daemon/health/board/memory.h"
#include "kernels/operation.h"
#include "tools/board/cpu_name.h"
#include "tools/board/data_sheet.h"
#include "tools/board/nvml.h"
#include "tools/board/readings.h"

namespace tegu::board {
namespace {

namespace health = daemon::health;

constexpr std::size_t kCpuInfoLimit = 1 << 20;  // a kilobyte or two for each of some hundred cores

std::string architecture() {
    utsname system{};
    return uname(&system) == 0 ? system.machine : "";
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  ..." is "580.95.05": the first word that is
// numbers with dots.
std::string kernel_driver(health::Reader& reader) {
    const health::Value<std::string> text = reader.text(reader.find("proc/driver/nvidia/version"));
    if (!text.known()) return {};
    const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
    for (const std::string_view word : health::split(line, ' '))
        if (word.find('.') != std::string_view::npos &&
            word.find_first_not_of("0123456789.") == std::string_view::npos)
            return std::string(word);
    return {};
}

CpuIdentity identify_cpu(health::Reader& reader) {
    CpuIdentity cpu;
    const health::Value<std::string> info =
        reader.text(reader.find("proc/cpuinfo"), kCpuInfoLimit, health::Longer::Cut);
    if (info.known()) cpu.name = cpu_name(*info);
    cpu.isa = kernels::cpu_isa();
    const health::Cpu now = health::sample_cpu(reader, health::find_cpu(reader), nullptr);
    cpu.cores = static_cast<unsigned>(now.cores_online.value_or(0));
    for (const health::Cluster& cluster : now.clusters) {
        const std::optional<double> mhz = megahertz(cluster.max_hz);
        if (mhz && (!cpu.max_mhz || *mhz > *cpu.max_mhz)) cpu.max_mhz = mhz;
    }
    if (!cpu.max_mhz && info.known()) cpu.max_mhz = cpu_clock_mhz(*info);  // a virtual machine: its one clock
    return cpu;
}

std::optional<double> from_kilohertz(std::uint64_t khz) {
    if (khz == 0) return std::nullopt;
    return static_cast<double>(khz) / 1e3;
}

GpuIdentity identify_gpu(health::Reader& reader, const device::DeviceInfo& device, const Nvml* nvml) {
    GpuIdentity gpu;
    gpu.name = device.name;
    gpu.compute_capability = device.limits.compute_capability;
    gpu.multiprocessors = device.limits.multiprocessors;
    gpu.memory_class = device::memory_class_word(device.memory_class);
    gpu.memory_bytes = device.memory_bytes;
    gpu.unusable = device.unusable;
    gpu.core_clock_mhz = megahertz(health::sample_gpu(reader, health::find_gpu(reader)).max_hz);
    gpu.memory_clock_mhz = megahertz(health::sample_emc(reader, health::find_emc(reader)).max_hz);
    if (nvml != nullptr) {
        if (!gpu.core_clock_mhz) gpu.core_clock_mhz = nvml->max_core_clock_mhz();
        if (!gpu.memory_clock_mhz) gpu.memory_clock_mhz = nvml->max_memory_clock_mhz();
        gpu.power_limit_w = nvml->power_limit_watts();
    }
    if (!gpu.core_clock_mhz) gpu.core_clock_mhz = from_kilohertz(device.core_clock_khz);
    // CUDA reports a wrong memory clock for the integrated devices of several boards.
    if (!gpu.memory_clock_mhz && !device.attributes.integrated)
        gpu.memory_clock_mhz = from_kilohertz(device.memory_clock_khz);
    return gpu;
}

std::uint64_t bytes_of(const health::Value<std::int64_t>& bytes) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes.value_or(0), 0));
}

std::string mode_name(const health::Value<health::PowerMode>& mode) {
    if (!mode.known()) return {};
    return mode->name == "?" ? std::to_string(mode->id) : mode->name;
}

}  // namespace

Result<BoardIdentity> identify_board(const BoardSource& source, const device::DeviceInfo* gpu) {
    Result<health::SystemFiles> files = health::SystemFiles::open(source.root);
    if (!files) return std::move(files).error();
    health::Reader reader(*files);
    BoardIdentity identity;
    const health::Board board = health::sample_board(reader, health::find_board(reader));
    identity.board = board.model.value_or("");
    identity.soc = board.soc.value_or("");
    identity.l4t = board.l4t.value_or("");
    identity.kernel = board.kernel.value_or("");
    identity.power_mode = mode_name(board.power_mode);
    identity.architecture = architecture();
    identity.driver = kernel_driver(reader);
#ifdef TEGU_CUDA_TOOLKIT
    identity.toolkit = TEGU_CUDA_TOOLKIT;
#endif
    identity.cpu = identify_cpu(reader);
    if (identity.board.empty())  // a virtual machine
        identity.board = identity.cpu.name.empty() ? identity.architecture + " machine" : identity.cpu.name;
    const health::Memory memory = health::sample_memory(reader, health::find_memory(reader));
    identity.memory_bytes = bytes_of(memory.total_bytes);
    const std::unique_ptr<Nvml> nvml = open_nvml(source, gpu);
    if (nvml != nullptr && identity.driver.empty()) identity.driver = nvml->driver_version().value_or("");
    if (gpu != nullptr) identity.gpu = identify_gpu(reader, *gpu, nvml.get());
    identity.fan = fan_of(health::sample_fans(reader, health::find_fans(reader, health::find_hwmon(reader))),
                          nvml.get());
    identity.data_sheet_gb_per_s =
        data_sheet_gb_per_s(identity.board, gpu != nullptr ? std::string_view(gpu->name) : std::string_view(),
                            identity.memory_bytes);
    return identity;
}

std::uint64_t available_memory(const BoardSource& source) {
    Result<health::SystemFiles> files = health::SystemFiles::open(source.root);
    if (!files) return 0;
    health::Reader reader(*files);
    return bytes_of(health::sample_memory(reader, health::find_memory(reader)).available_bytes);
}

}  // namespace tegu::board
