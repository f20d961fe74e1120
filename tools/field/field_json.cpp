// SPDX-License-Identifier: Apache-2.0
#include "tools/field/field_json.h"

#include "base/json.h"

namespace tegu::field {
namespace {

void put_text(Json& json, const char* name, const std::string& value) {
    json.key(name);
    if (value.empty())
        json.null();
    else
        json.text(value);
}

void put_number(Json& json, const char* name, const std::optional<double>& value) {
    json.key(name);
    if (value)
        json.number(*value);
    else
        json.null();
}

template <class T>
void put_count(Json& json, const char* name, const std::optional<T>& value) {
    json.key(name);
    if (value)
        json.integer(static_cast<std::uint64_t>(*value));
    else
        json.null();
}

// Zero means unknown.
void put_size(Json& json, const char* name, std::uint64_t value) {
    put_count(json, name, value != 0 ? std::optional<std::uint64_t>(value) : std::nullopt);
}

void put_fan(Json& json, const std::optional<board::FanState>& fan) {
    json.key("fan");
    if (!fan) {
        json.null();
        return;
    }
    json.begin_object();
    put_text(json, "name", fan->name);
    put_number(json, "duty", fan->duty);
    put_number(json, "rpm", fan->revolutions_per_minute);
    json.end_object();
}

void put_cpu(Json& json, const board::CpuIdentity& cpu) {
    json.key("cpu").begin_object();
    put_text(json, "name", cpu.name);
    put_size(json, "cores", cpu.cores);
    put_text(json, "isa", cpu.isa);
    put_number(json, "max_mhz", cpu.max_mhz);
    json.end_object();
}

void put_gpu(Json& json, const std::optional<board::GpuIdentity>& gpu) {
    json.key("gpu");
    if (!gpu) {
        json.null();
        return;
    }
    json.begin_object();
    put_text(json, "name", gpu->name);
    put_size(json, "compute_capability", gpu->compute_capability);
    put_size(json, "multiprocessors", gpu->multiprocessors);
    put_text(json, "memory_class", gpu->memory_class);
    put_number(json, "core_clock_mhz", gpu->core_clock_mhz);
    put_number(json, "memory_clock_mhz", gpu->memory_clock_mhz);
    put_size(json, "memory_bytes", gpu->memory_bytes);
    put_number(json, "power_limit_w", gpu->power_limit_w);
    json.key("unusable").text(gpu->unusable);
    json.end_object();
}

struct PutAxis {
    Json& json;
    void operator()(std::int64_t value) const { json.integer(value); }
    void operator()(double value) const { json.number(value); }
    void operator()(const std::string& value) const { json.text(value); }
};

const char* word_of(Moment moment) {
    switch (moment) {
        case Moment::Before: return "before";
        case Moment::During: return "during";
        case Moment::After: return "after";
    }
    return "?";
}

void put_words(Json& json, const char* name, const std::vector<std::string>& words) {
    json.key(name).begin_array();
    for (const std::string& word : words) json.text(word);
    json.end_array();
}

}  // namespace

std::string identity_json(const board::BoardIdentity& board, const ProgramIdentity& program) {
    Json json;
    json.begin_object();
    put_text(json, "board", board.board);
    put_text(json, "soc", board.soc);
    put_text(json, "l4t", board.l4t);
    put_text(json, "kernel", board.kernel);
    put_text(json, "driver", board.driver);
    put_text(json, "cuda_toolkit", board.toolkit);
    put_text(json, "architecture", board.architecture);
    put_cpu(json, board.cpu);
    put_size(json, "memory_bytes", board.memory_bytes);
    put_gpu(json, board.gpu);
    put_text(json, "power_mode", board.power_mode);
    put_fan(json, board.fan);
    json.key("tegu").begin_object();
    put_text(json, "version", program.version);
    put_text(json, "commit", program.commit);
    json.end_object();
    json.key("tuning").begin_object();
    put_text(json, "key", program.tuning_key);
    json.key("rows").integer(std::uint64_t{program.tuning_rows}).end_object();
    json.key("peak").begin_object();
    put_number(json, "memory_gb_per_s", board.data_sheet_gb_per_s);
    json.key("provenance").text(board.data_sheet_gb_per_s ? "datasheet" : "measured").end_object();
    json.end_object();
    return json.str();
}

std::string options_json(const RunOptions& options) {
    Json json;
    json.begin_object().key("minutes").number(options.minutes);
    put_words(json, "operations", options.operations);
    put_words(json, "parts", options.parts);
    json.key("quick").boolean(options.quick).end_object();
    return json.str();
}

std::string record_json(const ResultRecord& record) {
    Json json;
    json.begin_object().key("kind").text("result");
    put_text(json, "part", record.part);
    put_text(json, "case", record.name);
    put_text(json, "operation", record.operation);
    put_text(json, "backend", record.backend);
    put_text(json, "method", record.method);
    json.key("axes").begin_object();
    for (const auto& [name, value] : record.axes) {
        json.key(name);
        std::visit(PutAxis{json}, value);
    }
    json.end_object().key("seconds").number(record.seconds).key("noise").number(record.noise);
    json.key("repeats").integer(std::uint64_t{record.repeats});
    put_count(json, "bytes", record.bytes);
    put_number(json, "flops", record.flops);
    put_number(json, "energy_j", record.energy_j);
    put_count(json, "registers", record.kernel.registers);
    put_number(json, "occupancy", record.kernel.occupancy);
    put_count(json, "shared_bytes", record.kernel.shared_bytes);
    json.key("checked").boolean(record.checked).key("throttled").boolean(record.throttled);
    json.key("note").text(record.note).end_object();
    return json.str();
}

std::string record_json(const ConditionRecord& record) {
    Json json;
    json.begin_object().key("kind").text("condition");
    put_text(json, "part", record.part);
    json.key("at").text(word_of(record.at)).key("elapsed_s").number(record.elapsed_s);
    json.key("temperatures_c").begin_object();
    for (const auto& [zone, celsius] : record.state.temperatures_c) json.key(zone).number(celsius);
    json.end_object().key("clocks_mhz").begin_object();
    put_number(json, "gpu", record.state.gpu_clock_mhz);
    put_number(json, "cpu", record.state.cpu_clock_mhz);
    put_number(json, "memory", record.state.memory_clock_mhz);
    json.end_object();
    put_number(json, "power_w", record.state.power_w);
    put_words(json, "throttle", record.state.throttle);
    json.key("events").begin_object();
    for (const auto& [name, count] : record.state.events) json.key(name).integer(count);
    json.end_object();
    put_fan(json, record.state.fan);
    json.end_object();
    return json.str();
}

std::string record_json(const SkippedRecord& record) {
    Json json;
    json.begin_object().key("kind").text("skipped");
    put_text(json, "part", record.part);
    put_text(json, "case", record.name);
    put_text(json, "backend", record.backend);
    put_text(json, "reason", record.reason);
    json.key("retry").boolean(record.retry).end_object();
    return json.str();
}

}  // namespace tegu::field
