// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu/select_bench.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/random.h"
#include "kernels/operation_cuda.h"
#include "tools/bench/gpu/reduce_peers.h"

namespace tegu::bench {
namespace {

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

[[noreturn]] void fail(const std::string& name, std::string_view what) {
    std::fprintf(stderr, "%s: %s differ from the CPU's\n", name.c_str(), std::string(what).c_str());
    std::exit(1);
}

}  // namespace

const char* word_of(Values values) {
    switch (values) {
        case Values::Uniform: return "uniform";
        case Values::Sorted: return "sorted";
        case Values::Few: return "few";
        case Values::Equal: return "equal";
    }
    return "?";
}

SelectBench::SelectBench(GpuBench& bench, ElementType type, Values values, std::uint64_t rows,
                         std::uint64_t cols)
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

void SelectBench::verify_and_time(const std::string& name, const Job& job) {
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
        if (!done) std::fprintf(stderr, "%s: %s\n", name.c_str(), done.error().message.c_str()), std::exit(1);
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

}  // namespace tegu::bench
