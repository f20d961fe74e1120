// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernel_bench.h"

#include <algorithm>
#include <cmath>

#include "tools/bench/read_floor.h"

namespace tegu::bench {
namespace {

constexpr std::uint64_t kMinFloor = 100000;  // bytes; memory does not limit smaller cases

// Two significant digits: sizes that differ only in their results share a floor.
std::uint64_t rounded(std::uint64_t bytes) {
    std::uint64_t unit = 1;
    while (bytes / unit >= 100) unit *= 10;
    return (bytes + unit / 2) / unit * unit;
}

}  // namespace

class KernelBench::Reporter : public benchmark::BenchmarkReporter {
  public:
    explicit Reporter(KernelBench& bench) : bench_(bench) {}
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const auto found = bench_.index_of_.find(run.run_name.function_name);
            if (run.run_type != Run::RT_Iteration || found == bench_.index_of_.end()) continue;
            Case& one = bench_.cases_[found->second];
            one.runs_ns.push_back(run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9);
            one.cpu_us.push_back(run.cpu_accumulated_time / static_cast<double>(run.iterations) * 1e6);
        }
    }

  private:
    KernelBench& bench_;
};

KernelBench::KernelBench(const Settings& settings) : settings_(settings), pool_(settings.threads) {
    thread_axis_.push_back(1);
    if (settings.threads > 1) thread_axis_.push_back(settings.threads);
}

void KernelBench::add_job(const std::string& name, const Job& job, Values values) {
    const std::uint64_t elements = job.rows * job.cols;
    if (elements > settings_.max_elements) return;
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        if (!error_) error_ = plan.error();
        return;
    }
    for (const unsigned threads : thread_axis_) {
        Case one;
        one.name = name + "/threads=" + std::to_string(threads);
        one.threads = threads;
        one.elements = elements;
        one.bytes = plan->bytes_read + plan->bytes_written;
        const bool wanted = settings_.wants(one.name);
        if (one.bytes >= kMinFloor) add_floor(rounded(one.bytes), threads, wanted);
        if (!wanted) continue;
        add(one, [this, job, values](std::size_t index, benchmark::State& state) {
            run_job(index, job, values, state);
        });
    }
}

void KernelBench::add_floor(std::uint64_t bytes, unsigned threads, bool wanted) {
    Case one;
    one.name = "floor/bytes=" + std::to_string(bytes) + "/threads=" + std::to_string(threads);
    one.threads = threads;
    one.bytes = bytes;
    if (!(wanted || settings_.wants(one.name)) || !floors_.insert(one.name).second) return;
    add(one,
        [this, bytes, threads](std::size_t, benchmark::State& state) { run_floor(bytes, threads, state); });
}

void KernelBench::add(Case one, const std::function<void(std::size_t, benchmark::State&)>& body) {
    const std::size_t index = cases_.size();
    index_of_[one.name] = index;
    auto* registered = benchmark::RegisterBenchmark(
        one.name.c_str(), [body, index](benchmark::State& state) { body(index, state); });
    registered->Repetitions(settings_.repetitions)->MeasureProcessCPUTime()->UseRealTime();
    if (settings_.quick)
        registered->Iterations(1);
    else
        registered->MinTime(settings_.seconds / settings_.repetitions);
    cases_.push_back(std::move(one));
}

Result<KernelBench::Prepared*> KernelBench::prepare(std::size_t index, const Job& job, Values values) {
    if (prepared_ && prepared_->index == index) return &*prepared_;
    prepared_.reset();
    Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) return std::move(plan).error();
    Prepared made;
    made.index = index;
    made.plan = std::move(*plan);
    const int inputs = info_of(operation_of(job)).inputs;
    for (int i = 0; i < inputs; ++i)
        made.inputs.push_back({inputs_.get(job.type, job.rows * job.cols, values, i), job.cols});
    for (const ArraySpec& output : made.plan.outputs) {
        // written here, so that no page is new when the clock runs
        made.arrays.emplace_back(array_bytes(output));
        made.outputs.push_back(kernels::OutputView{made.arrays.back().data()});
    }
    prepared_.emplace(std::move(made));
    return &*prepared_;
}

void KernelBench::run_job(std::size_t index, const Job& job, Values values, benchmark::State& state) {
    const Result<Prepared*> prepared = prepare(index, job, values);
    if (!prepared && !error_) error_ = prepared.error();
    kernels::ThreadPool* pool = cases_[index].threads == 1 ? nullptr : &pool_;
    kernels::RunPolicy policy;
    for (auto _ : state) {
        if (error_) continue;
        Result<kernels::RunReport> report =
            kernels::run_job(job, (*prepared)->plan, (*prepared)->inputs, (*prepared)->outputs,
                             kernels::CpuContext{pool, kernels::CpuPolicies()}, kernels::StopToken());
        benchmark::ClobberMemory();
        if (report)
            policy = std::move(report->policy);
        else
            error_ = report.error();
    }
    if (!policy.empty()) cases_[index].policy = policy.text();
}

void KernelBench::run_floor(std::uint64_t bytes, unsigned threads, benchmark::State& state) {
    const std::byte* memory = inputs_.get(ElementType::U8, bytes, Values::Uniform);
    const std::uint64_t pieces = threads == 1 ? 1 : 64;
    for (auto _ : state) {
        const auto read = [&](std::uint64_t piece, unsigned) {
            benchmark::DoNotOptimize(read_all(memory + bytes / pieces * piece, bytes / pieces));
        };
        if (threads == 1)
            read(0, 0);
        else
            pool_.parallel_for(pieces, read);
    }
}

double KernelBench::floor_ns(const Case& one) const {
    const std::string name =
        "floor/bytes=" + std::to_string(rounded(one.bytes)) + "/threads=" + std::to_string(one.threads);
    const auto found = index_of_.find(name);
    if (found == index_of_.end() || name == one.name || cases_[found->second].runs_ns.empty()) return 0;
    const Case& floor = cases_[found->second];
    return median(floor.runs_ns) * static_cast<double>(one.bytes) / static_cast<double>(floor.bytes);
}

Row KernelBench::row_of(const Case& one) const {
    Row row;
    row.name = one.name;
    row.policy = one.policy;
    row.elements = one.elements;
    row.bytes = one.bytes;
    set_times(row, one.runs_ns);
    row.more.push_back({"cpu_us", *std::min_element(one.cpu_us.begin(), one.cpu_us.end())});
    const double floor = floor_ns(one);
    if (floor > 0) row.more.push_back({"of_floor", floor / row.median_ns});
    return row;
}

Result<void> KernelBench::run(std::vector<Row>& rows) {
    if (error_) return *error_;
    if (settings_.list) {
        for (const Case& one : cases_) {
            rows.emplace_back();
            rows.back().name = one.name;
        }
        return {};
    }
    if (cases_.empty()) return {};
    int argc = 1;
    char program[] = "tegu-bench";
    char* argv[] = {program, nullptr};
    benchmark::Initialize(&argc, argv);
    Reporter reporter(*this);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    if (error_) return *error_;
    for (const Case& one : cases_) rows.push_back(row_of(one));
    return {};
}

}  // namespace tegu::bench
