// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/health_json.h"

#include <utility>
#include <vector>

#include "base/json.h"
#include "daemon/health/daemon_json.h"

namespace tegu::daemon::health {
namespace {

enum class Extent { All, WithoutCauses, WithoutLists, State };

// Writes known values, and collects the reasons of unknown ones.
class Writer {
  public:
    Json& json() { return json_; }

    // Begin an object or a list that is a member. The path of a value inside is "<path>.<name>".
    void begin(const char* name) {
        json_.key(name).begin_object();
        enter(name);
    }
    void end() {
        json_.end_object();
        leave();
    }
    template <class List, class F>
    void list(const char* name, const List& elements, F&& write) {
        json_.key(name).begin_array();
        for (const auto& element : elements) {
            enter(std::string(name) + "[" + name_of(element) + "]");
            json_.begin_object();
            write(element);
            json_.end_object();
            leave();
        }
        json_.end_array();
    }
    template <class T>
    void value(const char* name, const Value<T>& value) {
        json_.key(name);
        if (value.known())
            put(*value);
        else
            leave_out(name, value.unknown());
    }
    // Calls value("name", of.*member) for each pair of a name and a member.
    template <class T, class M, class... Rest>
    void values(const T& of, const char* name, Value<M> T::*member, Rest... rest) {
        value(name, of.*member);
        if constexpr (sizeof...(rest) > 0) values(of, rest...);
    }
    // Writes an object with these members only.
    template <class T, class... Members>
    void object(const char* name, const T& of, Members... members) {
        begin(name);
        values(of, members...);
        end();
    }
    // Writes a value computed from others: null if one of them is unknown, without a reason of its own.
    template <class T>
    void derived(const char* name, const Value<T>& value) {
        json_.key(name);
        value.known() ? put(*value) : static_cast<void>(json_.null());
    }
    void text(const char* name, const std::string& value) { json_.key(name).text(value); }
    void integer(const char* name, std::uint64_t value) { json_.key(name).integer(value); }
    void number(const char* name, double value) { json_.key(name).number(value); }

    std::string finish(Extent extent) {
        if (extent == Extent::State) {
            json_.key("left_out").text("all values").end_object();
            return json_.str();
        }
        json_.key("unknown").begin_array();
        if (extent == Extent::All) list_unknown();
        json_.end_array();
        const std::string causes = std::to_string(unknown_.size()) + " causes";
        if (extent == Extent::WithoutCauses) json_.key("left_out").text(causes);
        if (extent == Extent::WithoutLists)
            json_.key("left_out").text(causes + ", users, clients and errors");
        json_.end_object();
        return json_.str();
    }

  private:
    template <class T>
    static std::string name_of(const T& element) {
        return element.name;
    }
    static std::string name_of(const Core& core) { return std::to_string(core.index); }

    void list_unknown() {
        for (const auto& [name, unknown] : unknown_) {
            json_.begin_object().key("value").text(name).key("cause").text(cause_word(unknown.cause));
            json_.key("detail").text(unknown.detail).end_object();
        }
    }

    void put(double value) { json_.number(value); }
    void put(std::int64_t value) { json_.integer(value); }
    void put(bool value) { json_.boolean(value); }
    void put(const std::string& value) { json_.text(value); }

    void leave_out(const std::string& name, const Unknown& unknown) {
        json_.null();
        unknown_.emplace_back(path_ + name, unknown);
    }
    void enter(const std::string& name) {
        starts_.push_back(path_.size());
        path_ += name + ".";
    }
    void leave() {
        path_.resize(starts_.back());
        starts_.pop_back();
    }

