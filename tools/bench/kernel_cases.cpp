// SPDX-License-Identifier: Apache-2.0
// The kernels in this process. Google Benchmark finds out how often to run each case and repeats it; its runs become rows. The axes
// of an operation are lists here, and every case is a point of them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "kernels/operation.h"
#include "kernels/thread_pool.h"
#include "tools/bench/cases.h"
#include "tools/bench/read_floor.h"

namespace tegu::bench {
namespace {

constexpr double kMinSeconds = 0.03;  // of one repetition

enum class Values { Uniform, Ascending, Equal, Few };

const char* word_of(Values values) {
    switch (values) {
        case Values::Uniform: return "uniform";
        case Values::Ascending: return "ascending";
        case Values::Equal: return "equal";
        case Values::Few: return "few16";
    }
    return "?";
}

template <class T>
void fill(std::vector<std::byte>& memory, std::uint64_t n, Values values) {
    std::mt19937_64 random(2026);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        const double place = values == Values::Ascending ? static_cast<double>(i) / static_cast<double>(n)
                             : values == Values::Equal   ? 0.625
                             : values == Values::Few     ? static_cast<double>(bits % 16) / 16
                                                         : static_cast<double>(bits >> 11) * 0x1p-53;
        T value{};
        if constexpr (std::is_same<T, Half>::value)
            value = float_to_half(static_cast<float>(place));
        else if constexpr (std::is_floating_point<T>::value)
            value = static_cast<T>(place);
        else
            value = static_cast<T>(static_cast<double>(std::numeric_limits<T>::min()) * (1 - place) +
                                   static_cast<double>(std::numeric_limits<T>::max()) * 0.9999999 * place);
        std::memcpy(memory.data() + i * sizeof value, &value, sizeof value);
    }
}

// The same input for every case that asks for it.
const std::vector<std::byte>& input_of(ElementType type, std::uint64_t n, Values values) {
    static std::map<std::tuple<ElementType, std::uint64_t, Values>, std::vector<std::byte>> inputs;
    std::vector<std::byte>& memory = inputs[{type, n, values}];
    if (memory.empty()) {
        memory.resize(n * element_bytes(type));
        visit_element_type(type, [&](auto element) { fill<decltype(element)>(memory, n, values); });
    }
    return memory;
}

// A job with its input and room for its results.
struct Prepared {
    kernels::JobPlan plan;
    std::vector<std::vector<std::byte>> arrays;
    std::vector<kernels::OutputView> outputs;
};

Result<Prepared> prepare(const Job& job) {
    Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) return std::move(plan).error();
    Prepared prepared;
    prepared.plan = std::move(*plan);
    for (const ArraySpec& output : prepared.plan.outputs) {
        prepared.arrays.emplace_back(array_bytes(output));
        prepared.outputs.push_back(kernels::OutputView{prepared.arrays.back().data()});
    }
    return prepared;
}

class Cases {
  public:
    Cases(const Settings& settings) : settings_(settings), pool_(settings.threads) {
        thread_axis_.push_back(1);
        if (settings.threads > 1) thread_axis_.push_back(settings.threads);
    }

    void add_job(const std::string& name, const Job& job, Values values) {
        for (const unsigned threads : thread_axis_) {
            const std::string full = name + "/threads=" + std::to_string(threads);
            if (!settings_.wants(full)) continue;
            kernels::ThreadPool* pool = threads == 1 ? nullptr : &pool_;
            add(full, job.rows * job.cols, [this, job, values, pool](benchmark::State& state) {
                Result<Prepared> prepared = prepare(job);
                if (!prepared) return fail(prepared.error());
                const std::vector<std::byte>& memory = input_of(job.type, job.rows * job.cols, values);
                const kernels::InputView input{memory.data(), job.cols};
                for (auto _ : state) {
                    const Result<kernels::RunReport> report = kernels::run_job(
                        job, Span<const kernels::InputView>(&input, 1), prepared->outputs, pool, kernels::StopToken());
                    if (!report) fail(report.error());
                    benchmark::ClobberMemory();
                }
                state.counters["bytes"] = static_cast<double>(prepared->plan.bytes_read + prepared->plan.bytes_written);
            });
        }
    }

    void add_read(std::uint64_t bytes) {
        for (const unsigned threads : thread_axis_) {
            const std::string name = "floor/bytes=" + std::to_string(bytes) + "/threads=" + std::to_string(threads);
            if (!settings_.wants(name)) continue;
            add(name, 0, [this, bytes, threads](benchmark::State& state) {
                const std::vector<std::byte>& memory = input_of(ElementType::I32, bytes / 4, Values::Uniform);
                const std::uint64_t pieces = threads == 1 ? 1 : 64;
                for (auto _ : state) {
                    const auto read = [&](std::uint64_t piece, unsigned) {
                        benchmark::DoNotOptimize(read_all(memory.data() + bytes / pieces * piece, bytes / pieces));
                    };
                    if (threads == 1)
                        read(0, 0);
                    else
                        pool_.parallel_for(pieces, read);
                }
                state.counters["bytes"] = static_cast<double>(bytes);
            });
        }
    }

    // Runs what was added. The rows come in the order of the additions.
    Result<void> run(std::vector<Row>& rows) {
        if (names_.empty()) return {};
        int argc = 1;
        char program[] = "tegu-bench";
        char* argv[] = {program, nullptr};
        benchmark::Initialize(&argc, argv);
        Reporter reporter(*this);
        benchmark::RunSpecifiedBenchmarks(&reporter);
        if (error_) return *error_;
        for (const std::string& name : names_) {
            Row row;
            row.name = name;
            row.elements = elements_[name];
            row.bytes = bytes_[name];
            set_times(row, runs_[name]);
            row.more = {{"cpu_us", *std::min_element(cpu_[name].begin(), cpu_[name].end())}};
            rows.push_back(std::move(row));
        }
        return {};
    }

