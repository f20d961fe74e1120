// SPDX-License-Identifier: Apache-2.0
// reduce and dot: whole arrays of every size beside CUB's sum and a kernel that only reads, and rows of every
// length. Each case first runs as a job, and its results are compared with those of the CPU backend.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "kernels/dot/cuda/dot.h"
#include "kernels/operation_cuda.h"
#include "kernels/statistics/cuda/reduce.h"
#include "tools/bench/gpu/gpu_bench.h"
#include "tools/bench/gpu/reduce_peers.h"

namespace tegu::bench {
namespace {

constexpr std::uint64_t kPattern = 1 << 24;  // bytes; repeated

struct ReduceSet {
    const char* word;
    cuda::ReduceKind kind;
    StatisticSet statistics;
};
constexpr StatisticSet kMinmaxSet = statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max) |
                                    statistic_bit(Statistic::Argmin) | statistic_bit(Statistic::Argmax);
const ReduceSet kSum{"sum", cuda::ReduceKind::Sum, statistic_bit(Statistic::Sum)};
const ReduceSet kMinmax{"minmax", cuda::ReduceKind::Order, kMinmaxSet};
const ReduceSet kVar{"var", cuda::ReduceKind::Moments,
                     statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Var)};
const ReduceSet kAll{"all", cuda::ReduceKind::All, kAllStatistics};

std::vector<std::byte> pattern_of(ElementType type) {
    std::vector<std::byte> bytes(kPattern);
    std::uint32_t state = 1;
    const auto next = [&] { return state = state * 1664525u + 1013904223u; };
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
        std::byte* const at = bytes.data() + i;
        if (type == ElementType::F32) {
            for (const std::size_t half : {std::size_t{0}, std::size_t{4}}) {
                const float value = static_cast<float>(next() >> 8) * 0x1p-23f - 1.0f;
                std::memcpy(at + half, &value, sizeof value);
            }
        } else if (type == ElementType::F64) {
            const double value = static_cast<double>(next()) * 0x1p-31 - 1.0;
            std::memcpy(at, &value, sizeof value);
        } else {
            const std::uint32_t low = next(), high = next();
            const std::uint64_t word = std::uint64_t{high} << 32 | low;
            // f16: exponents up to 2^0; others: every bit
            const std::uint64_t kept =
                type == ElementType::F16 ? (word & 0xbbffbbffbbffbbffu) : word >> 8 & 0x00ffffff00ffffffu;
            const std::uint64_t stored = element_bytes(type) >= 4   ? kept
                                         : type == ElementType::F16 ? kept
                                                                    : word;
            std::memcpy(at, &stored, sizeof stored);
        }
    }
    return bytes;
}

// One piece of device memory with the pattern, larger than the cache, through which the turns walk.
class Field {
  public:
    Field(ElementType type, std::uint64_t bytes, std::uint64_t l2_bytes)
        : pattern_(pattern_of(type)),
          piece_((bytes + 4095) / 4096 * 4096),
          size_(std::max<std::uint64_t>(2 * piece_, 4 * l2_bytes + piece_) + kPattern),
          memory_(size_, 0, 1) {
        for (std::uint64_t at = 0; at < size_; at += kPattern)
            require_cuda(cudaMemcpy(base() + at, pattern_.data(), std::min(kPattern, size_ - at),
                                    cudaMemcpyHostToDevice),
                         "cudaMemcpy");
        pieces_ = size_ / piece_;
    }
    const std::byte* at(std::size_t turn) const { return base() + turn % pieces_ * piece_; }
    // The bytes at at(0).
    std::vector<std::byte> content(std::uint64_t bytes) const {
        std::vector<std::byte> all(bytes);
        for (std::uint64_t at = 0; at < bytes; at += kPattern)
            std::memcpy(all.data() + at, pattern_.data(), std::min(kPattern, bytes - at));
        return all;
    }

  private:
    std::byte* base() const { return static_cast<std::byte*>(memory_[0]); }

    std::vector<std::byte> pattern_;
    std::uint64_t piece_;
    std::uint64_t size_;
    Rotation memory_;
    std::uint64_t pieces_ = 1;
};

