// SPDX-License-Identifier: Apache-2.0
// topk and quantile: whole arrays of every size and kind of values, and rows. Peers are a kernel that only
// reads and, if the toolkit has them, CUB's top-k (unsorted) and its sort. Each case is first compared with
// the CPU backend.
//
// "job" is the time of a whole job, with the host's part; "kernels" is that of the launches alone.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "base/random.h"
#include "kernels/operation_cuda.h"
#include "kernels/selection/cuda/run.h"
#include "kernels/topk/cuda/topk.h"
#include "tools/bench/gpu/gpu_bench.h"
#include "tools/bench/gpu/reduce_peers.h"
#include "tools/bench/gpu/topk_peers.h"

namespace tegu::bench {
namespace {

constexpr std::size_t kBoards = 64;  // more than the repetitions of a measurement

enum class Values { Uniform, Sorted, Few, Equal };

const char* word_of(Values values) {
    switch (values) {
        case Values::Uniform: return "uniform";
        case Values::Sorted: return "sorted";
        case Values::Few: return "few";
        case Values::Equal: return "equal";
    }
    return "?";
}

// Elements of four bytes.
std::vector<std::byte> make_values(ElementType type, Values values, std::uint64_t n) {
    std::vector<std::byte> bytes(n * 4);
    LinearRandom next(0x9e3779b97f4a7c15u);
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto random = static_cast<std::uint32_t>(next() >> 32);
        std::uint32_t bits = values == Values::Uniform  ? random
                             : values == Values::Sorted ? static_cast<std::uint32_t>(i)
                             : values == Values::Few    ? random % 5
                                                        : 7;
        if (type == ElementType::F32) {
            const float value = values == Values::Uniform ? static_cast<float>(bits >> 8) * 0x1p-24f
                                                          : static_cast<float>(bits);
            std::memcpy(&bits, &value, sizeof bits);
        }
        std::memcpy(bytes.data() + 4 * i, &bits, sizeof bits);
    }
    return bytes;
}

class SelectBench {
  public:
    SelectBench(GpuBench& bench, ElementType type, Values values, std::uint64_t rows, std::uint64_t cols)
        : bench_(bench),
          type_(type),
          rows_(rows),
          cols_(cols),
          content_(make_values(type, values, rows * cols)),
          inputs_(content_.size(), bench.context().limits.l2_bytes) {
        inputs_.fill(content_.data(), content_.size());
        const Rotation out(8, 0, 1);
        read_ = bench.time([&](std::size_t turn) {
            require_cuda(read_all(inputs_[turn], content_.size() / 16 * 16, static_cast<unsigned*>(out[0]),
                                  bench_.context().limits.multiprocessors, bench_.context().stream),
                         "read");
        });
    }

    // Compares the results, then times the job and, where a cut finds them, the launches.
    void topk(const std::string& stem, std::uint64_t k, bool distinct) {
        const Job job = job_of(TopkParams{k, true, distinct});
        const std::string name = stem + "/k" + std::to_string(k) + (distinct ? "/distinct" : "");
        if (!bench_.wants(name)) return;
        verify_and_time(name, job);
        if (rows_ == 1 && !distinct) time_launches(name, k);
    }
    void quantile(const std::string& stem, std::vector<double> q) {
        QuantileParams params;
        params.q = std::move(q);
        params.skip_nans = true;
        const std::string name = stem + "/q" + std::to_string(params.q.size());
        if (bench_.wants(name)) verify_and_time(name, job_of(params));
    }
    // CUB's sort of all, with the indices.
    void sort(const std::string& stem) {
        const auto n = static_cast<std::uint32_t>(rows_ * cols_);
        const std::size_t bytes = cub_sort_bytes(n);
        if (bytes == 0 || !bench_.wants(stem + "/cub_sort")) return;
        const Rotation space(bytes, 0, 1), order(n * 4ull, 0, 1), values(n * 4ull, 0, 1),
            indices(n * 4ull, 0, 1);
        std::vector<std::uint32_t> numbers(n);
        std::iota(numbers.begin(), numbers.end(), 0u);
        require_cuda(cudaMemcpy(order[0], numbers.data(), n * 4ull, cudaMemcpyHostToDevice), "cudaMemcpy");
        const GpuTime time = bench_.time([&](std::size_t turn) {
            require_cuda(cub_sort(space[0], bytes, static_cast<const std::int32_t*>(inputs_[turn]),
                                  static_cast<const std::uint32_t*>(order[0]), n,
                                  static_cast<std::int32_t*>(values[0]),
                                  static_cast<std::uint32_t*>(indices[0]), bench_.context().stream),
                         "CUB's sort");
        });
        bench_.report(stem + "/cub_sort", n, content_.size(), time, "read", read_);
    }

  private:
    Job job_of(JobParams params) const {
        return Job{type_, rows_ == 1 ? Axis::Whole : Axis::Rows, rows_, cols_, std::move(params)};
    }

