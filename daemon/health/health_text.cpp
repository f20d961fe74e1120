// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/health_text.h"

#include "daemon/health/daemon_text.h"

namespace tegu::daemon::health {
namespace {

std::string or_unknown(const Value<std::string>& value) {
    return value.value_or("unknown");
}
std::string scaled(const Value<double>& value, double factor, int digits, const char* unit) {
    return value.known() ? text_of(*value * factor, digits) + unit : std::string("unknown");
}
std::string percent(const Value<double>& ratio) {
    return scaled(ratio, 100, 0, " %");
}
std::string megahertz(const Value<std::int64_t>& hz) {
    return scaled(divided(hz, 1e6), 1, 0, " MHz");
}
std::string mebibytes(const Value<std::int64_t>& bytes) {
    return scaled(divided(bytes, 1024.0 * 1024.0), 1, 0, " MiB");
}

void add_reasons(const Assessment& assessment, Times now, Lines& lines) {
    lines.add("health", state_word(assessment.state));
    for (const Reason& reason : assessment.reasons) {
        const CodeInfo& info = code_info(reason.code);
        const double seconds = static_cast<double>(now.unix_ms - reason.since_unix_ms) / 1e3;
        lines.add(state_word(info.state),
                  std::string(info.word) + ": " + reason.sentence + ", for " + age_text(seconds));
        lines.add(state_word(info.state), "  " + std::string(info.action));
    }
}

void add_board(const Board& board, Lines& lines) {
    std::string line = or_unknown(board.model);
    if (board.soc.known()) line += ", " + *board.soc;
    if (board.l4t.known()) line += ", L4T " + *board.l4t;
    if (board.kernel.known()) line += ", Linux " + *board.kernel;
    lines.add("board", line);
    if (board.power_mode.known())
        lines.add("mode", board.power_mode->name + " (" + std::to_string(board.power_mode->id) + ")");
}

void add_cpu(const Cpu& cpu, Lines& lines) {
    const auto count = [](const Value<std::int64_t>& value) {
        return value.known() ? std::to_string(*value) : "unknown";
    };
    lines.add("cpu", count(cpu.cores_online) + " of " + count(cpu.cores_present) + " cores online, load " +
                         percent(cpu.load_ratio));
    for (const Cluster& cluster : cpu.clusters)
        lines.add("cpu", "cores " + or_unknown(cluster.cores) + ": " + megahertz(cluster.clock_hz) + " of " +
                             megahertz(cluster.max_hz) + ", " + or_unknown(cluster.governor));
}

void add_gpu(const Gpu& gpu, const Emc& emc, Lines& lines) {
    if (!gpu.load_ratio.known() && !gpu.clock_hz.known()) {
        lines.add("gpu", "unknown to the kernel's files");
        return;
    }
    lines.add("gpu", "load " + percent(gpu.load_ratio) + ", " + megahertz(gpu.clock_hz) + " of " +
                         megahertz(gpu.max_hz) + ", " + or_unknown(gpu.governor) +
                         (gpu.powered_off.value_or(false) ? ", powered off" : ""));
    if (emc.clock_hz.known())
        lines.add("emc", "load " + percent(emc.load_ratio) + ", " + megahertz(emc.clock_hz));
}

void add_memory(const Memory& memory, Lines& lines) {
    lines.add("memory",
              mebibytes(memory.available_bytes) + " of " + mebibytes(memory.total_bytes) + " available");
    if (memory.gpu_mapped_bytes.known())
        lines.add("memory", mebibytes(memory.gpu_mapped_bytes) + " mapped for the GPU");
    if (memory.swap_total_bytes.value_or(0) > 0)
        lines.add("swap",
                  mebibytes(memory.swap_free_bytes) + " of " + mebibytes(memory.swap_total_bytes) + " free");
    if (memory.zram.known())
        lines.add("zram", mebibytes(memory.zram->stored_bytes) + " stored in " +
                              mebibytes(memory.zram->memory_bytes));
    if (memory.memory_pressure.some_ratio.known())
        lines.add("waits", "for the CPU " + percent(memory.cpu_pressure.some_ratio) + ", for memory " +
                               percent(memory.memory_pressure.some_ratio) + ", for disks " +
                               percent(memory.io_pressure.some_ratio) + " of the last 10 s");
}

void add_thermal(const Thermal& thermal, Lines& lines) {
    for (const Zone& zone : thermal.zones) {
        std::string line = zone.name + " " + scaled(zone.temperature_celsius, 1, 1, " C");
        if (!zone.temperature_celsius.known())
            line += std::string(" (") + cause_sentence(zone.temperature_celsius.unknown().cause) + ")";
        if (zone.throttle_margin_celsius.known())
            line += ", " + text_of(*zone.throttle_margin_celsius, 1) + " C below throttling";
        if (zone.critical_margin_celsius.known())
            line += ", " + text_of(*zone.critical_margin_celsius, 1) + " C below shutdown";
        lines.add("thermal", line);
    }
    for (const Throttle& throttle : thermal.throttles)
        if (throttle.state.value_or(0) > 0) lines.add("throttled", throttle.name);
}

void add_power(const Power& power, Lines& lines) {
    if (power.board_watts.known()) lines.add("power", scaled(power.board_watts, 1, 2, " W"));
    for (const Rail& rail : power.rails)
        lines.add("power", rail.name + " " + scaled(rail.volts, 1, 2, " V") + ", " +
                               scaled(rail.amperes, 1, 2, " A") + ", " + scaled(rail.watts, 1, 2, " W") +
                               (rail.alarm.value_or(false) ? ", over its limit" : ""));
    for (const EventCounter& counter : power.events)
        if (counter.events_total.value_or(0) > 0)
            lines.add("events", counter.name + " " + std::to_string(*counter.events_total) + " since boot, " +
                                    scaled(counter.events_per_minute, 1, 1, " a minute"));
}

void add_rest(const Snapshot& snapshot, Times now, Lines& lines) {
    for (const Fan& fan : snapshot.fans)
        lines.add("fan", fan.name + " " + percent(fan.duty_ratio) +
                             (fan.revolutions_per_minute.known()
                                  ? ", " + std::to_string(*fan.revolutions_per_minute) + " rpm"
                                  : ""));
    if (snapshot.disk.total_bytes.known())
        lines.add("disk", mebibytes(snapshot.disk.available_bytes) + " of " +
                              mebibytes(snapshot.disk.total_bytes) + " available");
    if (snapshot.number == 0) {
        lines.add("read", "nothing yet");
        return;
    }
    const std::uint64_t taken = snapshot.taken.monotonic_ns;
    const double age = now.monotonic_ns > taken ? static_cast<double>(now.monotonic_ns - taken) / 1e9 : 0;
    lines.add("read", text_of(age, 1) + " s ago, " + std::to_string(snapshot.files_read) + " files in " +
                          text_of(snapshot.seconds_taken * 1e3, 1) + " ms");
}

}  // namespace

std::string health_text(const Snapshot& snapshot, const Assessment& assessment, Times now,
                        const DaemonReport* daemon) {
    Lines lines;
    add_reasons(assessment, now, lines);
    if (daemon != nullptr) add_daemon_lines(*daemon, now, lines);
    add_board(snapshot.board, lines);
    add_cpu(snapshot.cpu, lines);
    add_gpu(snapshot.gpu, snapshot.emc, lines);
    add_memory(snapshot.memory, lines);
    add_thermal(snapshot.thermal, lines);
    add_power(snapshot.power, lines);
    add_rest(snapshot, now, lines);
    return lines.take();
}

}  // namespace tegu::daemon::health
