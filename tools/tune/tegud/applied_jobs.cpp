// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/applied_jobs.h"

#include <cstdio>

#include "kernels/tuning/job_class.h"
#include "tools/tune/measure/interrupts.h"
#include "tools/tune/tegud/client_job.h"
#include "tools/tune/tegud/tegud_process.h"

namespace tegu::tune {
namespace {

constexpr std::uint64_t kMaxElements = 4000000;  // of a job: this is no benchmark
constexpr std::uint64_t kKeptBytes = 64 << 20;

struct Choice {
    SampleJob sample;
    const TuningRow* row = nullptr;  // of the table
};

std::vector<SampleJob> jobs_of(TuningBackend backend, std::string_view operation) {
    ClassLimits limits;
    limits.elements = kMaxElements;
    std::vector<SampleJob> jobs;
    for (const TuneClass& one : tune_classes(backend, operation, limits))
        jobs.insert(jobs.end(), one.samples.begin(), one.samples.end());
    return jobs;
}

// A job with a part of every operation that may be one.
SampleJob fused_job() {
    FusedParams fused;
    for (const OperationInfo& info : operation_infos())
        visit_operation<FusedPart>(static_cast<std::uint16_t>(info.operation), [&](auto part) {
            const Job job = jobs_of(TuningBackend::Cpu, info.stem).front().job;
            part = std::get<decltype(part)>(job.params);
            fused.parts.push_back(std::move(part));
        });
    SampleJob sample;
    sample.job.cols = 1000000;
    sample.job.params = std::move(fused);
    return sample;
}

// A job that the row covers, if any; rows of a backend that this machine lacks are ignored.
Choice choose(const TuningTable& table, const std::string& operation, bool has_gpu) {
    if (operation == "fused") return {fused_job(), nullptr};
    for (const TuningRow& row : table.rows) {
        if (row.jobs.operation != operation || (row.jobs.backend == TuningBackend::Cuda && !has_gpu))
            continue;
        for (const SampleJob& sample : jobs_of(row.jobs.backend, operation))
            if (tuning::holds(row.jobs, tuning::class_of(sample.job))) return {sample, &row};
    }
    return {jobs_of(TuningBackend::Cpu, operation).front(), nullptr};
}

Result<AppliedJob> run(const Choice& choice, const std::string& operation, client::Client& client,
                       HostData& data, kernels::ThreadPool& pool) {
    const kernels::StopToken stop(&interrupts(), std::chrono::steady_clock::time_point::max());
    const Result<std::shared_ptr<const Reference>> reference =
        make_reference(choice.sample, data, pool, stop);
    if (!reference) return reference.error();
    client::Request request = request_of(**reference);
    if (choice.row != nullptr)
        request.backend =
            choice.row->jobs.backend == TuningBackend::Cuda ? TEGU_BACKEND_GPU : TEGU_BACKEND_CPU;
    const client::Expected<client::Result> result = client.run(request);
    if (!result)
        return field_error(static_cast<Status>(result.error().status), result.error().field,
                           result.error().allowed, operation + ": " + result.error().message);
    AppliedJob job;
    job.operation = operation;
    if (choice.row != nullptr) job.wanted_row = choice.row->id;
    job.row = row_in(result->policy());
    job.backend = result->backend() == TEGU_BACKEND_GPU ? "gpu" : "cpu";
    job.difference = difference(**reference, *result);
    return job;
}

}  // namespace

Result<std::vector<AppliedJob>> run_applied_jobs(const TuningTable& table, const std::string& socket,
                                                 Machine& machine) {
    client::Options options;
    options.socket_path = socket;
    options.name = "tegu-tune";
    client::Expected<client::Client> client = client::Client::connect(options);
    if (!client) return make_error(static_cast<Status>(client.error().status), client.error().message);
    HostData data(machine.pool(), kKeptBytes);
    std::vector<AppliedJob> jobs;
    for (const OperationInfo& info : operation_infos()) {
        if (interrupts()) return make_error(Status::Cancelled, "interrupted");
        const std::string operation(info.stem);
        const Choice choice = choose(table, operation, machine.gpu() != nullptr);
        Result<AppliedJob> job = run(choice, operation, *client, data, machine.pool());
        if (!job) return std::move(job).error();
        jobs.push_back(std::move(*job));
    }
    return jobs;
}

std::string row_in(const std::string& policy) {
    const std::string mark = "row=";
    for (std::size_t at = policy.find(mark); at != std::string::npos; at = policy.find(mark, at + 1)) {
        if (at != 0 && policy[at - 1] != ' ') continue;  // the end of another word
        return policy.substr(at + mark.size(), policy.find(' ', at) - at - mark.size());
    }
    return "";
}

std::string applied_line(const AppliedJob& job) {
    char head[64];
    std::snprintf(head, sizeof head, "%-12s %s  %s", job.operation.c_str(), job.backend.c_str(),
                  job.difference.empty() ? "right" : "WRONG");
    std::string line = head;
    if (!job.difference.empty()) line += " (" + job.difference + ")";
    line += "  row " + (job.row.empty() ? "unknown" : job.row);
    const bool served =
        job.row.size() >= job.wanted_row.size() &&
        job.row.compare(job.row.size() - job.wanted_row.size(), std::string::npos, job.wanted_row) == 0;
    return served ? line : line + ", not " + job.wanted_row;
}

}  // namespace tegu::tune
