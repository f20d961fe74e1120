// SPDX-License-Identifier: Apache-2.0
#include "tools/board/watch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "daemon/health/board/cpu.h"
#include "daemon/health/board/fan.h"
#include "daemon/health/board/gpu.h"
#include "daemon/health/board/power.h"
#include "daemon/health/board/thermal.h"
#include "tools/board/cpu_name.h"
#include "tools/board/readings.h"
#include "tools/board/throttle_reasons.h"

namespace tegu::board {
namespace {

namespace health = daemon::health;

constexpr std::size_t kCpuLinesLimit = 1 << 20;

// "GPU-therm" and "gpu-thermal" are "gpu".
std::string short_name(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (const char* const end : {"-thermal", "-therm"}) {
        const std::size_t at = name.rfind(end);
        if (at != std::string::npos && at != 0 && at + std::string(end).size() == name.size())
            return name.substr(0, at);
    }
    return name;
}

// Counters of over-current count short dips that cost no clock; the others count throttling.
bool counts_over_current(const std::string& name) {
    return name.compare(0, 2, "oc") == 0;
}

}  // namespace

struct BoardWatch::State {
    explicit State(health::SystemFiles opened) : files(std::move(opened)), reader(files) {
        const std::vector<health::HwmonDevice> hwmon = health::find_hwmon(reader);
        cpu = health::find_cpu(reader);
        gpu = health::find_gpu(reader);
        emc = health::find_emc(reader);
        thermal = health::find_thermal(reader, hwmon);
        fans = health::find_fans(reader, hwmon);
        health::PowerLayout power = health::find_power(reader, hwmon);
        rails.rails = std::move(power.rails);
        counters.counters = std::move(power.counters);
        cpuinfo = reader.find("proc/cpuinfo");
    }

    health::SystemFiles files;
    health::Reader reader;  // of the thread that asks for states
    health::CpuLayout cpu;
    health::GpuLayout gpu;
    health::EmcLayout emc;
    health::ThermalLayout thermal;
    health::PowerLayout rails, counters;  // the one holds rails alone, the other counters
    std::vector<health::FanLayout> fans;
    health::Source cpuinfo;
    std::map<std::string, std::int64_t> counted;  // by each counter, at its last reading
    std::vector<std::string> slowed;              // BoardState::throttle of all readings since the last now()
    std::map<std::string, std::uint64_t> events;  // the same of BoardState::events

    std::mutex mutex;  // guards nvml, which any thread may ask for power
    std::unique_ptr<Nvml> nvml;

