// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/health_metrics.h"

namespace tegu::daemon::health {
namespace {

constexpr MetricType kGauge = MetricType::Gauge, kCounter = MetricType::Counter;

// A family of one sample without labels.
template <class T>
void single(Exposition& out, const char* name, MetricType type, const char* help, const T& value) {
    out.family(name, type, help);
    out.sample({}, value);
}

void add_state(const Snapshot& snapshot, const Assessment& assessment, Times now, Exposition& out) {
    out.family("tegu_health_state", kGauge,
               "1 for the state that the board and the daemon are in, 0 for the others.");
    for (const State state : {State::Ok, State::Degraded, State::Failing})
        out.sample({{"state", state_word(state)}}, std::int64_t{state == assessment.state});
    out.family("tegu_health_reason", kGauge, "1 for each reason why the state is not ok.");
    for (const Reason& reason : assessment.reasons)
        out.sample({{"code", code_info(reason.code).word}, {"subject", reason.subject}}, std::int64_t{1});
    single(out, "tegu_health_readings_total", kCounter, "Readings of the board.", snapshot.number);
    if (snapshot.number == 0) return;
    const double age = static_cast<double>(now.monotonic_ns - snapshot.taken.monotonic_ns) / 1e9;
    single(out, "tegu_health_reading_age_seconds", kGauge, "Age of the newest reading.", age < 0 ? 0 : age);
    single(out, "tegu_health_reading_duration_seconds", kGauge, "What the newest reading took.",
           snapshot.seconds_taken);
    single(out, "tegu_health_stuck_reads", kGauge, "Reads that do not return.",
           static_cast<std::uint64_t>(snapshot.stuck.size()));
}

void add_board(const Board& board, Exposition& out) {
    const std::string model = board.model.value_or(""), soc = board.soc.value_or(""),
                      l4t = board.l4t.value_or("");
    const std::string kernel = board.kernel.value_or("");
    const std::string mode = board.power_mode.known() ? board.power_mode->name : "";
    out.family("tegu_board_info", kGauge, "What board this is; always 1.");
    out.sample({{"model", model},
                {"soc", soc},
                {"l4t_release", l4t},
                {"kernel_release", kernel},
                {"power_mode", mode}},
               std::int64_t{1});
}

void add_cpu(const Cpu& cpu, Exposition& out) {
    single(out, "tegu_cpu_cores_present", kGauge, "Cores of the CPU.", cpu.cores_present);
    single(out, "tegu_cpu_cores_online", kGauge, "Cores that are switched on.", cpu.cores_online);
    out.family("tegu_cpu_load_ratio", kGauge, "Busy share of a core since the reading before, 0 to 1.");
    for (const Core& core : cpu.cores) out.sample({{"core", std::to_string(core.index)}}, core.load_ratio);
    out.family("tegu_cpu_clock_hertz", kGauge, "Clock of the cores of a cluster.");
    for (const Cluster& cluster : cpu.clusters) out.sample({{"cluster", cluster.name}}, cluster.clock_hz);
    out.family("tegu_cpu_clock_limit_hertz", kGauge, "Highest clock that the power mode allows a cluster.");
    for (const Cluster& cluster : cpu.clusters) out.sample({{"cluster", cluster.name}}, cluster.max_hz);
}

void add_gpu(const Gpu& gpu, const Emc& emc, Exposition& out) {
    single(out, "tegu_gpu_load_ratio", kGauge, "Busy share of the GPU, 0 to 1.", gpu.load_ratio);
    single(out, "tegu_gpu_clock_hertz", kGauge, "Clock of the GPU.", gpu.clock_hz);
    single(out, "tegu_gpu_clock_limit_hertz", kGauge, "Highest clock that the power mode allows the GPU.",
           gpu.max_hz);
    single(out, "tegu_gpu_powered_off", kGauge, "1 while the kernel cuts the power of the idle GPU.",
           map(gpu.powered_off, [](bool off) { return std::int64_t{off}; }));
    single(out, "tegu_emc_load_ratio", kGauge, "Busy share of the memory controller, 0 to 1.",
           emc.load_ratio);
    single(out, "tegu_emc_clock_hertz", kGauge, "Clock of the memory controller.", emc.clock_hz);
}

void add_memory(const Memory& memory, Exposition& out) {
    single(out, "tegu_memory_size_bytes", kGauge, "Memory of the board.", memory.total_bytes);
    single(out, "tegu_memory_available_bytes", kGauge, "Memory that can be had without swapping.",
           memory.available_bytes);
    single(out, "tegu_memory_free_bytes", kGauge, "Memory that holds nothing.", memory.free_bytes);
    single(out, "tegu_memory_gpu_mapped_bytes", kGauge, "Memory mapped for the GPU by all programs.",
           memory.gpu_mapped_bytes);
    single(out, "tegu_swap_size_bytes", kGauge, "Swap of all kinds.", memory.swap_total_bytes);
    single(out, "tegu_swap_free_bytes", kGauge, "Swap that holds nothing.", memory.swap_free_bytes);
    single(out, "tegu_zram_stored_bytes", kGauge, "What compressed swap holds, before compression.",
           map(memory.zram, [](const Zram& zram) { return zram.stored_bytes; }));
    single(out, "tegu_zram_memory_bytes", kGauge, "Memory that compressed swap takes.",
           map(memory.zram, [](const Zram& zram) { return zram.memory_bytes; }));
    out.family("tegu_pressure_waiting_seconds_total", kCounter,
               "Time in which some task waited for a resource (PSI).");
    out.sample({{"resource", "cpu"}}, memory.cpu_pressure.some_seconds_total);
    out.sample({{"resource", "memory"}}, memory.memory_pressure.some_seconds_total);
    out.sample({{"resource", "io"}}, memory.io_pressure.some_seconds_total);
}

void add_thermal(const Thermal& thermal, Exposition& out) {
    const auto zones = [&](const char* name, const char* help, Value<double> Zone::*member) {
        out.family(name, kGauge, help);
        for (const Zone& zone : thermal.zones) out.sample({{"zone", zone.name}}, zone.*member);
    };
    zones("tegu_temperature_celsius", "Temperature of a zone.", &Zone::temperature_celsius);
    zones("tegu_temperature_throttle_celsius", "Temperature from which on clocks are lowered.",
          &Zone::throttles_at_celsius);
    zones("tegu_temperature_critical_celsius", "Temperature at which the board shuts down.",
          &Zone::critical_at_celsius);
    out.family("tegu_throttle_step", kGauge, "How far a cooling device lowers clocks; 0: not at all.");
    for (const Throttle& throttle : thermal.throttles)
        out.sample({{"device", throttle.name}}, throttle.state);
}

void add_power(const Power& power, Exposition& out) {
    const auto rails = [&](const char* name, const char* help, Value<double> Rail::*member) {
        out.family(name, kGauge, help);
        for (const Rail& rail : power.rails)
            out.sample({{"rail", rail.name}, {"chip", rail.chip}}, rail.*member);
    };
    single(out, "tegu_board_watts", kGauge, "Power that the board draws.", power.board_watts);
    rails("tegu_rail_volts", "Voltage of a rail.", &Rail::volts);
    rails("tegu_rail_amperes", "Current of a rail.", &Rail::amperes);
    rails("tegu_rail_watts", "Power of a rail.", &Rail::watts);
    out.family("tegu_rail_alarm", kGauge, "1 if a rail was over a limit since the reading before.");
    for (const Rail& rail : power.rails)
        out.sample({{"rail", rail.name}, {"chip", rail.chip}},
                   map(rail.alarm, [](bool on) { return std::int64_t{on}; }));
    out.family("tegu_throttle_events_total", kCounter,
               "Over-current and throttling events in hardware since boot.");
    for (const EventCounter& counter : power.events)
        out.sample({{"event", counter.name}}, counter.events_total);
}

void add_rest(const Snapshot& snapshot, Exposition& out) {
    out.family("tegu_fan_duty_ratio", kGauge, "How hard a fan is driven, 0 to 1.");
    for (const Fan& fan : snapshot.fans) out.sample({{"fan", fan.name}}, fan.duty_ratio);
    out.family("tegu_fan_revolutions_per_minute", kGauge, "How fast a fan turns.");
    for (const Fan& fan : snapshot.fans) out.sample({{"fan", fan.name}}, fan.revolutions_per_minute);
    single(out, "tegu_state_directory_size_bytes", kGauge, "Size of the file system of the state directory.",
           snapshot.disk.total_bytes);
    single(out, "tegu_state_directory_available_bytes", kGauge, "What is left on it.",
           snapshot.disk.available_bytes);
}

}  // namespace

void add_health_metrics(const Snapshot& snapshot, const Assessment& assessment, Times now, Exposition& out) {
    add_state(snapshot, assessment, now, out);
    add_board(snapshot.board, out);
    add_cpu(snapshot.cpu, out);
    add_gpu(snapshot.gpu, snapshot.emc, out);
    add_memory(snapshot.memory, out);
    add_thermal(snapshot.thermal, out);
    add_power(snapshot.power, out);
    add_rest(snapshot, out);
}

}  // namespace tegu::daemon::health
