// SPDX-License-Identifier: Apache-2.0
// Measures a private tegud through its socket, from start to idle. Each round runs the job through the daemon
// and then in this process, on the same machine state. The ratio is computed within each round.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "client/tegu.hpp"
#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"
#include "tools/bench/cases.h"
#include "tools/bench/private_daemon.h"

namespace tegu::bench {
namespace {

using Clock = std::chrono::steady_clock;
using client::Client;
using client::Expected;
using client::Request;

constexpr int kWarmUp = 2000;             // small jobs before the first that counts
constexpr int kSmallJobs = 20000;         // round trips of one distribution
constexpr std::uint64_t kSmall = 1024;    // f32 elements of a small job: 4 KiB in the message
constexpr unsigned kDepth = 16;           // jobs in flight
constexpr double kPipelineSeconds = 0.5;  // of one repetition
constexpr double kIdleSeconds = 3;
constexpr int kQuick = 20;  // how much shorter a quick run is

double elapsed_ns(Clock::time_point since) {
    return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
}

class DaemonCases {
  public:
    DaemonCases(const Settings& settings, std::vector<Row>& rows)
        : settings_(settings), rows_(rows), pool_(settings.threads) {}

    Result<void> run() {
        using Case = Result<void> (DaemonCases::*)();
        const struct {
            const char* name;
            Case body;
        } cases[] = {
            {"daemon/idle", &DaemonCases::idle},
            {"daemon/round-trip/sum/f32/n=1024", &DaemonCases::round_trip},
            {"daemon/pipelined/sum/f32/n=1024/depth=16", &DaemonCases::pipelined},
            {"daemon/buffer/sum/f32/n=16777216", &DaemonCases::sum_of_buffer},
            {"daemon/buffer/topk/i32/n=10000000/k=10", &DaemonCases::topk_of_buffer},
        };
        if (settings_.list) {
            list("daemon/ready");
            for (const auto& one : cases) list(one.name);
            return {};
        }
        if (settings_.wants("daemon/ready")) {
            const Result<void> done = ready("daemon/ready");
            if (!done) return done;
        }
        for (const auto& one : cases) {
            if (!settings_.wants(one.name)) continue;
            Result<void> done = connect();
            if (!done) return done;
            name_ = one.name;
            done = (this->*one.body)();
            if (!done) return done;
        }
        return {};
    }

  private:
    void list(const char* name) {
        if (!settings_.wants(name)) return;
        rows_.emplace_back();
        rows_.back().name = name;
    }

    double shorter(double whole) const { return settings_.quick ? whole / kQuick : whole; }

    Result<void> connect() {
        if (client_) return {};
        Result<PrivateDaemon> daemon = PrivateDaemon::start(settings_.tegud, settings_.threads);
        if (!daemon) return std::move(daemon).error();
        daemon_.emplace(std::move(*daemon));
        client::Options options;
        options.socket_path = daemon_->socket_path();
        Expected<Client> made = Client::connect(options);
        if (!made) return from(made.error());
        client_.emplace(std::move(*made));
        return {};
    }

    Result<void> ready(const char* name) {
        std::vector<double> runs;
        for (int i = 0; i < settings_.repetitions; ++i) {
            const Result<PrivateDaemon> daemon = PrivateDaemon::start(settings_.tegud, settings_.threads);
            if (!daemon) return daemon.error();
            runs.push_back(daemon->ready_ns());
        }
        Row row;
        row.name = name;
        set_times(row, runs);
        rows_.push_back(row);
        return {};
    }

    // Measures the CPU time of the daemon with one idle connection.
    Result<void> idle() {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        const Clock::time_point began = Clock::now();
        const std::uint64_t before = daemon_->cpu_ns();
        std::this_thread::sleep_for(std::chrono::duration<double>(shorter(kIdleSeconds)));
        const double used = static_cast<double>(daemon_->cpu_ns() - before);
        Row row;
        row.name = name_;
        set_times(row, {elapsed_ns(began)});
        row.more = {{"cpu_percent", 100 * used / row.median_ns}, {"resident_MB", daemon_->resident_mb()}};
        rows_.push_back(row);
        return {};
    }

    Request small_job() {
        small_.assign(kSmall, 0.5f);
        return Request::reduce(small_.data(), small_.size(), TEGU_STAT_SUM);
    }

    // One client, one job at a time. A row of the p50 of each repetition.
    Result<void> round_trip() {
        const Request job = small_job();
        std::vector<double> p50, p99, times;
        const int jobs = static_cast<int>(shorter(kSmallJobs)) / settings_.repetitions + 1;
        for (int repetition = -1; repetition < settings_.repetitions; ++repetition) {
            times.clear();
            for (int i = 0; i < (repetition < 0 ? kWarmUp : jobs); ++i) {
                const Clock::time_point began = Clock::now();
                const Expected<client::Result> result = client_->run(job);
                times.push_back(elapsed_ns(began));
                if (!result) return from(result.error());
            }
            if (repetition < 0) continue;
            std::sort(times.begin(), times.end());
            p50.push_back(times[times.size() / 2]);
            p99.push_back(times[times.size() * 99 / 100]);
        }
        Row row;
        row.name = name_;
        row.elements = kSmall;
        set_times(row, p50);
        row.more = {{"p50_us", median(p50) / 1e3}, {"p99_us", median(p99) / 1e3}};
        rows_.push_back(row);
        return {};
    }

