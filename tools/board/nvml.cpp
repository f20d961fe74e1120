// SPDX-License-Identifier: Apache-2.0
#include "tools/board/nvml.h"

#include <dlfcn.h>

#include <utility>

namespace tegu::board {
namespace {

// The used part of NVML's interface: its types are stable since NVML 4; NVIDIA's API reference documents its
// constants.
struct NvmlDevice;
using Device = NvmlDevice*;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kVersionBytes = 80;

struct Word {
    std::uint64_t bit;
    const char* word;
};
constexpr Word kThrottleWords[] = {
    {0x04, "sw_power_cap"},        {0x08, "hw_slowdown"},         {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"}, {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"},
};

std::optional<double> scaled(std::optional<double> value, double by) {
    if (value) *value *= by;
    return value;
}

}  // namespace

struct Nvml::Library {
    void* handle = nullptr;
    bool ready = false;
    Device device = nullptr;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    const char* (*error_text)(int) = nullptr;
    int (*by_index)(unsigned, Device*) = nullptr;
    int (*by_address)(const char*, Device*) = nullptr;
    int (*driver)(char*, unsigned) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*clock)(Device, int, unsigned*) = nullptr;
    int (*max_clock)(Device, int, unsigned*) = nullptr;
    int (*power)(Device, unsigned*) = nullptr;
    int (*power_limit)(Device, unsigned*) = nullptr;
    int (*energy)(Device, unsigned long long*) = nullptr;
    int (*fan)(Device, unsigned*) = nullptr;
    int (*throttle)(Device, unsigned long long*) = nullptr;

    ~Library() {
        if (ready) (void)shutdown();
        if (handle != nullptr) (void)dlclose(handle);
    }

    // Null where this version of the library has no such function.
    template <class F>
    void find(F*& function, const char* name) {
        function = reinterpret_cast<F*>(dlsym(handle, name));
    }
    void find_all() {
        find(init, "nvmlInit_v2");
        find(shutdown, "nvmlShutdown");
        find(error_text, "nvmlErrorString");
        find(by_index, "nvmlDeviceGetHandleByIndex_v2");
        find(by_address, "nvmlDeviceGetHandleByPciBusId_v2");
        find(driver, "nvmlSystemGetDriverVersion");
        find(temperature, "nvmlDeviceGetTemperature");
        find(clock, "nvmlDeviceGetClockInfo");
        find(max_clock, "nvmlDeviceGetMaxClockInfo");
        find(power, "nvmlDeviceGetPowerUsage");
        find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
        find(energy, "nvmlDeviceGetTotalEnergyConsumption");
        find(fan, "nvmlDeviceGetFanSpeed");
        find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    std::string words(int code) const {
        return error_text != nullptr ? error_text(code) : "error " + std::to_string(code);
    }
    std::optional<double> read(int (*function)(Device, unsigned*)) const {
        unsigned value = 0;
        if (function == nullptr || function(device, &value) != kSuccess) return std::nullopt;
        return value;
    }
    std::optional<double> read(int (*function)(Device, int, unsigned*), int kind) const {
        unsigned value = 0;
        if (function == nullptr || function(device, kind, &value) != kSuccess) return std::nullopt;
        return value;
    }
};

std::vector<std::string> throttle_words(std::uint64_t bits) {
    std::vector<std::string> words;
    for (const Word& one : kThrottleWords)
        if ((bits & one.bit) != 0) words.emplace_back(one.word);
    return words;
}

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library, const std::string& pci_address) {
    auto found = std::make_unique<Library>();
    found->handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (found->handle == nullptr) {
        const char* const why = dlerror();
        return make_error(Status::Unavailable, why != nullptr ? why : library + ": cannot be opened");
    }
    found->find_all();
    if (found->init == nullptr || found->shutdown == nullptr || found->by_index == nullptr ||
        found->by_address == nullptr)
        return make_error(Status::Unavailable, library + ": is not the management library of NVIDIA");
    int code = found->init();
    if (code != kSuccess) return make_error(Status::Unavailable, library + ": " + found->words(code));
    found->ready = true;
    code = pci_address.empty() ? found->by_index(0, &found->device)
                               : found->by_address(pci_address.c_str(), &found->device);
    if (code != kSuccess) {
        const std::string which = pci_address.empty() ? "the first GPU" : "the GPU at " + pci_address;
        return make_error(Status::Unavailable, library + ": " + which + ": " + found->words(code));
    }
    return std::unique_ptr<Nvml>(new Nvml(std::move(found)));
}

std::optional<std::string> Nvml::driver_version() const {
    char text[kVersionBytes] = "";
    if (library_->driver == nullptr || library_->driver(text, sizeof text) != kSuccess) return std::nullopt;
    return std::string(text);
}

std::optional<double> Nvml::temperature_celsius() const {
    return library_->read(library_->temperature, kTemperatureGpu);
}
std::optional<double> Nvml::core_clock_mhz() const {
    return library_->read(library_->clock, kClockSm);
}
std::optional<double> Nvml::memory_clock_mhz() const {
    return library_->read(library_->clock, kClockMemory);
}
std::optional<double> Nvml::max_core_clock_mhz() const {
    return library_->read(library_->max_clock, kClockSm);
}
std::optional<double> Nvml::max_memory_clock_mhz() const {
    return library_->read(library_->max_clock, kClockMemory);
}
std::optional<double> Nvml::power_watts() const {
    return scaled(library_->read(library_->power), 1e-3);
}
std::optional<double> Nvml::power_limit_watts() const {
    return scaled(library_->read(library_->power_limit), 1e-3);
}
std::optional<double> Nvml::energy_joules() const {
    unsigned long long millijoules = 0;
    if (library_->energy == nullptr || library_->energy(library_->device, &millijoules) != kSuccess)
        return std::nullopt;
    return static_cast<double>(millijoules) * 1e-3;
}
std::optional<double> Nvml::fan_ratio() const {
    return scaled(library_->read(library_->fan), 1e-2);
}
std::vector<std::string> Nvml::throttle_reasons() const {
    unsigned long long bits = 0;
    if (library_->throttle == nullptr || library_->throttle(library_->device, &bits) != kSuccess) return {};
    return throttle_words(bits);
}

}  // namespace tegu::board
