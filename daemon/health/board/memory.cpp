// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/memory.h"

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kMeminfoLimit = 16 * 1024;
constexpr std::size_t kMaxZram = 64;
constexpr Range kKibibytes{0, INT64_MAX / 1024};

// Parses "12.34", the format of avgN in PSI files, as hundredths.
Value<double> parse_percent(std::string_view text) {
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos || text.size() != point + 3)
        return Unknown{Cause::Garbage, excerpt(text) + " is no percentage"};
    const Value<std::int64_t> whole = parse_integer(text.substr(0, point), {0, 100});
    const Value<std::int64_t> hundredths = parse_integer(text.substr(point + 1), {0, 99});
    if (!whole.known()) return whole.unknown();
    if (!hundredths.known()) return hundredths.unknown();
    return static_cast<double>(*whole * 100 + *hundredths) / 1e4;
}

// The text after "<name>=" in a line.
Value<std::string_view> assigned(std::string_view line, std::string_view name) {
    for (const std::string_view part : split(line, ' '))
        if (part.size() > name.size() && part.substr(0, name.size()) == name && part[name.size()] == '=')
            return part.substr(name.size() + 1);
    return Unknown{Cause::Garbage, excerpt(line) + " has no " + std::string(name)};
}

Value<std::string_view> line_of(std::string_view text, std::string_view first) {
    for (const std::string_view line : split(text, '\n'))
        if (line.substr(0, first.size()) == first) return line;
    return Unknown{Cause::Missing, "has no line \"" + std::string(trimmed(first)) + "\""};
}

Value<double> average(std::string_view text, std::string_view kind) {
    const Value<std::string_view> line = line_of(text, kind);
    if (!line.known()) return line.unknown();
    const Value<std::string_view> ten_seconds = assigned(*line, "avg10");
    if (!ten_seconds.known()) return ten_seconds.unknown();
    return parse_percent(*ten_seconds);
}

Value<double> total_seconds(std::string_view text) {
    const Value<std::string_view> line = line_of(text, "some ");
    if (!line.known()) return line.unknown();
    const Value<std::string_view> total = assigned(*line, "total");
    if (!total.known()) return total.unknown();
    return divided(parse_integer(*total, kAnyCount), 1e6);
}

template <class T>
Value<T> with_path(const std::string& path, Value<T> value) {
    if (!value.known()) return at(path, value.unknown());
    return value;
}

Pressure sample_pressure(Reader& reader, const Source& source) {
    const Value<std::string> text = reader.text(source);
    if (!text.known()) return {text.unknown(), text.unknown(), text.unknown()};
    const Pressure parsed = parse_pressure(*text);
    return {with_path(source.path, parsed.some_ratio), with_path(source.path, parsed.full_ratio),
            with_path(source.path, parsed.some_seconds_total)};
}

// mm_stat: "orig_data_size compr_data_size mem_used_total ...", in bytes, in columns.
Value<Zram> sample_zram(Reader& reader, const std::vector<MemoryLayout::ZramDevice>& devices) {
    if (devices.empty()) return Unknown{Cause::Missing, "sys/block: has no zram"};
    constexpr Range kBytes{0, INT64_MAX / 1024};
    Zram sum;
    for (const MemoryLayout::ZramDevice& device : devices) {
        const Value<std::int64_t> size = reader.integer(device.size, kBytes);
        const Value<std::string> statistics = reader.text(device.statistics);
        if (!size.known()) return size.unknown();
        if (!statistics.known()) return statistics.unknown();
        std::vector<std::int64_t> columns;
        for (const std::string_view part : split(trimmed(*statistics), ' ')) {
            if (part.empty()) continue;
            const Value<std::int64_t> column = parse_integer(part, kBytes);
            if (!column.known()) return at(device.statistics.path, column.unknown());
            columns.push_back(*column);
            if (columns.size() == 3) break;
        }
        if (columns.size() < 3)
            return Unknown{Cause::Garbage,
                           device.statistics.path + ": " + excerpt(*statistics) + " has no three numbers"};
        ++sum.devices;
        sum.disk_bytes += *size;
        sum.stored_bytes += columns[0];
        sum.memory_bytes += columns[2];
    }
    return sum;
}

// A part larger than the whole is unknown.
void check_part(Value<std::int64_t>& part, const Value<std::int64_t>& whole, const char* what) {
    if (part.known() && whole.known() && *part > *whole)
        part = Unknown{Cause::Absurd, std::string("proc/meminfo: ") + what + " than there is"};
}

}  // namespace

Value<std::int64_t> parse_meminfo(std::string_view text, std::string_view name) {
    for (const std::string_view line : split(text, '\n')) {
        if (line.size() <= name.size() || line.substr(0, name.size()) != name || line[name.size()] != ':')
            continue;
        const Value<std::int64_t> kib = parse_integer(line.substr(name.size() + 1), kKibibytes, "kB");
        return map(kib, [](std::int64_t count) { return count * 1024; });
    }
    return Unknown{Cause::Missing, "has no line " + std::string(name)};
}

Pressure parse_pressure(std::string_view text) {
    return {average(text, "some "), average(text, "full "), total_seconds(text)};
}

MemoryLayout find_memory(Reader& reader) {
    MemoryLayout layout;
    layout.meminfo = reader.find("proc/meminfo");
    layout.cpu_pressure = reader.find("proc/pressure/cpu");
    layout.memory_pressure = reader.find("proc/pressure/memory");
    layout.io_pressure = reader.find("proc/pressure/io");
    for (const std::string& name : reader.list("sys/block")) {
        if (name.compare(0, 4, "zram") != 0 || layout.zram.size() >= kMaxZram) continue;
        const Source size = reader.find("sys/block/" + name + "/disksize");
        const Value<std::int64_t> bytes = reader.integer(size, kAnyCount);
        if (bytes.known() && *bytes == 0) continue;  // no such device is set up
        layout.zram.push_back({size, reader.find("sys/block/" + name + "/mm_stat")});
    }
    return layout;
}

Memory sample_memory(Reader& reader, const MemoryLayout& layout) {
    Memory memory;
    const Value<std::string> text = reader.text(layout.meminfo, kMeminfoLimit);
    const auto line = [&](const char* name) -> Value<std::int64_t> {
        if (!text.known()) return text.unknown();
        return with_path(layout.meminfo.path, parse_meminfo(*text, name));
    };
    memory.total_bytes = line("MemTotal");
    memory.available_bytes = line("MemAvailable");
    memory.free_bytes = line("MemFree");
    memory.cached_bytes = line("Cached");
    memory.gpu_mapped_bytes = line("NvMapMemUsed");
    memory.swap_total_bytes = line("SwapTotal");
    memory.swap_free_bytes = line("SwapFree");
    check_part(memory.available_bytes, memory.total_bytes, "more memory is available");
    check_part(memory.free_bytes, memory.total_bytes, "more memory is free");
    check_part(memory.swap_free_bytes, memory.swap_total_bytes, "more swap is free");
    memory.zram = sample_zram(reader, layout.zram);
    memory.cpu_pressure = sample_pressure(reader, layout.cpu_pressure);
    memory.memory_pressure = sample_pressure(reader, layout.memory_pressure);
    memory.io_pressure = sample_pressure(reader, layout.io_pressure);
    return memory;
}

}  // namespace tegu::daemon::health
