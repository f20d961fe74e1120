// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/cpu.h"

#include <algorithm>

namespace tegu::daemon::health {
namespace {

// the lines of some 500 cores; the text after them is not needed
constexpr std::size_t kStatLimit = 64 * 1024;
constexpr std::size_t kMaxClusters = 64;
constexpr Range kCoreNumbers{0, 4095};

ClusterLayout find_cluster(Reader& reader, const std::string& name, const std::string& folder) {
    ClusterLayout cluster;
    cluster.name = name;
    cluster.cores = reader.find({folder + "/affected_cpus", folder + "/related_cpus"});
    cluster.clock = reader.find(folder + "/scaling_cur_freq");
    cluster.min = reader.find(folder + "/scaling_min_freq");
    cluster.max = reader.find(folder + "/scaling_max_freq");
    cluster.governor = reader.find(folder + "/scaling_governor");
    const Value<std::int64_t> khz = reader.integer(reader.find(folder + "/cpuinfo_max_freq"), kKilohertz);
    cluster.hardware_max_hz = map(khz, [](std::int64_t count) { return count * 1000; });
    return cluster;
}

std::vector<ClusterLayout> find_clusters(Reader& reader) {
    const std::string folder = "sys/devices/system/cpu/";
    std::vector<ClusterLayout> clusters;
    for (const std::string& name : reader.list(folder + "cpufreq"))
        if (name.compare(0, 6, "policy") == 0 && clusters.size() < kMaxClusters)
            clusters.push_back(find_cluster(reader, name, folder + "cpufreq/" + name));
    return clusters;
}

Value<std::int64_t> find_disabled_idle_states(Reader& reader) {
    const std::string folder = "sys/devices/system/cpu/cpu0/cpuidle";
    const std::vector<std::string> states = reader.list(folder);
    if (states.empty()) return Unknown{Cause::Missing, folder + ": is not there"};
    std::int64_t disabled = 0;
    for (const std::string& state : states) {
        const Value<std::int64_t> value =
            reader.integer(reader.find(folder + "/" + state + "/disable"), kAnyCount);
        if (!value.known()) return value.unknown();
        disabled += *value != 0 ? 1 : 0;
    }
    return disabled;
}

Value<std::int64_t> hertz(Reader& reader, const Source& source) {
    return map(reader.integer(source, kKilohertz), [](std::int64_t khz) { return khz * 1000; });
}

Value<std::int64_t> list_size(Reader& reader, const Source& source) {
    const Value<std::string> text = reader.text(source);
    if (!text.known()) return text.unknown();
    Value<std::int64_t> size = parse_list_size(*text);
    if (!size.known()) return at(source.path, size.unknown());
    return size;
}

// Busy share between two readings of the same core; unknown if time stood still or ran backwards.
Value<double> load(const CpuTicks& now, const CpuTicks& before) {
    if (now.all <= before.all || now.busy < before.busy || now.busy - before.busy > now.all - before.all)
        return Unknown{Cause::NotRead, "its ticks have not grown since the reading before"};
    return static_cast<double>(now.busy - before.busy) / static_cast<double>(now.all - before.all);
}

void set_loads(Cpu& cpu, const Cpu* previous) {
    CpuTicks now, before;
    for (const CpuTicks& ticks : cpu.ticks) {
        Core core;
        core.index = ticks.index;
        const CpuTicks* earlier = nullptr;
        if (previous != nullptr)
            for (const CpuTicks& candidate : previous->ticks)
                if (candidate.index == ticks.index) earlier = &candidate;
        if (earlier != nullptr) {
            core.load_ratio = load(ticks, *earlier);
            now.busy += ticks.busy, now.all += ticks.all;
            before.busy += earlier->busy, before.all += earlier->all;
        }
        cpu.cores.push_back(std::move(core));
    }
    if (now.all != 0) cpu.load_ratio = load(now, before);
}

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice": guests are counted in user already.
bool parse_ticks(std::string_view line, CpuTicks& ticks) {
    constexpr std::size_t kCounted = 8, kIdle = 3, kIoWait = 4;
    constexpr std::int64_t kMax = INT64_MAX / 16;
    const std::vector<std::string_view> parts = split(line, ' ');
    if (parts.size() < 5) return false;
    const Value<std::int64_t> index = parse_integer(parts[0].substr(3), kCoreNumbers);
    if (!index.known()) return false;
    ticks.index = static_cast<unsigned>(*index);
    for (std::size_t i = 0; i < std::min(parts.size() - 1, kCounted); ++i) {
        const Value<std::int64_t> count = parse_integer(parts[i + 1], {0, kMax});
        if (!count.known()) return false;
        ticks.all += static_cast<std::uint64_t>(*count);
        if (i != kIdle && i != kIoWait) ticks.busy += static_cast<std::uint64_t>(*count);
    }
    return true;
}

}  // namespace

Value<std::int64_t> parse_list_size(std::string_view text) {
    std::int64_t size = 0;
    for (const std::string_view part : split(trimmed(text), ',')) {
        const std::size_t dash = part.find('-', 1);
        const Value<std::int64_t> low = parse_integer(part.substr(0, dash), kCoreNumbers);
        const Value<std::int64_t> high =
            dash == std::string_view::npos ? low : parse_integer(part.substr(dash + 1), kCoreNumbers);
        for (const Value<std::int64_t>* end : {&low, &high})
            if (!end->known() && end->unknown().cause == Cause::Absurd) return end->unknown();
        if (!low.known() || !high.known() || *high < *low)
            return Unknown{Cause::Garbage, excerpt(text) + " is no list of cores"};
        size += *high - *low + 1;
    }
    if (size > kCoreNumbers.high + 1) return Unknown{Cause::Absurd, excerpt(text) + " names too many cores"};
    return size;
}

std::vector<CpuTicks> parse_stat(std::string_view text) {
    std::vector<CpuTicks> cores;
    while (text.substr(0, 3) == "cpu") {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.size() < 4 || line[3] == ' ') continue;  // the sum of all cores
        CpuTicks ticks;
        if (!parse_ticks(line, ticks)) break;
        cores.push_back(ticks);
    }
    return cores;
}

