// SPDX-License-Identifier: Apache-2.0
// The measurements. Times of kernels come from events, with inputs that rotate through more than the cache holds; those of additions with their
// transfers come from a clock of the host.
#include "tools/bench/ladder/ladder_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "kernels/cuda/add.h"
#include "kernels/cuda/operation.h"
#include "kernels/cuda/reduce.h"
#include "tools/bench/gpu_timer.h"
#include "tools/bench/ladder/baselines.h"
#include "tools/bench/ladder/ladder.h"

namespace tegu::bench {
namespace {

struct StepInfo {
    LadderStep step;
    const char *word, *title, *change;
};
constexpr StepInfo kSteps[] = {
#define TEGU_X(Name, word, title, change) {LadderStep::Name, word, title, change},
    TEGU_LADDER_STEPS(TEGU_X)
#undef TEGU_X
};

// The same on every machine.
template <class T>
std::vector<T> random_values(std::uint64_t n) {
    std::vector<T> values(n);
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    for (T& value : values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(state >> 32));
        value = std::is_same_v<T, float> ? static_cast<T>(bits) * static_cast<T>(0x1p-31) : static_cast<T>(bits);
    }
    return values;
}

Error wrong(const std::string& name) {
    return make_error(Status::Internal, name + ": not the result of the host");
}

class Ladder {
  public:
    explicit Ladder(const LadderSettings& settings) : settings_(settings), timer_(settings.quick) {
        report_.gpu = timer_.device();
        report_.copy_gigabytes_per_second = timer_.copy_bytes_per_us() / 1e3;
    }

    Result<LadderReport> run() {
        for (const auto part : {&Ladder::sums_of_floats, &Ladder::sums_of_integers, &Ladder::extremes, &Ladder::largest,
                                &Ladder::additions}) {
            Result<void> done = (this->*part)();
            if (!done) return std::move(done).error();
        }
        return std::move(report_);
    }

  private:
    const cuda::Context& context() const { return timer_.context(); }
    template <class T>
    static T* as(void* memory) {
        return static_cast<T*>(memory);
    }

    void begin_table(std::string title) { report_.tables.push_back({std::move(title), {}}); }
    // A row of the table at hand; `over`: how many rows back stands the one that it is compared with, 0 for none.
    void add(const std::string& name, const char* title, const char* change, std::uint64_t n, std::uint64_t bytes,
             const GpuTime& time, std::size_t over) {
        std::vector<LadderRow>& rows = report_.tables.back().rows;
        LadderRow row;
        row.row.name = name;
        row.row.median_ns = 1e3 * time.us;
        row.row.min_ns = 1e3 * time.min_us;
        row.row.noise = time.noise;
        row.row.elements = n;
        row.row.bytes = bytes;
        row.title = title;
        row.change = change;
        row.of_copy = bytes == 0 ? 0 : timer_.copy_us(bytes) / time.us;
        if (over != 0 && over <= rows.size()) row.speedup = rows[rows.size() - over].row.median_ns / row.row.median_ns;
        rows.push_back(std::move(row));
    }

