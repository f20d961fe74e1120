// SPDX-License-Identifier: Apache-2.0
// topk: whole arrays of every size and kind of values, and rows. Peers are a kernel that only reads and, if
// the toolkit has them, CUB's top-k (unsorted) and its sort.
//
// "job" is the time of a whole job, with the host's part; "kernels" is that of the launches alone.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "kernels/operation_cuda.h"
#include "kernels/selection/cuda/run.h"
#include "kernels/topk/cuda/topk.h"
#include "tools/bench/gpu/select_bench.h"
#include "tools/bench/gpu/topk_peers.h"

namespace tegu::bench {
namespace {

constexpr std::size_t kBoards = 64;  // more than the repetitions of a measurement

class TopkBench : public SelectBench {
  public:
    using SelectBench::SelectBench;

    // Compares the results, then times the job and, where a cut finds them, the launches.
    void topk(const std::string& stem, std::uint64_t k, bool distinct) {
        const Job job = job_of(TopkParams{k, true, distinct});
        const std::string name = stem + "/k" + std::to_string(k) + (distinct ? "/distinct" : "");
        if (!bench_.wants(name)) return;
        verify_and_time(name, job);
        if (rows_ == 1 && !distinct) time_launches(name, k);
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
};

void bench_whole(GpuBench& bench, ElementType type, const char* size, std::uint64_t n, Values values,
                 std::initializer_list<std::uint64_t> counts) {
    const std::string stem = std::string(element_word(type)) + "/" + size + "/" + word_of(values);
    if (!bench.wants("topk/" + stem)) return;
    TopkBench cases(bench, type, values, 1, n);
    for (const std::uint64_t k : counts) cases.topk("topk/" + stem, k, false);
    if (values == Values::Uniform || values == Values::Few) cases.topk("topk/" + stem, 10, true);
    if (type == ElementType::I32 && values == Values::Uniform) cases.sort("topk/" + stem);
}

void bench_rows(GpuBench& bench, std::uint64_t rows, std::uint64_t cols, std::uint64_t k) {
    const std::string stem = "f32/" + std::to_string(rows) + "x" + std::to_string(cols);
    if (!bench.wants("topk/" + stem)) return;
    TopkBench cases(bench, ElementType::F32, Values::Uniform, rows, cols);
    cases.topk("topk/" + stem, k, false);
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
