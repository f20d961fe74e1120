// SPDX-License-Identifier: Apache-2.0
// tegu jobs: lists the jobs of this user that wait or run; for an administrator, those of all users.
#include <memory>

#include "base/account_name.h"
#include "base/job.h"
#include "tools/tegu/command.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {
namespace {

// A newer daemon may have operations and types that have no word here.
std::string operation_word(const tegu_job& job) {
    const OperationInfo* info = find_operation(job.operation);
    return info != nullptr ? std::string(info->stem) : std::to_string(job.operation);
}

std::string type_word(const tegu_job& job) {
    const char* word = tegu_element_word(job.type);
    return word != nullptr ? word : std::to_string(job.type);
}

const char* priority_word(const tegu_job& job) {
    switch (job.priority) {
        case TEGU_PRIORITY_HIGH: return "high";
        case TEGU_PRIORITY_LOW: return "low";
        default: return "normal";
    }
}

const char* state_word(const tegu_job& job) {
    return job.state == TEGU_JOB_RUNNING ? "running" : "waiting";
}

std::string place_word(const tegu_job& job) {
    if (job.place == TEGU_PLACE_CPU) return "CPU";
    if (job.place == TEGU_PLACE_EXPRESS) return "CPU express";
    return job.gpus > 1 ? std::to_string(job.gpus) + " GPUs" : "GPU " + std::to_string(job.gpu);
}

Expected<void> report_json(const std::vector<tegu_job>& jobs) {
    Json json = begin_report("jobs");
    json.key("jobs").begin_array();
    for (const tegu_job& job : jobs) {
        json.begin_object().key("id").integer(job.id).key("session").integer(job.session);
        json.key("uid").integer(std::uint64_t{job.uid}).key("pid").integer(std::uint64_t{job.pid});
        json.key("name").text(job.name).key("operation").text(operation_word(job));
        json.key("dtype").text(type_word(job)).key("shape").begin_array();
        json.integer(job.rows).integer(job.cols).end_array();
        json.key("priority").text(priority_word(job)).key("state").text(state_word(job));
        json.key("place").text(place_word(job));
        json.key("age_seconds").number(static_cast<double>(job.age_ns) / 1e9);
        json.key("predicted_seconds").number(static_cast<double>(job.predicted_ns) / 1e9);
        json.key("left_seconds").number(static_cast<double>(job.left_ns) / 1e9).end_object();
    }
    json.end_array();
    return finish_report(json);
}

Expected<void> report_table(const std::vector<tegu_job>& jobs) {
    std::uint64_t running = 0;
    Table table("rlrllllllrr");
    table.heading(
        {"id", "user", "pid", "program", "operation", "shape", "priority", "state", "where", "age", "left"});
    for (const tegu_job& job : jobs) {
        running += job.state == TEGU_JOB_RUNNING;
        table.row({std::to_string(job.id), user_name(job.uid).value_or(std::to_string(job.uid)),
                   std::to_string(job.pid), job.name, operation_word(job),
                   shape_text({job.rows, job.cols}) + " " + type_word(job), priority_word(job),
                   state_word(job), place_word(job), duration_text(static_cast<double>(job.age_ns)),
                   duration_text(static_cast<double>(job.left_ns))});
    }
    const std::string sum = std::to_string(jobs.size()) + (jobs.size() == 1 ? " job, " : " jobs, ") +
                            std::to_string(running) + " running\n";
    return print(jobs.empty() ? sum : table.text(stdout_has_colour()) + sum);
}

Expected<void> run_jobs(const CommonOptions& options) {
    guard_timeout(options, "jobs");
    Expected<client::Client> client = connect(options);
    if (!client) return client.error();
    const Expected<std::vector<tegu_job>> jobs = client->jobs();
    if (!jobs) return jobs.error();
    return options.json ? report_json(*jobs) : report_table(*jobs);
}

}  // namespace

Action setup_jobs(CommandLine& line) {
    auto options = std::make_shared<CommonOptions>();
    add_common_options(line, *options, kControlTimeout);
    return [options] { return run_jobs(*options); };
}

}  // namespace cli
}  // namespace tegu