CpuLayout find_cpu(Reader& reader) {
    CpuLayout layout;
    layout.present = reader.find("sys/devices/system/cpu/present");
    layout.online = reader.find("sys/devices/system/cpu/online");
    layout.stat = reader.find("proc/stat");
    layout.idle_states_disabled = find_disabled_idle_states(reader);
    layout.clusters = find_clusters(reader);
    return layout;
}

Cpu sample_cpu(Reader& reader, const CpuLayout& layout, const Cpu* previous) {
    Cpu cpu;
    cpu.cores_present = list_size(reader, layout.present);
    cpu.cores_online = list_size(reader, layout.online);
    cpu.idle_states_disabled = layout.idle_states_disabled;
    for (const ClusterLayout& from : layout.clusters) {
        Cluster cluster;
        cluster.name = from.name;
        cluster.cores = reader.word(from.cores);
        cluster.clock_hz = hertz(reader, from.clock);
        cluster.min_hz = hertz(reader, from.min);
        cluster.max_hz = hertz(reader, from.max);
        cluster.hardware_max_hz = from.hardware_max_hz;
        cluster.governor = reader.word(from.governor);
        cpu.clusters.push_back(std::move(cluster));
    }
    const Value<std::string> stat = reader.text(layout.stat, kStatLimit, Longer::Cut);
    if (!stat.known()) {
        cpu.load_ratio = stat.unknown();
        return cpu;
    }
    cpu.ticks = parse_stat(*stat);
    if (cpu.ticks.empty())
        cpu.load_ratio = Unknown{Cause::Garbage, layout.stat.path + ": has no line of a core"};
    set_loads(cpu, previous);
    return cpu;
}

}  // namespace tegu::daemon::health