// The job on both backends; all its inputs are the same array. Ends the program if they differ.
void verify(const GpuBench& bench, const std::string& name, const Job& job, const Field& field,
            std::uint64_t bytes) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) std::fprintf(stderr, "%s: %s\n", name.c_str(), plan.error().message.c_str()), std::exit(1);
    const std::vector<std::byte> content = field.content(bytes);
    std::vector<std::vector<std::byte>> cpu;
    std::vector<kernels::OutputView> cpu_views, gpu_views;
    std::uint64_t total = 0;
    for (const ArraySpec& spec : plan->outputs) {
        cpu.emplace_back(array_bytes(spec) + 8);
        cpu_views.push_back({cpu.back().data()});
        total += (array_bytes(spec) + 255) / 256 * 256;
    }
    const Rotation outputs(total, 0, 1);
    std::byte* next = static_cast<std::byte*>(outputs[0]);
    for (const ArraySpec& spec : plan->outputs) {
        gpu_views.push_back({next});
        next += (array_bytes(spec) + 255) / 256 * 256;
    }
    const std::size_t inputs = operation_of(job) == Operation::Dot ? 2 : 1;
    const kernels::InputView host[] = {{content.data(), job.cols}, {content.data(), job.cols}};
    const kernels::InputView device[] = {{field.at(0), job.cols}, {field.at(0), job.cols}};
    const auto on_cpu = kernels::run_job(job, {host, inputs}, cpu_views, nullptr, kernels::StopToken());
    const auto on_gpu =
        cuda::run_job({job, plan->parts, {device, inputs}, gpu_views, kernels::StopToken()}, bench.context());
    if (!on_cpu || !on_gpu) {
        const std::string cpu_said = on_cpu ? "" : on_cpu.error().message,
                          gpu_said = on_gpu ? "" : on_gpu.error().message;
        if (cpu_said == gpu_said) return;
        std::fprintf(stderr, "%s: CPU '%s', GPU '%s'\n", name.c_str(), cpu_said.c_str(), gpu_said.c_str()),
            std::exit(1);
    }
    for (std::size_t i = 0; i < cpu.size(); ++i) {
        std::vector<std::byte> result(array_bytes(plan->outputs[i]));
        require_cuda(cudaMemcpy(result.data(), gpu_views[i].data, result.size(), cudaMemcpyDeviceToHost),
                     "cudaMemcpy");
        if (std::memcmp(result.data(), cpu[i].data(), result.size()) == 0) continue;
        std::fprintf(stderr, "%s: %s differs from the CPU's\n", name.c_str(),
                     std::string(array_role_word(plan->outputs[i].role)).c_str());
        std::exit(1);
    }
}

std::vector<cuda::ReducePolicy> policies_of(const GpuBench& bench) {
    std::vector<cuda::ReducePolicy> policies{bench.context().policies.reduce};
    if (!bench.sweep()) return policies;
    policies.clear();
    for (const unsigned threads : {64u, 128u, 256u, 512u})
        for (const unsigned tiles : {1u, 2u, 4u, 8u, 16u})
            policies.push_back({threads, tiles, 4, std::uint64_t{1} << 40});
    return policies;
}

struct ReduceCase {
    std::string name;
    ElementType type;
    const ReduceSet& set;
    std::uint64_t sequences;
    std::uint64_t n;
};

// The kernels of a job, as run_reduce launches them.
class Launches {
  public:
    Launches(const ReduceCase& with, const GpuBench& bench, const cuda::ReducePolicy& policy)
        : with_(with),
          stream_(bench.context().stream),
          shape_(cuda::choose_reduce_shape(
              cuda::reduce_workload(with.type, with.set.kind, with.sequences, with.n), policy,
              bench.context().limits)),
          columns_(with.sequences * 16 * cuda::kReduceColumns + 256, 0, 1),
          partials_(with.sequences * shape_.closing.partials * cuda::kReducePartialBytes, 0, 1),
          tickets_(with.sequences * shape_.closing.tickets * 4, 0, 1),
          totals_(with.sequences * cuda::kReducePartialBytes, 0, 1) {
        require_cuda(cudaMemset(tickets_[0], 0, with.sequences * shape_.closing.tickets * 4), "cudaMemset");
        require_cuda(
            cudaMemset(partials_[0], 0, with.sequences * shape_.closing.partials * cuda::kReducePartialBytes),
            "cudaMemset");
        for (unsigned c = 0; c < cuda::kReduceColumns; ++c)
            target_.column[c] = (with.set.statistics >> c & 1u) != 0
                                    ? static_cast<char*>(columns_[0]) + c * 16 * with.sequences
                                    : nullptr;
        target_.n = with.n;
        work_ =
            cuda::ReduceWork{partials_[0], static_cast<std::uint32_t*>(tickets_[0]), totals_[0],
                             reinterpret_cast<std::uint64_t*>(static_cast<char*>(columns_[0]) +
                                                              cuda::kReduceColumns * 16 * with.sequences)};
    }
    void run(const void* data) {
        const cuda::Segments input{data, with_.sequences, with_.n, with_.n, with_.n, with_.n};
        const cuda::ReduceRange range{0, with_.sequences, 0, shape_.groups};
        require_cuda(
            cuda::launch_reduce({with_.type, with_.set.kind, input, target_, work_, shape_}, range, stream_),
            "reduce");
    }
    std::string shape() const {
        return std::to_string(shape_.threads) + "/" + std::to_string(shape_.tiles_per_warp);
    }