    Json json_;
    std::string path_;
    std::vector<std::size_t> starts_;
    std::vector<std::pair<std::string, Unknown>> unknown_;
};

double seconds(std::uint64_t from_ns, std::uint64_t to_ns) {
    return to_ns > from_ns ? static_cast<double>(to_ns - from_ns) / 1e9 : 0;
}

void write_reasons(const Assessment& assessment, Json& json) {
    json.key("state").text(state_word(assessment.state)).key("reasons").begin_array();
    for (const Reason& reason : assessment.reasons) {
        const CodeInfo& info = code_info(reason.code);
        json.begin_object().key("code").text(info.word).key("state").text(state_word(info.state));
        json.key("subject").text(reason.subject).key("sentence").text(reason.sentence);
        json.key("since_unix_seconds").number(static_cast<double>(reason.since_unix_ms) / 1e3);
        json.key("action").text(info.action).end_object();
    }
    json.end_array();
}

void write_reading(const Snapshot& snapshot, Times now, Writer& writer) {
    writer.begin("reading");
    writer.integer("number", snapshot.number);
    writer.number("age_seconds", seconds(snapshot.taken.monotonic_ns, now.monotonic_ns));
    writer.number("taken_in_seconds", snapshot.seconds_taken);
    writer.integer("files", snapshot.files_read);
    Json& json = writer.json();
    json.key("stuck").begin_array();
    for (const StuckRead& read : snapshot.stuck)
        json.begin_object()
            .key("path")
            .text(read.path)
            .key("seconds")
            .number(seconds(read.since_ns, now.monotonic_ns))
            .end_object();
    json.end_array();
    writer.end();
}

void write_board(const Board& board, Writer& writer) {
    writer.begin("board");
    writer.values(board, "model", &Board::model, "soc", &Board::soc, "l4t_release", &Board::l4t,
                  "kernel_release", &Board::kernel);
    writer.value("power_mode", map(board.power_mode, [](const PowerMode& mode) { return mode.name; }));
    writer.derived("power_mode_id", map(board.power_mode, [](const PowerMode& mode) { return mode.id; }));
    writer.end();
}

void write_cpu(const Cpu& cpu, Writer& writer) {
    writer.begin("cpu");
    writer.values(cpu, "cores_present", &Cpu::cores_present, "cores_online", &Cpu::cores_online, "load_ratio",
                  &Cpu::load_ratio, "idle_states_disabled", &Cpu::idle_states_disabled);
    writer.list("cores", cpu.cores, [&](const Core& core) {
        writer.integer("core", core.index);
        writer.values(core, "load_ratio", &Core::load_ratio);
    });
    writer.list("clusters", cpu.clusters, [&](const Cluster& cluster) {
        writer.text("cluster", cluster.name);
        writer.values(cluster, "cores", &Cluster::cores, "clock_hz", &Cluster::clock_hz, "min_hz",
                      &Cluster::min_hz, "max_hz", &Cluster::max_hz, "hardware_max_hz",
                      &Cluster::hardware_max_hz, "governor", &Cluster::governor);
    });
    writer.end();
}

void write_gpu(const Gpu& gpu, const Emc& emc, Writer& writer) {
    writer.object("gpu", gpu, "load_ratio", &Gpu::load_ratio, "clock_hz", &Gpu::clock_hz, "min_hz",
                  &Gpu::min_hz, "max_hz", &Gpu::max_hz, "governor", &Gpu::governor, "powered_off",
                  &Gpu::powered_off);
    writer.object("emc", emc, "load_ratio", &Emc::load_ratio, "clock_hz", &Emc::clock_hz, "max_hz",
                  &Emc::max_hz, "cap_hz", &Emc::cap_hz);
}

void write_pressure(const char* name, const Pressure& pressure, Writer& writer) {
    writer.object(name, pressure, "some_ratio", &Pressure::some_ratio, "full_ratio", &Pressure::full_ratio,
                  "some_seconds_total", &Pressure::some_seconds_total);
}

void write_memory(const Memory& memory, Writer& writer) {
    writer.begin("memory");
    writer.values(memory, "total_bytes", &Memory::total_bytes, "available_bytes", &Memory::available_bytes,
                  "free_bytes", &Memory::free_bytes, "cached_bytes", &Memory::cached_bytes,
                  "gpu_mapped_bytes", &Memory::gpu_mapped_bytes, "swap_total_bytes",
                  &Memory::swap_total_bytes, "swap_free_bytes", &Memory::swap_free_bytes);
    const auto zram = [&](auto member) {
        return map(memory.zram, [member](const Zram& of) { return of.*member; });
    };
    writer.value("zram_devices", zram(&Zram::devices));
    writer.derived("zram_disk_bytes", zram(&Zram::disk_bytes));
    writer.derived("zram_stored_bytes", zram(&Zram::stored_bytes));
    writer.derived("zram_memory_bytes", zram(&Zram::memory_bytes));
    writer.end();
    writer.begin("pressure");
    write_pressure("cpu", memory.cpu_pressure, writer);
    write_pressure("memory", memory.memory_pressure, writer);
    write_pressure("io", memory.io_pressure, writer);
    writer.end();
}

void write_thermal(const Thermal& thermal, Writer& writer) {
    writer.begin("thermal");
    writer.list("zones", thermal.zones, [&](const Zone& zone) {
        writer.text("zone", zone.name);
        writer.values(zone, "temperature_celsius", &Zone::temperature_celsius, "throttles_at_celsius",
                      &Zone::throttles_at_celsius, "critical_at_celsius", &Zone::critical_at_celsius);
        writer.derived("throttle_margin_celsius", zone.throttle_margin_celsius);
        writer.derived("critical_margin_celsius", zone.critical_margin_celsius);
    });
    writer.list("throttles", thermal.throttles, [&](const Throttle& throttle) {
        writer.text("throttle", throttle.name);
        writer.values(throttle, "step", &Throttle::state);
    });
    writer.end();
}

void write_power(const Power& power, Writer& writer) {
    writer.begin("power");
    writer.values(power, "board_watts", &Power::board_watts);
    writer.list("rails", power.rails, [&](const Rail& rail) {
        writer.text("rail", rail.name);
        writer.text("chip", rail.chip);
        writer.values(rail, "volts", &Rail::volts, "amperes", &Rail::amperes, "watts", &Rail::watts,
                      "limit_amperes", &Rail::limit_amperes, "alarm", &Rail::alarm);
    });
    writer.list("events", power.events, [&](const EventCounter& counter) {
        writer.text("counter", counter.name);
        writer.values(counter, "events_total", &EventCounter::events_total, "events_per_minute",
                      &EventCounter::events_per_minute);
    });
    writer.end();
}

void write_rest(const Snapshot& snapshot, Writer& writer) {
    writer.list("fans", snapshot.fans, [&](const Fan& fan) {
        writer.text("fan", fan.name);
        writer.values(fan, "duty_ratio", &Fan::duty_ratio, "revolutions_per_minute",
                      &Fan::revolutions_per_minute);
    });
    writer.object("state_directory", snapshot.disk, "total_bytes", &Disk::total_bytes, "available_bytes",
                  &Disk::available_bytes);
}

void write_values(const Snapshot& snapshot, Times now, Writer& writer) {
    write_reading(snapshot, now, writer);
    write_board(snapshot.board, writer);
    write_cpu(snapshot.cpu, writer);
    write_gpu(snapshot.gpu, snapshot.emc, writer);
    write_memory(snapshot.memory, writer);
    write_thermal(snapshot.thermal, writer);
    write_power(snapshot.power, writer);
    write_rest(snapshot, writer);
}

}  // namespace

std::string health_json(const Snapshot& snapshot, const Assessment& assessment, Times now,
                        const DaemonReport* daemon, std::size_t limit) {
    std::string text;
    for (const Extent extent : {Extent::All, Extent::WithoutCauses, Extent::WithoutLists, Extent::State}) {
        Writer writer;
        writer.json().begin_object();
        write_reasons(assessment, writer.json());
        if (daemon != nullptr && extent != Extent::State) {
            writer.json().key("daemon");
            write_daemon(*daemon, extent != Extent::WithoutLists, writer.json());
        }
        if (extent != Extent::State) write_values(snapshot, now, writer);
        text = writer.finish(extent);
        if (text.size() <= limit) break;
    }
    return text;
}

}  // namespace tegu::daemon::health