    void verify_and_time(const std::string& name, const Job& job) {
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) std::fprintf(stderr, "%s: %s\n", name.c_str(), plan.error().message.c_str()), std::exit(1);
        std::vector<std::vector<std::byte>> cpu;
        std::vector<Rotation*> memory;
        std::vector<kernels::OutputView> cpu_views, gpu_views;
        for (const ArraySpec& spec : plan->outputs) {
            cpu.emplace_back(array_bytes(spec) + 8);
            cpu_views.push_back({cpu.back().data()});
            memory.push_back(new Rotation(array_bytes(spec), 0, 1));
            gpu_views.push_back({static_cast<std::byte*>((*memory.back())[0])});
        }
        const kernels::InputView host{content_.data(), cols_};
        const auto on_cpu = kernels::run_job(job, {&host, 1}, cpu_views, nullptr, kernels::StopToken());
        const auto run = [&](std::size_t turn) {
            const kernels::InputView device{static_cast<const std::byte*>(inputs_[turn]), cols_};
            auto done = cuda::run_job({job, plan->parts, {&device, 1}, gpu_views, kernels::StopToken()},
                                      bench_.context());
            if (!done)
                std::fprintf(stderr, "%s: %s\n", name.c_str(), done.error().message.c_str()), std::exit(1);
            return std::move(*done);
        };
        const kernels::RunReport report = run(0);
        if (!on_cpu || on_cpu->filled_columns != report.filled_columns) fail(name, "the numbers of results");
        for (std::size_t i = 0; i < cpu.size(); ++i) {
            const ArraySpec& spec = plan->outputs[i];
            const std::uint64_t bytes =
                spec.rows == 1 ? report.filled_columns[i] * element_bytes(spec.type) : array_bytes(spec);
            std::vector<std::byte> result(bytes);
            require_cuda(cudaMemcpy(result.data(), gpu_views[i].data, bytes, cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
            if (std::memcmp(result.data(), cpu[i].data(), bytes) != 0) fail(name, array_role_word(spec.role));
        }
        const GpuTime time = bench_.time([&](std::size_t turn) { run(turn); });
        const std::string cut(report.policy.find("cut"));
        const std::string method = std::string(report.policy.find("method")) + (cut.empty() ? "" : " " + cut);
        bench_.report(name + " job (" + method + ")", rows_ * cols_, content_.size(), time, "read", read_);
        for (Rotation* piece : memory) delete piece;
    }

    // The launches of the method with a cut, as run_topk makes them.
    void time_launches(const std::string& name, std::uint64_t k) {
        const cuda::Context& context = bench_.context();
        const cuda::SelectionPolicy& policy = context.policies.selection;
        const std::uint64_t n = rows_ * cols_;
        const unsigned block = cuda::block_capacity(4, policy, context.limits);
        if (k > block || n <= policy.block_elements) return;
        const kernels::InputView view{static_cast<const std::byte*>(inputs_[0]), cols_};
        cuda::KeySegments in = cuda::segments_of(job_of(TopkParams{k, true, false}), view, true);
        const cuda::GroupedSample sample = cuda::choose_groups(
            k, n, cuda::filter_threads_of(policy, context.limits), policy, context.limits);
        const std::uint64_t capacity =
            std::min(n, std::max<std::uint64_t>(cuda::max_before(sample, n), 2ull * block));
        const Rotation keys(capacity * 4, 0, 1), indices(capacity * 8, 0, 1),
            state(sizeof(cuda::SelectState), 0, 1), values(k * 4, 0, 1), out_indices(k * 8, 0, 1);
        const cuda::PairLists lists{keys[0], static_cast<std::uint64_t*>(indices[0]), capacity};
        const cuda::SelectionOutput output{values[0], static_cast<std::uint64_t*>(out_indices[0]), nullptr, k,
                                           false};
        auto* const states = static_cast<cuda::SelectState*>(state[0]);
        const cuda::SelectionConfig config = context.config(policy);
        cuda::GroupMinima minima = cuda::minima_of(sample, n);
        const Rotation entries(sample.groups * 4ull, 0, 1), numbers(sample.groups * 4ull, 0, 1);
        const std::uint64_t words = sample.board_words();
        Rotation boards(words * 8 * kBoards, 0, 1);
        const bool samples = cuda::filter_samples(in, sample, config);
        if (!samples) {
            minima.keys = entries[0];
            minima.numbers = static_cast<std::uint32_t*>(numbers[0]);
        }
        const auto time = [&](unsigned steps) {
            boards.zero(words * 8 * kBoards);
            return bench_.time([&](std::size_t turn) {
                in.data = inputs_[turn];
                if (samples) minima.boards = static_cast<std::uint64_t*>(boards[0]) + turn % kBoards * words;
                const cuda::FilteredSegments kept{states, lists, {}, nullptr, minima};
                if (!samples) require_cuda(cuda::launch_group_minima(in, minima, states, config), "sample");
                require_cuda(cuda::launch_filter(in, {0, n}, kept, config), "filter");
                if (steps > 1)
                    require_cuda(cuda::launch_select_survivors(in, kept, output, config), "select");
            });
        };
        const GpuTime filtered = time(1);
        const GpuTime all = time(2);
        cuda::SelectState seen{};
        require_cuda(cudaMemcpy(&seen, states, sizeof seen, cudaMemcpyDeviceToHost), "cudaMemcpy");
        const GpuTime cub = time_cub(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k));
        bench_.report(name + " kernels", n, content_.size(), all, cub.us > 0 ? "CUB, unsorted" : "read",
                      cub.us > 0 ? cub : read_);
        std::printf(
            "    sample and filter %.1f us, survivors' selection %.1f us; %llu survive, the list has room "
            "for "
            "%llu\n",
            filtered.us, all.us - filtered.us, static_cast<unsigned long long>(seen.survivors),
            static_cast<unsigned long long>(capacity));
    }

