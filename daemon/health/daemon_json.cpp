// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/daemon_json.h"

namespace tegu::daemon::health {
namespace {

// One object: put("name", value) for each member.
class Members {
  public:
    explicit Members(Json& json) : json_(json) { json_.begin_object(); }
    ~Members() { json_.end_object(); }
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;

    Members& put(const char* name, std::uint64_t value) { return json_.key(name).integer(value), *this; }
    Members& put(const char* name, std::int64_t value) { return json_.key(name).integer(value), *this; }
    Members& put(const char* name, double value) { return json_.key(name).number(value), *this; }
    Members& put(const char* name, bool value) { return json_.key(name).boolean(value), *this; }
    Members& put(const char* name, const char* value) = delete;  // else converted to bool
    Members& put(const char* name, const std::string& value) { return json_.key(name).text(value), *this; }
    // Writes null for an empty text.
    Members& text_or_null(const char* name, const std::string& value) {
        json_.key(name);
        value.empty() ? json_.null() : json_.text(value);
        return *this;
    }

  private:
    Json& json_;
};

template <class List, class F>
void write_list(const char* name, const List& list, Json& json, F&& write) {
    json.key(name).begin_array();
    for (const auto& element : list) {
        Members members(json);
        write(element, members);
    }
    json.end_array();
}

void put_use(const UseReport& use, Members& members) {
    members.put("connections", use.connections)
        .put("buffers", use.buffers)
        .put("buffer_bytes", use.buffer_bytes);
    members.put("jobs_in_flight", use.jobs_in_flight).put("jobs_total", use.jobs_total);
    members.put("device_seconds_total", use.device_seconds_total)
        .put("cpu_seconds_total", use.cpu_seconds_total);
    members.put("bytes_total", use.bytes_total);
}

void put_costs(const CostReport& costs, Members& members) {
    members.put("jobs", costs.jobs).put("bias_ratio", costs.bias_ratio).put("error_ratio", costs.error_ratio);
}

void write_counters(const DaemonReport& report, Json& json) {
    json.key("counters").begin_object();
    for (const NamedCount& counter : report.counters) json.key(counter.name).integer(counter.count);
    json.end_object();
    json.key("measures").begin_object();
    for (const MeasureGroup& group : report.measures) {
        json.key(group.name);
        Members members(json);
        for (const auto& [word, number] : group.values)
            std::visit([&, &name = word](auto value) { members.put(name.c_str(), value); }, number);
    }
    json.end_object();
    write_list("closed", report.closed, json, [](const NamedCount& closed, Members& members) {
        members.put("reason", closed.name).put("count", closed.count);
    });
}

void write_work(const DaemonReport& report, Json& json) {
    json.key("queue");
    {
        const QueueReport& queue = report.queue;
        Members members(json);
        members.put("high", queue.high).put("normal", queue.normal).put("low", queue.low);
        members.put("running", queue.running).put("predicted_seconds", queue.predicted_seconds);
    }
    write_list("executors", report.executors, json, [](const ExecutorReport& executor, Members& members) {
        members.put("name", executor.name).put("waiting", executor.waiting).put("running", executor.running);
        members.put("jobs_total", executor.jobs_total).put("busy_seconds_total", executor.busy_seconds_total);
        members.put("busy_ratio", executor.busy_ratio);
    });
    write_list("jobs", report.jobs, json, [](const JobCount& jobs, Members& members) {
        members.put("operation", jobs.operation).put("status", jobs.status).put("count", jobs.count);
    });
    write_list("refused", report.refused, json, [](const NamedCount& refused, Members& members) {
        members.put("status", refused.name).put("count", refused.count);
    });
    json.key("latency_seconds").begin_object();
    for (const TimesReport& times : report.times) {
        json.key(times.phase);
        Members members(json);
        members.put("count", times.count).put("p50", times.p50).put("p90", times.p90).put("p99", times.p99);
        members.put("p999", times.p999).put("max", times.max);
    }
    json.end_object();
}

void write_users(const DaemonReport& report, bool lists, Json& json) {
    write_list("users", lists ? report.users : std::vector<UseReport>(), json,
               [](const UseReport& use, Members& members) {
                   members.put("uid", std::uint64_t{use.uid});
                   put_use(use, members);
               });
    json.key("other_users");
    if (report.other_users) {
        Members members(json);
        put_use(*report.other_users, members);
    } else {
        json.null();
    }
    write_list("clients", lists ? report.clients : std::vector<UseReport>(), json,
               [](const UseReport& use, Members& members) {
                   members.put("pid", std::int64_t{use.pid})
                       .put("uid", std::uint64_t{use.uid})
                       .put("name", use.name);
                   put_use(use, members);
               });
    json.key("clients_left_out").integer(report.clients_left_out + (lists ? 0 : report.clients.size()));
}

void write_costs(const DaemonReport& report, Json& json) {
    json.key("cost_model");
    Members members(json);
    put_costs(report.costs, members);
    write_list("operations", report.operation_costs, json, [](const OperationCosts& of, Members& operation) {
        operation.put("operation", of.operation);
        put_costs(of.costs, operation);
    });
}

void write_placement(const PlacementReport& placement, Json& json) {
    json.key("placement");
    Members members(json);
    members.put("cpu", placement.cpu).text_or_null("gpu", placement.gpu).put("probing", placement.probing);
    const auto put_count = [](const NamedCount& count, Members& of) {
        of.put("name", count.name).put("count", count.count);
    };
    write_list("places", placement.places, json, put_count);
    write_list("reasons", placement.reasons, json, put_count);
}

void write_history(const DaemonReport& report, bool lists, Json& json) {
    write_list("errors", lists ? report.errors : std::vector<ErrorReport>(), json,
               [](const ErrorReport& error, Members& members) {
                   members.put("time_unix_ms", error.time_unix_ms).put("first_unix_ms", error.first_unix_ms);
                   members.put("count", error.count).put("status", error.status);
                   members.text_or_null("operation", error.operation).put("uid", std::uint64_t{error.uid});
                   members.put("pid", std::int64_t{error.pid}).put("message", error.message);
               });
    write_list("reloads", report.reloads, json, [](const ReloadReport& reload, Members& members) {
        members.put("time_unix_ms", reload.time_unix_ms).put("ok", reload.ok).put("message", reload.message);
    });
}

void write_texts(const char* name, const std::vector<std::string>& texts, Json& json) {
    json.key(name).begin_array();
    for (const std::string& text : texts) json.text(text);
    json.end_array();
}

void write_tuning(const TuningReport& tuning, Json& json) {
    json.key("tuning");
    Members members(json);
    write_texts("tables", tuning.tables, json);
    members.put("rows", tuning.rows).put("costs", tuning.costs).put("loads_total", tuning.loads_total);
    members.put("ignored", tuning.ignored);
    write_texts("reasons", tuning.reasons, json);
}

void write_supervision(const DaemonReport& report, Json& json) {
    json.key("watchdog");
    if (report.watchdog) {
        Members members(json);
        members.put("interval_seconds", report.watchdog->interval_seconds);
        members.put("worst_gap_seconds", report.watchdog->worst_gap_seconds);
    } else {
        json.null();
    }
    json.key("descriptor_store");
    if (report.descriptor_store) {
        const StoreReport& store = *report.descriptor_store;
        Members members(json);
        members.put("buffers", store.buffers).put("state", store.state).text_or_null("reason", store.reason);
    } else {
        json.null();
    }
}

}  // namespace

void write_daemon(const DaemonReport& report, bool lists, Json& json) {
    Members members(json);
    members.put("version", report.version).put("pid", std::int64_t{report.pid});
    members.put("uptime_seconds", report.uptime_seconds).put("backend", report.backend);
    members.put("backend_reason", report.backend_reason).put("memory_class", report.memory_class);
    members.put("connections", report.connections);
    write_counters(report, json);
    write_work(report, json);
    write_users(report, lists, json);
    write_costs(report, json);
    write_placement(report.placement, json);
    write_history(report, lists, json);
    write_tuning(report.tuning, json);
    write_supervision(report, json);
}

}  // namespace tegu::daemon::health
