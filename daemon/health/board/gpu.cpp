// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/gpu.h"

#include <algorithm>
#include <string_view>

namespace tegu::daemon::health {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// The device tree name of a devfreq entry's GPU: gpu, or the name of its chip.
bool is_gpu(std::string_view name) {
    for (const char* part : {"gpu", "gv11b", "gp10b", "ga10b", "gb10b"})
        if (contains(name, part)) return true;
    return false;
}

// The folder of the GPU's clock in sys/class/devfreq, "" if there is none. On a Thor it is the clock of the
// graphics clusters, not of the video engines.
std::string find_devfreq(Reader& reader) {
    const std::string folder = "sys/class/devfreq/";
    std::string found;
    for (const std::string& entry : reader.list("sys/class/devfreq")) {
        if (entry == "gpu-gpc-0") return folder + entry;
        const Value<std::string> text = reader.text(reader.find(folder + entry + "/device/of_node/name"));
        const bool named = text.known() ? is_gpu(*text) : is_gpu(entry);
        if (named && found.empty()) found = folder + entry;
    }
    return found;
}

// A file of the GPU's own folder. The clock's entry links to it, and so do drivers, from these paths.
Source find_of_gpu(Reader& reader, const std::string& devfreq, const std::string& name) {
    if (!devfreq.empty()) {
        Source source = reader.find(devfreq + "/device/" + name);
        if (!source.path.empty()) return source;
    }
    return reader.find({"sys/devices/gpu.0/" + name, "sys/devices/platform/gpu.0/" + name,
                        "sys/devices/platform/bus@0/gpu.0/" + name});
}

Source find_in(Reader& reader, const std::string& folder, const char* name) {
    if (folder.empty()) return {{}, "sys/class/devfreq: has no GPU"};
    return reader.find(folder + "/" + name);
}

Value<bool> is_railgated(Reader& reader, const Source& source) {
    const Value<std::string> word = reader.word(source);
    if (!word.known()) return word.unknown();
    if (*word != "yes" && *word != "no")
        return Unknown{Cause::Garbage, source.path + ": " + excerpt(*word) + " is neither yes nor no"};
    return *word == "yes";
}

}  // namespace

GpuLayout find_gpu(Reader& reader) {
    const std::string devfreq = find_devfreq(reader);
    GpuLayout layout;
    layout.clock = find_in(reader, devfreq, "cur_freq");
    layout.min = find_in(reader, devfreq, "min_freq");
    layout.max = find_in(reader, devfreq, "max_freq");
    layout.governor = find_in(reader, devfreq, "governor");
    layout.load = find_of_gpu(reader, devfreq, "load");
    layout.railgated = find_of_gpu(reader, devfreq, "is_railgated");
    return layout;
}

Gpu sample_gpu(Reader& reader, const GpuLayout& layout) {
    Gpu gpu;
    gpu.powered_off = is_railgated(reader, layout.railgated);
    gpu.load_ratio = divided(reader.integer(layout.load, kPermille), 1e3);
    gpu.clock_hz = reader.integer(layout.clock, kHertz);
    gpu.min_hz = reader.integer(layout.min, kHertz);
    gpu.max_hz = reader.integer(layout.max, kHertz);
    gpu.governor = reader.word(layout.governor);
    return gpu;
}

EmcLayout find_emc(Reader& reader) {
    EmcLayout layout;
    layout.clock =
        reader.find({"sys/class/devfreq/bwmgr/cur_freq", "sys/kernel/debug/bpmp/debug/clk/emc/rate",
                     "sys/kernel/debug/clk/override.emc/clk_rate", "sys/kernel/debug/clk/emc/clk_rate"});
    layout.max =
        reader.find({"sys/class/devfreq/bwmgr/max_freq", "sys/kernel/debug/bpmp/debug/clk/emc/max_rate",
                     "sys/kernel/debug/tegra_bwmgr/emc_max_rate", "sys/kernel/tegra_bwmgr/emc_max_rate"});
    layout.cap = reader.find({"sys/kernel/nvpmodel_clk_cap/emc", "sys/kernel/nvpmodel_emc_cap/emc_iso_cap"});
    layout.activity = reader.find({"sys/kernel/debug/cactmon/mc_all",
                                   "sys/kernel/debug/bpmp/debug/actmon/mc_all_avg_activity",
                                   "sys/kernel/actmon_avg_activity/mc_all"});
    return layout;
}

Emc sample_emc(Reader& reader, const EmcLayout& layout) {
    Emc emc;
    emc.clock_hz = reader.integer(layout.clock, kHertz);
    emc.max_hz = reader.integer(layout.max, kHertz);
    emc.cap_hz = reader.integer(layout.cap, kHertz);
    const Value<std::int64_t> busy_khz = reader.integer(layout.activity, kKilohertz);
    if (!busy_khz.known()) {
        emc.load_ratio = busy_khz.unknown();
    } else if (!emc.clock_hz.known() || *emc.clock_hz == 0) {
        emc.load_ratio =
            Unknown{Cause::NotRead, layout.activity.path + ": counts of a clock that is not known"};
    } else {
        const double ratio = static_cast<double>(*busy_khz) * 1e3 / static_cast<double>(*emc.clock_hz);
        // the average of a moment before, when the clock was higher
        emc.load_ratio = std::min(ratio, 1.0);
    }
    return emc;
}

}  // namespace tegu::daemon::health