    GpuTime time_cub(std::uint32_t n, std::uint32_t k) {
        const std::size_t bytes = type_ == ElementType::I32 ? cub_topk_bytes(n, k) : 0;
        if (bytes == 0) return {};
        const Rotation space(bytes, 0, 1), values(k * 4ull, 0, 1), indices(k * 4ull, 0, 1);
        return bench_.time([&](std::size_t turn) {
            require_cuda(cub_topk(space[0], bytes, static_cast<const std::int32_t*>(inputs_[turn]), n, k,
                                  static_cast<std::int32_t*>(values[0]),
                                  static_cast<std::uint32_t*>(indices[0]), bench_.context().stream),
                         "CUB's top-k");
        });
    }

    [[noreturn]] static void fail(const std::string& name, std::string_view what) {
        std::fprintf(stderr, "%s: %s differ from the CPU's\n", name.c_str(), std::string(what).c_str());
        std::exit(1);
    }

    GpuBench& bench_;
    const ElementType type_;
    const std::uint64_t rows_;
    const std::uint64_t cols_;
    const std::vector<std::byte> content_;
    Rotation inputs_;
    GpuTime read_;
};

void bench_whole(GpuBench& bench, ElementType type, const char* size, std::uint64_t n, Values values,
                 std::initializer_list<std::uint64_t> counts) {
    const std::string stem = std::string(element_word(type)) + "/" + size + "/" + word_of(values);
    if (!bench.wants("topk/" + stem) && !bench.wants("quantile/" + stem)) return;
    SelectBench cases(bench, type, values, 1, n);
    for (const std::uint64_t k : counts) cases.topk("topk/" + stem, k, false);
    if (values == Values::Uniform || values == Values::Few) cases.topk("topk/" + stem, 10, true);
    if (type == ElementType::I32 && values == Values::Uniform) cases.sort("topk/" + stem);
    if (type == ElementType::F32) {
        cases.quantile("quantile/" + stem, {0.5});
        if (values == Values::Uniform)
            cases.quantile("quantile/" + stem, {0.5, 0.01, 0.99, 0.25, 0.75, 0.05, 0.95});
    }
}

void bench_rows(GpuBench& bench, std::uint64_t rows, std::uint64_t cols, std::uint64_t k) {
    const std::string stem = "f32/" + std::to_string(rows) + "x" + std::to_string(cols);
    if (!bench.wants("topk/" + stem) && !bench.wants("quantile/" + stem)) return;
    SelectBench cases(bench, ElementType::F32, Values::Uniform, rows, cols);
    cases.topk("topk/" + stem, k, false);
    cases.quantile("quantile/" + stem, {0.5});
}

}  // namespace

void bench_topk(GpuBench& bench) {
    bench_whole(bench, ElementType::I32, "1e5", 100000, Values::Uniform, {10, 1000, 4096, 50000});
    bench_whole(bench, ElementType::I32, "1e6", 1000000, Values::Uniform, {10, 4096, 65536});
    bench_rows(bench, 16384, 128, 8);
    if (bench.quick()) return;
    for (const Values values : {Values::Uniform, Values::Sorted, Values::Few, Values::Equal})
        bench_whole(bench, ElementType::I32, "1e7", 10000000, values, {10, 1000, 4096, 65536});
    bench_whole(bench, ElementType::I32, "1e7/half", 10000000, Values::Uniform, {5000000});
    bench_whole(bench, ElementType::F32, "1e7", 10000000, Values::Uniform, {10, 4096});
    bench_whole(bench, ElementType::F32, "1e7", 10000000, Values::Few, {10});
    bench_whole(bench, ElementType::I32, "1e8", 100000000, Values::Uniform, {10, 1000, 4096, 65536});
    bench_rows(bench, 4096, 4096, 64);
    bench_rows(bench, 256, 131072, 2048);
    bench_rows(bench, 100000, 1000, 10);
}

}  // namespace tegu::bench