  private:
    class Reporter : public benchmark::BenchmarkReporter {
      public:
        explicit Reporter(Cases& cases) : cases_(cases) {}
        bool ReportContext(const Context&) override { return true; }
        void ReportRuns(const std::vector<Run>& runs) override {
            for (const Run& run : runs) {
                if (run.run_type != Run::RT_Iteration) continue;
                const std::string& name = run.run_name.function_name;
                cases_.runs_[name].push_back(run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9);
                cases_.cpu_[name].push_back(run.cpu_accumulated_time / static_cast<double>(run.iterations) * 1e6);
                const auto bytes = run.counters.find("bytes");
                if (bytes != run.counters.end()) cases_.bytes_[name] = static_cast<std::uint64_t>(bytes->second.value);
            }
        }

      private:
        Cases& cases_;
    };

    void add(const std::string& name, std::uint64_t elements, const std::function<void(benchmark::State&)>& body) {
        names_.push_back(name);
        elements_[name] = elements;
        benchmark::RegisterBenchmark(name.c_str(), body)
            ->MinTime(kMinSeconds)
            ->Repetitions(settings_.repetitions)
            ->MeasureProcessCPUTime()
            ->UseRealTime();
    }

    // The first error is the one that is told.
    void fail(const Error& error) {
        if (!error_) error_ = error;
    }

    const Settings& settings_;
    kernels::ThreadPool pool_;
    std::vector<unsigned> thread_axis_;
    std::vector<std::string> names_;
    std::map<std::string, std::uint64_t> elements_;
    std::map<std::string, std::uint64_t> bytes_;
    std::map<std::string, std::vector<double>> runs_;
    std::map<std::string, std::vector<double>> cpu_;  // of all threads: what is left of a time on a busy machine
    std::optional<Error> error_;
};

Job sequence(ElementType type, std::uint64_t n, const JobParams& params) {
    Job job;
    job.type = type;
    job.cols = n;
    job.params = params;
    return job;
}

std::string prefix(const char* operation, ElementType type, std::uint64_t n) {
    return std::string(operation) + "/" + std::string(element_word(type)) + "/n=" + std::to_string(n);
}

void add_reduce(Cases& cases) {
    const struct {
        const char* word;
        StatisticSet set;
    } sets[] = {{"sum", statistic_bit(Statistic::Sum)}, {"all", kAllStatistics}};
    for (const auto& set : sets)
        for (const ElementType type : {ElementType::F32, ElementType::I32, ElementType::U8})
            for (const std::uint64_t n : {1024ull, 100000ull, 10000000ull, 16777216ull}) {
                if (n == 16777216 && (type != ElementType::F32 || set.set == kAllStatistics))
                    continue;  // 64 MiB, for the daemon
                ReduceParams params;
                params.statistics = set.set;
                cases.add_job(prefix("reduce", type, n) + "/stats=" + set.word, sequence(type, n, params),
                              Values::Uniform);
            }
}

void add_topk(Cases& cases) {
    const auto add = [&](ElementType type, std::uint64_t n, std::uint64_t k, Values values, bool distinct) {
        TopkParams params;
        params.k = k;
        params.distinct = distinct;
        cases.add_job(
            prefix("topk", type, n) + "/k=" + std::to_string(k) + "/" + word_of(values) + (distinct ? "/distinct" : ""),
            sequence(type, n, params), values);
    };
    for (const std::uint64_t n : {100000u, 1000000u, 10000000u})
        for (const std::uint64_t k : std::initializer_list<std::uint64_t>{10, 1000, 65536, n / 2})
            if (k <= n / 2) add(ElementType::I32, n, k, Values::Uniform, false);
    const std::uint64_t n = 10000000;
    for (const std::uint64_t k : std::initializer_list<std::uint64_t>{10, 1000, 65536, n / 2}) {
        for (const Values values : {Values::Ascending, Values::Equal, Values::Few})
            add(ElementType::I32, n, k, values, false);
        for (const Values values : {Values::Uniform, Values::Ascending, Values::Equal, Values::Few})
            add(ElementType::I32, n, k, values, true);
    }
    for (const ElementType type : {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::F64})
        add(type, n, 10, Values::Uniform, false);
    Job rows = sequence(ElementType::F32, 128, TopkParams{10, true, false});
    rows.axis = Axis::Rows;
    rows.rows = 55296;
    cases.add_job("topk/f32/rows=55296/cols=128/k=10/uniform", rows, Values::Uniform);
}

void add_entropy_map(Cases& cases) {
    const struct { std::uint32_t window, levels; } shapes[] = {{5, 16}, {5, 256}, {9, 64}, {31, 256}};
    for (const ElementType type : {ElementType::U8, ElementType::F32})
        for (const auto& shape : shapes) {
            EntropyMapParams params;
            params.window_rows = params.window_cols = shape.window;
            params.levels = shape.levels;
            Job job = sequence(type, 2560, params);
            job.rows = 2560;
            cases.add_job("entropy_map/" + std::string(element_word(type)) + "/2560x2560/window=" +
                              std::to_string(shape.window) + "/levels=" + std::to_string(shape.levels),
                          job, Values::Uniform);
        }
}

}  // namespace

Result<void> run_kernel_cases(const Settings& settings, std::vector<Row>& rows) {
    Cases cases(settings);
    for (const std::uint64_t bytes : {400000ull, 40000000ull, 67108864ull}) cases.add_read(bytes);
    add_reduce(cases);
    add_topk(cases);
    add_entropy_map(cases);
    return cases.run(rows);
}

}  // namespace tegu::bench
