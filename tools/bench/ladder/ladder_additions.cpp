// SPDX-License-Identifier: Apache-2.0
// The sum of two matrices: the kernel only, and with the transfers of its data. Times with transfers use a
// host clock.
#include <chrono>
#include <cstring>
#include <functional>

#include "kernels/add/cuda/add.h"
#include "tools/bench/ladder/ladder_run.h"
#include "tools/field/seeds/add/add.h"

namespace tegu::bench {
namespace {

constexpr unsigned kThreads = 1024;

struct Matrices {
    std::vector<float> a, b;
    std::uint64_t n() const { return a.size(); }
    std::uint64_t bytes() const { return 4 * n(); }
};

// `prepare` is not counted, nor is the first run.
GpuTime host_time(bool quick, const std::function<void()>& prepare, const std::function<void()>& work) {
    std::vector<double> runs_ns;
    for (int i = 0; i <= (quick ? 3 : 10); ++i) {
        prepare();
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::nano> ran = std::chrono::steady_clock::now() - begin;
        if (i > 0) runs_ns.push_back(ran.count());
    }
    Row row;
    set_times(row, runs_ns);
    return {row.median_ns / 1e3, row.noise, row.min_ns / 1e3};
}

void launch_plain(LadderRun& run, const float* x, const float* y, float* z, std::uint64_t n) {
    require_cuda(seeds::launch_plain_add(x, y, z, n, kThreads, run.context().stream), "add");
}

GpuTime explicit_copies(LadderRun& run, const Matrices& matrices) {
    const std::uint64_t bytes = matrices.bytes();
    const Rotation x(bytes, 0, 1), y(bytes, 0, 1), z(bytes, 0, 1);
    std::vector<float> result(matrices.n());
    const cudaStream_t stream = run.context().stream;
    const auto copy = [&](void* to, const void* from) {
        require_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    };
    return host_time(
        run.settings().quick, [] {},
        [&] {
            copy(x[0], matrices.a.data());
            copy(y[0], matrices.b.data());
            launch_plain(run, as<const float>(x[0]), as<const float>(y[0]), as<float>(z[0]), matrices.n());
            copy(result.data(), z[0]);
            require_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        });
}

// The pages are the host's before and after. While the kernel runs the host touches none of them, as most
// boards demand.
GpuTime managed_memory(LadderRun& run, const Matrices& matrices) {
    const std::uint64_t bytes = matrices.bytes();
    float* arrays[3] = {};
    for (float*& array : arrays) {
        void* memory = nullptr;
        require_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
        array = as<float>(memory);
    }
    std::vector<float> result(matrices.n());
    const GpuTime time = host_time(
        run.settings().quick,
        [&] {
            std::memcpy(arrays[0], matrices.a.data(), bytes);
            std::memcpy(arrays[1], matrices.b.data(), bytes);
        },
        [&] {
            launch_plain(run, arrays[0], arrays[1], arrays[2], matrices.n());
            require_cuda(cudaStreamSynchronize(run.context().stream), "cudaStreamSynchronize");
            std::memcpy(result.data(), arrays[2], bytes);
        });
    for (float* array : arrays) (void)cudaFree(array);
    return time;
}

}  // namespace

Result<void> run_additions(LadderRun& run) {
    const std::uint64_t side = run.settings().quick ? 512 : 4096;
    const std::string shape = std::to_string(side) + " x " + std::to_string(side);
    const std::string stem = "add/f32/" + std::to_string(side) + "x" + std::to_string(side) + "/";
    run.begin_table("Sum of two matrices of " + shape + " f32");
    Matrices matrices{random_values<float>(side * side), {}};
    matrices.b.assign(matrices.a.rbegin(), matrices.a.rend());
    const std::uint64_t n = matrices.n(), bytes = matrices.bytes();
    std::vector<float> expected(n);
    for (std::uint64_t i = 0; i < n; ++i) expected[i] = matrices.a[i] + matrices.b[i];
    const std::size_t l2_bytes = run.context().limits.l2_bytes;
    Rotation x(bytes, l2_bytes), y(bytes, l2_bytes), z(bytes, l2_bytes);
    x.fill(matrices.a.data(), bytes);
    y.fill(matrices.b.data(), bytes);
    const std::function<void(std::size_t)> plain = [&](std::size_t turn) {
        launch_plain(run, as<const float>(x[turn]), as<const float>(y[turn]), as<float>(z[turn]), n);
    };
    const std::function<void(std::size_t)> own = [&](std::size_t turn) {
        require_cuda(cuda::launch_add(ElementType::F32, {x[turn], y[turn], z[turn], 1, n, n, n, nullptr},
                                      run.context().config(run.context().policies.add)),
                     "add");
    };
    for (const auto& launch : {plain, own}) {
        z.zero(bytes);
        launch(0);
        if (run.download<float>(z[0], n) != expected) return wrong_result(stem + "kernel");
    }
    run.add(stem + "kernel", "one thread an element", "data on the device", n, 3 * bytes,
            run.timer().time(plain), 0);
    run.add(stem + "tegu", "tegu's add", "packs of 16 bytes", n, 3 * bytes, run.timer().time(own), 1);
    run.add(stem + "explicit", "with explicit copies", "both to the device, the kernel, the result back", n,
            0, explicit_copies(run, matrices), 0);
    run.add(stem + "managed", "in managed memory", "pages move when they are touched", n, 0,
            managed_memory(run, matrices), 1);
    return {};
}

}  // namespace tegu::bench