  private:
    const ReduceCase& with_;
    cuda::Stream stream_;
    cuda::ReduceShape shape_;
    Rotation columns_, partials_, tickets_, totals_;
    cuda::ReduceTarget target_{};
    cuda::ReduceWork work_{};
};

void time_case(GpuBench& bench, const ReduceCase& with, const Field& field, const std::string& beside,
               const GpuTime& peer) {
    if (!bench.wants(with.name)) return;
    const std::uint64_t n = with.sequences * with.n, bytes = n * element_bytes(with.type);
    const bool whole = with.sequences == 1;
    verify(bench, with.name,
           Job{with.type, whole ? Axis::Whole : Axis::Rows, with.sequences, with.n,
               ReduceParams{with.set.statistics, false, 0}},
           field, bytes);
    std::vector<std::string> seen;
    for (const cuda::ReducePolicy& policy : policies_of(bench)) {
        Launches launches(with, bench, policy);
        if (std::find(seen.begin(), seen.end(), launches.shape()) != seen.end()) continue;
        seen.push_back(launches.shape());
        const GpuTime time = bench.time([&](std::size_t turn) { launches.run(field.at(turn)); });
        bench.report(with.name + (bench.sweep() ? " " + launches.shape() : ""), n, bytes, time, beside, peer);
    }
}

// CUB's sum of the same bytes; none where there is no CUB.
GpuTime time_cub(GpuBench& bench, ElementType type, const Field& field, std::uint64_t n) {
    const std::size_t bytes = cub_sum_bytes(n);
    if (bytes == 0) return {};
    const Rotation space(bytes, 0, 1), sum(8, 0, 1);
    return bench.time([&](std::size_t turn) {
        if (type == ElementType::F32)
            require_cuda(cub_sum(space[0], bytes, reinterpret_cast<const float*>(field.at(turn)),
                                 static_cast<float*>(sum[0]), n, bench.context().stream),
                         "CUB");
        else
            require_cuda(cub_sum(space[0], bytes, reinterpret_cast<const std::uint8_t*>(field.at(turn)),
                                 static_cast<std::uint64_t*>(sum[0]), n, bench.context().stream),
                         "CUB");
    });
}

void bench_whole(GpuBench& bench, ElementType type, const char* size, std::uint64_t n,
                 std::initializer_list<const ReduceSet*> sets) {
    const std::string stem = "reduce/" + std::string(element_word(type)) + "/" + size;
    if (std::none_of(sets.begin(), sets.end(),
                     [&](const ReduceSet* set) { return bench.wants(stem + "/" + set->word); }))
        return;
    const std::uint64_t bytes = n * element_bytes(type);
    const Field field(type, bytes, bench.context().limits.l2_bytes);
    const Rotation out(8, 0, 1);
    const GpuTime read = bench.time([&](std::size_t turn) {
        require_cuda(read_all(field.at(turn), bytes / 16 * 16, static_cast<unsigned*>(out[0]),
                              bench.context().limits.multiprocessors, bench.context().stream),
                     "read");
    });
    bench.report(stem + "/read", n, bytes, read);
    const bool has_peer = type == ElementType::F32 || type == ElementType::U8;
    const GpuTime cub = has_peer ? time_cub(bench, type, field, n) : GpuTime{};
    for (const ReduceSet* set : sets)
        time_case(bench, {stem + "/" + set->word, type, *set, 1, n}, field, cub.us > 0 ? "CUB's sum" : "",
                  cub);
}

void bench_rows(GpuBench& bench, ElementType type, std::uint64_t rows, std::uint64_t cols) {
    const std::string stem =
        "reduce/" + std::string(element_word(type)) + "/" + std::to_string(rows) + "x" + std::to_string(cols);
    if (!bench.wants(stem + "/sum") && !bench.wants(stem + "/all")) return;
    const Field field(type, rows * cols * element_bytes(type), bench.context().limits.l2_bytes);
    for (const ReduceSet* set : {&kSum, &kAll})
        time_case(bench, {stem + "/" + set->word, type, *set, rows, cols}, field, "", {});
}

