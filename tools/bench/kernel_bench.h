// SPDX-License-Identifier: Apache-2.0
// Runs jobs in this process and measures them. Google Benchmark chooses the number of runs and repeats each
// case; its runs become rows. Each size of data has a case "floor/bytes=N" beside the first job that moves as
// much: reading N bytes once.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"
#include "tools/bench/bench_input.h"
#include "tools/bench/cases.h"

namespace tegu::bench {

class KernelBench {
  public:
    explicit KernelBench(const Settings& settings);

    // Adds a case for one thread, and one for the threads of the settings, if they match the filter. Jobs of
    // two inputs get two different arrays.
    void add_job(const std::string& name, const Job& job, Values values = Values::Uniform);

    // Runs the added cases in their order. The first error ends it.
    Result<void> run(std::vector<Row>& rows);

  private:
    // A job with its inputs and room for its results. One at a time is held.
    struct Prepared {
        std::size_t index = 0;
        kernels::JobPlan plan;
        std::vector<kernels::InputView> inputs;
        std::vector<std::vector<std::byte>> arrays;
        std::vector<kernels::OutputView> outputs;
    };
    struct Case {
        std::string name, policy;
        unsigned threads = 1;
        std::uint64_t elements = 0, bytes = 0;
        std::vector<double> runs_ns, cpu_us;  // of each repetition; processor time is that of all threads
    };
    class Reporter;

    void add(Case one, const std::function<void(std::size_t, benchmark::State&)>& body);
    void add_floor(std::uint64_t bytes, unsigned threads, bool wanted);
    void run_job(std::size_t index, const Job& job, Values values, benchmark::State& state);
    void run_floor(std::uint64_t bytes, unsigned threads, benchmark::State& state);
    Result<Prepared*> prepare(std::size_t index, const Job& job, Values values);
    Row row_of(const Case& one) const;
    // Time to read as many bytes once by as many threads in this run, from the case of the nearest size; 0:
    // there is none.
    double floor_ns(const Case& one) const;

    const Settings& settings_;
    kernels::ThreadPool pool_;
    InputStore inputs_;
    std::vector<unsigned> thread_axis_;
    std::vector<Case> cases_;
    std::map<std::string, std::size_t> index_of_;
    std::set<std::string> floors_;
    std::optional<Prepared> prepared_;
    std::optional<Error> error_;
};

}  // namespace tegu::bench