    std::optional<double> cpu_clock();
    std::vector<std::string> count();
    std::vector<std::string> throttles(const std::vector<health::Throttle>& devices);
};

std::optional<double> BoardWatch::State::cpu_clock() {
    std::optional<double> fastest;
    for (const health::ClusterLayout& cluster : cpu.clusters) {
        const health::Value<std::int64_t> khz = reader.integer(cluster.clock, health::kKilohertz);
        if (khz.known()) fastest = std::max(fastest.value_or(0), static_cast<double>(*khz) / 1e3);
    }
    if (fastest) return fastest;
    const health::Value<std::string> info = reader.text(cpuinfo, kCpuLinesLimit, health::Longer::Cut);
    return info.known() ? cpu_clock_mhz(*info) : std::nullopt;
}

// Names of the counters of throttling that have grown since their last reading. Over-current is added to
// `events`. The first reading sets the start of each counter.
std::vector<std::string> BoardWatch::State::count() {
    std::vector<std::string> grew;
    for (const health::CounterLayout& counter : counters.counters) {
        const health::Value<std::int64_t> value = reader.integer(counter.events, health::kAnyCount);
        if (!value.known()) continue;
        const auto before = counted.find(counter.name);
        const std::int64_t grown = before == counted.end() ? 0 : *value - before->second;
        counted[counter.name] = *value;
        if (grown <= 0) continue;
        if (counts_over_current(counter.name))
            events[counter.name] += static_cast<std::uint64_t>(grown);
        else
            grew.push_back(counter.name);
    }
    return grew;
}

// The throttle reasons of now and since the previous reading. Adds them to `slowed`.
std::vector<std::string> BoardWatch::State::throttles(const std::vector<health::Throttle>& devices) {
    std::vector<std::string> found;
    for (const health::Throttle& device : devices)
        if (device.state.known() && *device.state > 0) found.push_back(device.name);
    for (std::string& name : count()) found.push_back(std::move(name));
    const std::lock_guard<std::mutex> lock(mutex);
    if (nvml != nullptr)
        for (std::string& reason : nvml->throttle_reasons()) found.push_back(std::move(reason));
    for (const std::string& reason : found)
        if (std::find(slowed.begin(), slowed.end(), reason) == slowed.end()) slowed.push_back(reason);
    return found;
}

BoardWatch::BoardWatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
BoardWatch::~BoardWatch() = default;

Result<std::unique_ptr<BoardWatch>> BoardWatch::open(const BoardSource& source,
                                                     const device::DeviceInfo* gpu) {
    Result<health::SystemFiles> files = health::SystemFiles::open(source.root);
    if (!files) return std::move(files).error();
    auto state = std::make_unique<State>(std::move(*files));
    state->nvml = open_nvml(source, gpu);
    (void)state->count();
    return std::unique_ptr<BoardWatch>(new BoardWatch(std::move(state)));
}

std::vector<std::string> BoardWatch::throttling() {
    std::vector<health::Throttle> devices;
    for (const health::ThrottleLayout& from : state_->thermal.throttles)
        devices.push_back({from.name, state_->reader.integer(from.state, {0, 1'000'000})});
    return state_->throttles(devices);
}

BoardState BoardWatch::now() {
    BoardState state;
    health::Reader& reader = state_->reader;
    const health::Thermal thermal = health::sample_thermal(reader, state_->thermal);
    for (const health::Zone& zone : thermal.zones)
        if (zone.temperature_celsius.known())
            state.temperatures_c.emplace_back(short_name(zone.name), *zone.temperature_celsius);
    (void)state_->throttles(thermal.throttles);
    state.throttle = std::exchange(state_->slowed, {});
    for (auto& [counter, events] : std::exchange(state_->events, {}))
        state.events.emplace_back(counter, events);
    state.gpu_clock_mhz = megahertz(reader.integer(state_->gpu.clock, health::kHertz));
    state.memory_clock_mhz = megahertz(reader.integer(state_->emc.clock, health::kHertz));
    state.cpu_clock_mhz = state_->cpu_clock();
    state.power_w = power_watts();
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const Nvml* const nvml = state_->nvml.get();
    state.fan = fan_of(health::sample_fans(reader, state_->fans), nvml);
    if (nvml == nullptr) return state;
    if (!state.gpu_clock_mhz) state.gpu_clock_mhz = nvml->core_clock_mhz();
    if (!state.memory_clock_mhz) state.memory_clock_mhz = nvml->memory_clock_mhz();
    if (const std::optional<double> celsius = nvml->temperature_celsius()) {
        const auto is_gpu = [](const auto& zone) { return zone.first == "gpu"; };
        if (std::none_of(state.temperatures_c.begin(), state.temperatures_c.end(), is_gpu))
            state.temperatures_c.emplace_back("gpu", *celsius);
    }
    return state;
}

EnergySource BoardWatch::energy_source() const {
    if (!state_->rails.rails.empty()) return EnergySource::BoardRails;
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const bool counts = state_->nvml != nullptr && state_->nvml->energy_joules();
    return counts ? EnergySource::GpuCounter : EnergySource::None;
}

std::optional<double> BoardWatch::power_watts() {
    if (!state_->rails.rails.empty()) {
        health::Reader reader(state_->files);
        return number_of(health::sample_power(reader, state_->rails, nullptr, 0).board_watts);
    }
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->nvml != nullptr ? state_->nvml->power_watts() : std::nullopt;
}

std::optional<double> BoardWatch::gpu_energy_joules() {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->nvml != nullptr ? state_->nvml->energy_joules() : std::nullopt;
}

bool wait_for_full_speed(BoardWatch& watch, double seconds, const std::function<bool()>& stop) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    while (true) {
        for (int i = 0; i < 10; ++i) {
            if (stop()) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        if (passing_reasons(watch.throttling()).empty()) return true;
        if (std::chrono::duration<double>(Clock::now() - began).count() >= seconds) return false;
    }
}

}  // namespace tegu::board