// Scalar products of two arrays, beside a kernel that only reads them.
void bench_dot(GpuBench& bench, ElementType type, const char* size, std::uint64_t n) {
    const std::string name = "dot/" + std::string(element_word(type)) + "/" + size;
    if (!bench.wants(name)) return;
    const std::uint64_t bytes = n * element_bytes(type);
    const Field field(type, bytes, bench.context().limits.l2_bytes);
    verify(bench, name, Job{type, Axis::Whole, 1, n, DotParams{}}, field, bytes);
    const cuda::Context& context = bench.context();
    const cuda::ReduceShape shape =
        cuda::choose_reduce_shape(cuda::dot_workload(type, 1, n), context.policies.reduce, context.limits);
    const Rotation partials(shape.closing.partials * cuda::kReducePartialBytes, 0, 1),
        tickets(shape.closing.tickets * 4, 0, 1), out(256, 0, 1);
    require_cuda(cudaMemset(tickets[0], 0, shape.closing.tickets * 4), "cudaMemset");
    require_cuda(cudaMemset(partials[0], 0, shape.closing.partials * cuda::kReducePartialBytes),
                 "cudaMemset");
    const cuda::DotWork work{{partials[0], static_cast<std::uint32_t*>(tickets[0]), nullptr, nullptr},
                             out[0]};
    const GpuTime read = bench.time([&](std::size_t turn) {
        for (const std::size_t side : {2 * turn, 2 * turn + 1})
            require_cuda(read_all(field.at(side), bytes / 16 * 16, static_cast<unsigned*>(out[0]),
                                  context.limits.multiprocessors, context.stream),
                         "read");
    });
    const GpuTime time = bench.time([&](std::size_t turn) {
        const auto input = [&](const void* data) { return cuda::Segments{data, 1, n, n, n, n}; };
        const cuda::DotInputs inputs{input(field.at(2 * turn)), input(field.at(2 * turn + 1)), false};
        require_cuda(cuda::launch_dot({type, inputs, work, shape}, {0, 1, 0, shape.groups}, context.stream),
                     "dot");
    });
    bench.report(name, n, 2 * bytes, time, "reading both", read);
}

}  // namespace

void bench_reduce(GpuBench& bench) {
    bench_dot(bench, ElementType::F32, "1e6", 1000000);
    bench_whole(bench, ElementType::F32, "1e4", 10000, {&kSum, &kMinmax, &kVar, &kAll});
    bench_whole(bench, ElementType::F32, "1e5", 100000, {&kSum, &kAll});
    bench_whole(bench, ElementType::F32, "1e6", 1000000, {&kSum, &kMinmax, &kVar, &kAll});
    bench_whole(bench, ElementType::F32, "1e7", 10000000, {&kSum, &kMinmax, &kVar, &kAll});
    bench_whole(bench, ElementType::U8, "1e6", 1000000, {&kSum, &kAll});
    bench_rows(bench, ElementType::F32, 1000000, 16);
    if (bench.quick()) return;
    bench_whole(bench, ElementType::F32, "2^27", std::uint64_t{1} << 27, {&kSum, &kMinmax, &kVar, &kAll});
    bench_whole(bench, ElementType::F32, "2^29", std::uint64_t{1} << 29, {&kSum, &kMinmax, &kVar, &kAll});
    for (const ElementType type : {ElementType::U8, ElementType::U16, ElementType::I32, ElementType::I64,
                                   ElementType::F16, ElementType::F64})
        bench_whole(bench, type, "2^28", std::uint64_t{1} << 28, {&kSum, &kMinmax, &kAll});
    for (const ElementType type : {ElementType::U8, ElementType::I8, ElementType::U16, ElementType::I32,
                                   ElementType::F16, ElementType::F32})
        bench_dot(bench, type, "2^28", std::uint64_t{1} << 28);
    bench_rows(bench, ElementType::U8, 1000000, 16);
    bench_rows(bench, ElementType::F32, 442368, 128);
    bench_rows(bench, ElementType::F32, 442368, 127);
    bench_rows(bench, ElementType::F32, 55296, 1024);
    bench_rows(bench, ElementType::F32, 1000, 100000);
}

}  // namespace tegu::bench