    // One client that always has kDepth jobs in flight.
    Result<void> pipelined() {
        const Request job = small_job();
        std::vector<double> runs;
        for (int repetition = 0; repetition < settings_.repetitions; ++repetition) {
            const Clock::time_point began = Clock::now();
            std::uint64_t done = 0;
            for (unsigned i = 0; i < kDepth; ++i)
                if (const Expected<std::uint64_t> id = client_->submit(job); !id) return from(id.error());
            for (; elapsed_ns(began) < shorter(kPipelineSeconds) * 1e9 / settings_.repetitions * 7; ++done) {
                const client::Done one = client_->wait_any();
                if (!one.result) return from(one.result.error());
                if (const Expected<std::uint64_t> id = client_->submit(job); !id) return from(id.error());
            }
            runs.push_back(elapsed_ns(began) / static_cast<double>(done));
            for (unsigned i = 0; i < kDepth; ++i)
                if (const client::Done one = client_->wait_any(); !one.result)
                    return from(one.result.error());
        }
        Row row;
        row.name = name_;
        row.elements = kSmall;
        set_times(row, runs);
        row.more = {{"jobs_per_s", 1e9 / row.median_ns}};
        rows_.push_back(row);
        return {};
    }

    Result<void> sum_of_buffer() {
        constexpr std::uint64_t n = 16777216;  // 64 MiB
        Job job;
        job.cols = n;
        ReduceParams params;
        params.statistics = statistic_bit(Statistic::Sum);
        job.params = params;
        return compare(job, Request::reduce(TEGU_STAT_SUM), [](std::byte* data) {
            std::vector<float> values(n);
            std::mt19937 random(1);
            for (float& value : values) value = static_cast<float>(random()) * 0x1p-32f;
            std::memcpy(data, values.data(), n * sizeof(float));
        });
    }

    Result<void> topk_of_buffer() {
        constexpr std::uint64_t n = 10000000;
        Job job;
        job.type = ElementType::I32;
        job.cols = n;
        job.params = TopkParams{10, true, false};
        return compare(job, Request::topk(10), [](std::byte* data) {
            std::mt19937 random(1);
            for (std::uint64_t i = 0; i < n; ++i) {
                const auto value = static_cast<std::int32_t>(random());
                std::memcpy(data + i * sizeof value, &value, sizeof value);
            }
        });
    }

    // The job over a buffer that the daemon made, against the same job on the same memory here.
    template <class Fill>
    Result<void> compare(const Job& job, Request request, Fill fill) {
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) return plan.error();
        Expected<client::Buffer> buffer = client_->create_buffer(plan->bytes_read);
        if (!buffer) return from(buffer.error());
        fill(buffer->as<std::byte>());
        request.input(*buffer, static_cast<std::uint8_t>(job.type), job.rows, job.cols);
        std::vector<std::vector<std::byte>> arrays;
        std::vector<kernels::OutputView> outputs;
        for (const ArraySpec& output : plan->outputs) {
            arrays.emplace_back(array_bytes(output));
            outputs.push_back(kernels::OutputView{arrays.back().data()});
        }
        const kernels::InputView input{buffer->as<std::byte>(), job.cols};
        std::vector<double> there, here, computed, ratios;
        for (int round = -2; round < 3 * settings_.repetitions; ++round) {
            Clock::time_point began = Clock::now();
            const Expected<client::Result> result = client_->run(request);
            const double remote = elapsed_ns(began);
            if (!result) return from(result.error());
            began = Clock::now();
            const Result<kernels::RunReport> report =
                kernels::run_job(job, *plan, Span<const kernels::InputView>(&input, 1), outputs,
                                 kernels::CpuContext{&pool_, kernels::CpuPolicies()}, kernels::StopToken());
            const double local = elapsed_ns(began);
            if (!report) return report.error();
            if (round < 0) continue;
            there.push_back(remote);
            here.push_back(local);
            computed.push_back(static_cast<double>(result->timing().compute_ns));
            ratios.push_back(remote / local);
        }
        Row row;
        row.name = name_;
        row.elements = job.rows * job.cols;
        row.bytes = plan->bytes_read + plan->bytes_written;
        set_times(row, there);
        row.more = {{"compute_ms", median(computed) / 1e6},
                    {"in_process_ms", median(here) / 1e6},
                    {"ratio", median(ratios)}};
        rows_.push_back(row);
        return {};
    }

    const Settings& settings_;
    std::vector<Row>& rows_;
    kernels::ThreadPool pool_;
    std::optional<PrivateDaemon> daemon_;
    std::optional<Client> client_;
    std::vector<float> small_;
    std::string name_;
};

}  // namespace

Result<void> run_daemon_cases(const Settings& settings, std::vector<Row>& rows) {
    return DaemonCases(settings, rows).run();
}

}  // namespace tegu::bench