    template <class T>
    T download(const void* from) const {
        T value{};
        require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
        require_cuda(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
        return value;
    }

    // T with the sum S of its partials, R of the host.
    template <class T, class S, class R>
    Result<void> climb(const std::string& stem, const std::vector<T>& values, const Rotation& x, R expected,
                       const std::function<double(std::uint64_t additions)>& bound) {
        const LadderPolicy policy{settings_.threads};
        const std::uint64_t n = values.size();
        for (const StepInfo& info : kSteps) {
            const std::uint64_t blocks = ladder_blocks(info.step, n, policy, context().limits);
            const Rotation partials(blocks * sizeof(S), 0, 1), ticket(sizeof(std::uint32_t), 0, 1);
            require_cuda(cudaMemset(ticket[0], 0, sizeof(std::uint32_t)), "cudaMemset");
            const auto launch = [&](std::size_t turn) {
                require_cuda(launch_ladder(info.step, as<const T>(x[turn]), n, as<S>(partials[0]),
                                           as<std::uint32_t>(ticket[0]), policy, context().limits, context().stream),
                             "the ladder");
            };
            launch(0);
            std::vector<S> left(ladder_partials(info.step, n, policy, context().limits));
            require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
            require_cuda(cudaMemcpy(left.data(), partials[0], left.size() * sizeof(S), cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
            const R found = std::accumulate(left.begin(), left.end(), R{0});
            const double off = std::fabs(static_cast<double>(found - expected));
            if (!(off <= bound(ladder_additions(info.step, n, policy, context().limits))))
                return wrong(stem + info.word);
            add(stem + info.word, info.title, info.change, n, n * sizeof(T) + left.size() * sizeof(S),
                timer_.time(launch), 1);
        }
        return {};
    }

    Result<void> sums_of_floats() {
        const std::uint64_t n =
            settings_.quick ? std::min<std::uint64_t>(settings_.elements, 1 << 20) : settings_.elements;
        begin_table("Sum of " + std::to_string(n) + " f32, blocks of " + std::to_string(settings_.threads));
        const std::vector<float> values = random_values<float>(n);
        double exact = 0, sizes = 0;
        for (const float value : values)
            exact += static_cast<double>(value), sizes += std::fabs(static_cast<double>(value));
        Rotation x(4 * n, context().limits.l2_bytes);
        x.fill(values.data(), 4 * n);
        const std::string stem = "sum/f32/n=" + std::to_string(n) + "/";
        Result<void> done = climb<float, float, double>(stem, values, x, exact, [&](std::uint64_t additions) {
            const double units = static_cast<double>(additions) * 0x1p-24;
            return (units / (1 - units) + static_cast<double>(n) * 0x1p-52) * sizes;
        });
        if (done)
            time_own_reduce(stem, ElementType::F32, cuda::ReduceKind::Sum, {Statistic::Sum}, n, x,
                            "canonical tree: the same bits everywhere");
        return done;
    }
    Result<void> sums_of_integers() {
        const std::uint64_t n = report_.tables.front().rows.front().row.elements;
        begin_table("Sum of " + std::to_string(n) + " i32, blocks of " + std::to_string(settings_.threads));
        const std::vector<std::int32_t> values = random_values<std::int32_t>(n);
        const auto exact = std::accumulate(values.begin(), values.end(), std::int64_t{0});
        Rotation x(4 * n, context().limits.l2_bytes);
        x.fill(values.data(), 4 * n);
        const std::string stem = "sum/i32/n=" + std::to_string(n) + "/";
        Result<void> done =
            climb<std::int32_t, std::int64_t, std::int64_t>(stem, values, x, exact, [](std::uint64_t) { return 0.0; });
        if (done)
            time_own_reduce(stem, ElementType::I32, cuda::ReduceKind::Sum, {Statistic::Sum}, n, x,
                            "two launches: sums, then statistics");
        return done;
    }

    // The launches of a reduce job over x [n].
    void time_own_reduce(const std::string& stem, ElementType type, cuda::ReduceKind kind,
                         std::initializer_list<Statistic> statistics, std::uint64_t n, const Rotation& x,
                         const char* change) {
        const cuda::ReduceShape shape = cuda::choose_reduce_shape(cuda::reduce_workload(type, kind, 1, n),
                                                                  context().policies.reduce, context().limits);
        const Rotation partials(shape.groups * cuda::kReducePartialBytes, 0, 1),
            columns(16 * cuda::kReduceColumns, 0, 1), rest(cuda::kReducePartialBytes + 16, 0, 1);
        require_cuda(cudaMemset(rest[0], 0, cuda::kReducePartialBytes + 16), "cudaMemset");
        char* const tail = as<char>(rest[0]) + cuda::kReducePartialBytes;
        const cuda::ReduceWork work{partials[0], reinterpret_cast<std::uint32_t*>(tail), rest[0],
                                    reinterpret_cast<std::uint64_t*>(tail + 8)};
        cuda::ReduceTarget target{};
        target.n = n;
        for (const Statistic statistic : statistics)
            target.column[static_cast<unsigned>(statistic)] =
                as<char>(columns[0]) + 16 * static_cast<unsigned>(statistic);
        const GpuTime time = timer_.time([&](std::size_t turn) {
            require_cuda(cuda::launch_reduce(type, kind, {x[turn], n, n, n, n}, target, work, shape,
                                             {0, 1, 0, shape.groups}, context().stream),
                         "reduce");
            if (is_float(type)) return;
            require_cuda(cuda::launch_reduce_finish(type, target, work, 0, 1, context().stream), "reduce");
        });
        add(stem + "tegu", "tegu's reduce", change, n, n * element_bytes(type), time, 1);
    }

    Result<void> extremes() {
        const std::uint64_t n = listed_elements();
        begin_table("Minimum and maximum of " + std::to_string(n) + " i32");
        const std::vector<std::int32_t> values = random_values<std::int32_t>(n);
        const auto expected = std::minmax_element(values.begin(), values.end());
        Rotation x(4 * n, context().limits.l2_bytes);
        x.fill(values.data(), 4 * n);
        const std::uint32_t none[] = {extreme_key(INT32_MAX), extreme_key(INT32_MIN)};
        Rotation keys(sizeof none, 0, 1);
        keys.fill(none, sizeof none);
        const BaselinePolicy policy{256, resident_blocks(256)};
        const std::string stem = "extremes/i32/n=" + std::to_string(n) + "/";
        const auto launch = [&](std::size_t turn) {
            require_cuda(launch_plain_extremes(as<const std::int32_t>(x[turn]), n, as<std::uint32_t>(keys[0]), policy,
                                               context().stream),
                         "extremes");
        };
        launch(0);
        const auto found = download<std::array<std::uint32_t, 2>>(keys[0]);
        if (extreme_value(found[0]) != *expected.first || extreme_value(found[1]) != *expected.second)
            return wrong(stem + "atomics");
        add(stem + "atomics", "tree and atomics", "grid stride, 256 threads, one load at a time", n, 4 * n,
            timer_.time(launch), 0);
        time_own_reduce(stem, ElementType::I32, cuda::ReduceKind::Order, {Statistic::Min, Statistic::Max}, n, x,
                        "with the statistics beside them");
        return {};
    }

    Result<void> largest() {
        const std::uint64_t n = listed_elements();
        begin_table("The k largest distinct values of " + std::to_string(n) + " i32");
        const std::vector<std::int32_t> values = random_values<std::int32_t>(n);
        Rotation x(4 * n, context().limits.l2_bytes);
        x.fill(values.data(), 4 * n);
        for (const unsigned k : {10u, 48u}) {
            Result<void> done = largest(k, values, x);
            if (!done) return done;
        }
        return {};
    }
    Result<void> largest(unsigned k, const std::vector<std::int32_t>& values, const Rotation& x) {
        const std::uint64_t n = values.size();
        std::vector<std::int32_t> expected(values);
        std::sort(expected.begin(), expected.end(), std::greater<>());
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        expected.resize(k, INT32_MIN);
        const std::string stem = "topk/i32/n=" + std::to_string(n) + "/k=" + std::to_string(k) + "/";
        std::size_t lists_timed = 0;
        for (const unsigned threads : {256u, 128u, 64u, 32u}) {
            const BaselinePolicy policy{threads, resident_blocks(threads)};
            const Rotation out(4 * k, 0, 1), lists(4 * std::uint64_t{policy.blocks} * k, 0, 1);
            const auto launch = [&](std::size_t turn) {
                require_cuda(launch_list_topk(k, as<const std::int32_t>(x[turn]), n, as<std::int32_t>(out[0]),
                                              as<std::int32_t>(lists[0]), policy, context().stream),
                             "top-k by lists");
            };
            launch(0);
            std::vector<std::int32_t> found(k);
            require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
            require_cuda(cudaMemcpy(found.data(), out[0], 4 * k, cudaMemcpyDeviceToHost), "cudaMemcpy");
            if (found != expected) return wrong(stem + "lists/threads=" + std::to_string(threads));
            const std::string title =
                "k = " + std::to_string(k) + ": a list in every thread, blocks of " + std::to_string(threads);
            add(stem + "lists/threads=" + std::to_string(threads), title.c_str(),
                threads == 256 ? "merged in shared memory, then by one block" : "a smaller block", n, 4 * n,
                timer_.time(launch), lists_timed == 0 ? 0 : 1);
            ++lists_timed;
        }
        return time_own_topk(stem, k, x, expected, lists_timed);
    }
    // The whole job, with what the host does between its launches.
    Result<void> time_own_topk(const std::string& stem, unsigned k, const Rotation& x,
                               const std::vector<std::int32_t>& expected, std::size_t over) {
        const std::uint64_t n = listed_elements();
        const Job job{ElementType::I32, Axis::Whole, 1, n, TopkParams{k, true, true}};
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) return plan.error();
        std::vector<std::unique_ptr<Rotation>> memory;
        std::vector<kernels::OutputView> outputs;
        for (const ArraySpec& spec : plan->outputs) {
            memory.push_back(std::make_unique<Rotation>(array_bytes(spec), 0, 1));
            outputs.push_back({as<std::byte>((*memory.back())[0])});
        }
        std::optional<Error> error;
        const auto run = [&](std::size_t turn) {
            const kernels::InputView input{as<const std::byte>(x[turn]), n};
            Result<kernels::RunReport> done = cuda::run_job(job, {&input, 1}, outputs, context(), kernels::StopToken());
            if (!done) error = done.error();
        };
        run(0);
        if (error) return *error;
        std::vector<std::int32_t> found(k);
        require_cuda(cudaMemcpy(found.data(), outputs[0].data, 4 * k, cudaMemcpyDeviceToHost), "cudaMemcpy");
        if (found != expected) return wrong(stem + "tegu");
        const GpuTime time = timer_.time(run);
        if (error) return *error;
        const std::string title = "k = " + std::to_string(k) + ": tegu's topk";
        add(stem + "tegu", title.c_str(), "the whole job, with the indices; compared with blocks of 256", n, 4 * n,
            time, over);
        return {};
    }

    Result<void> additions() {
        const std::uint64_t side = settings_.quick ? 512 : 4096, n = side * side, bytes = 4 * n;
        begin_table("Sum of two f32 matrices, " + std::to_string(side) + " x " + std::to_string(side));
        const std::vector<float> a = random_values<float>(n), b(a.rbegin(), a.rend());
        Rotation x(bytes, context().limits.l2_bytes), y(bytes, context().limits.l2_bytes),
            z(bytes, context().limits.l2_bytes);
        x.fill(a.data(), bytes);
        y.fill(b.data(), bytes);
        const std::string stem = "add/f32/" + std::to_string(side) + "x" + std::to_string(side) + "/";
        const BaselinePolicy policy{1024, 1};
        const auto plain = [&](std::size_t turn) {
            require_cuda(launch_plain_add(as<const float>(x[turn]), as<const float>(y[turn]), as<float>(z[turn]), n,
                                          policy, context().stream),
                         "add");
        };
        const auto own = [&](std::size_t turn) {
            require_cuda(cuda::launch_add(ElementType::F32, {x[turn], y[turn], z[turn], 1, n, n, n, nullptr},
                                          context().policies.add, context().limits, context().stream),
                         "add");
        };
        for (const auto& launch : {std::function<void(std::size_t)>(plain), std::function<void(std::size_t)>(own)}) {
            launch(0);
            std::vector<float> found(n);
            require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
            require_cuda(cudaMemcpy(found.data(), z[0], bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
            require_cuda(cudaMemset(z[0], 0, bytes), "cudaMemset");
            for (std::uint64_t i = 0; i < n; ++i)
                if (found[i] != a[i] + b[i]) return wrong(stem + "kernel");
        }
        add(stem + "kernel", "one thread an element", "the kernel alone, data on the device", n, 3 * bytes,
            timer_.time(plain), 0);
        add(stem + "tegu", "tegu's add", "packs of 16 bytes, data on the device", n, 3 * bytes, timer_.time(own), 1);
        add(stem + "explicit", "with explicit copies", "both inputs to the device, the kernel, the result back", n, 0,
            explicit_copies(a, b, policy), 0);
        add(stem + "managed", "in managed memory", "pages move as they are touched; the host reads the result", n, 0,
            managed_memory(a, b, policy), 1);
        return {};
    }

    GpuTime explicit_copies(const std::vector<float>& a, const std::vector<float>& b, const BaselinePolicy& policy) {
        const std::uint64_t n = a.size(), bytes = 4 * n;
        const Rotation x(bytes, 0, 1), y(bytes, 0, 1), z(bytes, 0, 1);
        std::vector<float> result(n);
        return host_time(
            [] {},
            [&] {
                require_cuda(cudaMemcpyAsync(x[0], a.data(), bytes, cudaMemcpyHostToDevice, context().stream),
                             "cudaMemcpyAsync");
                require_cuda(cudaMemcpyAsync(y[0], b.data(), bytes, cudaMemcpyHostToDevice, context().stream),
                             "cudaMemcpyAsync");
                require_cuda(launch_plain_add(as<const float>(x[0]), as<const float>(y[0]), as<float>(z[0]), n, policy,
                                              context().stream),
                             "add");
                require_cuda(cudaMemcpyAsync(result.data(), z[0], bytes, cudaMemcpyDeviceToHost, context().stream),
                             "cudaMemcpyAsync");
                require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
            });
    }
    GpuTime managed_memory(const std::vector<float>& a, const std::vector<float>& b, const BaselinePolicy& policy) {
        const std::uint64_t n = a.size(), bytes = 4 * n;
        float* arrays[3] = {};
        for (float*& array : arrays) {
            void* memory = nullptr;
            require_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
            array = as<float>(memory);
        }
        std::vector<float> result(n);
        const GpuTime time = host_time(
            [&] {  // the host has the pages
                std::memcpy(arrays[0], a.data(), bytes);
                std::memcpy(arrays[1], b.data(), bytes);
            },
            [&] {
                require_cuda(launch_plain_add(arrays[0], arrays[1], arrays[2], n, policy, context().stream), "add");
                require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
                std::memcpy(result.data(), arrays[2], bytes);
            });
        for (float* array : arrays) cudaFree(array);
        return time;
    }
    // By the clock of the host; `prepare` is not counted.
    GpuTime host_time(const std::function<void()>& prepare, const std::function<void()>& work) const {
        using Clock = std::chrono::steady_clock;
        std::vector<double> runs;
        for (int i = 0; i < (settings_.quick ? 3 : 10); ++i) {
            prepare();
            const Clock::time_point begin = Clock::now();
            work();
            if (i > 0) runs.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
        }
        Row row;
        set_times(row, runs);
        return {row.median_ns, row.noise, row.min_ns};
    }

    std::uint64_t listed_elements() const { return settings_.quick ? 100000 : 10000000; }
    // As many as the device holds at once by threads alone.
    unsigned resident_blocks(unsigned threads) const {
        return context().limits.multiprocessors * (context().limits.threads_per_multiprocessor / threads);
    }

    const LadderSettings settings_;
    GpuTimer timer_;
    LadderReport report_;
};

}  // namespace

Result<LadderReport> run_ladder(const LadderSettings& settings) {
    const std::string why_not = no_gpu_reason();
    if (!why_not.empty()) return make_error(Status::Unavailable, "no GPU: " + why_not);
    return Ladder(settings).run();
}

}  // namespace tegu::bench
