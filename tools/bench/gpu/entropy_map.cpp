// SPDX-License-Identifier: Apache-2.0
// entropy_map: kernels only, with a given range; separately, the range search of float data and the
// quantization to levels.
#include <algorithm>

#include "kernels/entropy_map/cuda/entropy_map.h"
#include "kernels/numerics/entropy_table.h"
#include "kernels/numerics/levels.h"
#include "tools/bench/gpu/gpu_bench.h"

namespace tegu::bench {
namespace {

using cuda::EntropyMapMethod;
using cuda::EntropyMapPolicy;

enum class Picture { Smooth, Noise };

// Pixels in [0, 256): a slope with a little noise, as of a camera, or noise alone, which spreads lookups
// most.
template <class T>
std::vector<T> pixels_of(Picture picture, std::uint64_t rows, std::uint64_t cols) {
    std::vector<T> pixels(rows * cols);
    std::uint32_t state = 1;
    for (std::uint64_t i = 0; i < pixels.size(); ++i) {
        state = state * 1664525u + 1013904223u;
        const std::uint32_t slope = static_cast<std::uint32_t>(i / cols / 7 + i % cols / 5) + (state >> 28);
        pixels[i] = static_cast<T>((picture == Picture::Noise ? state >> 24 : slope) % 256);
    }
    return pixels;
}

std::vector<EntropyMapPolicy> policies(const GpuBench& bench) {
    if (!bench.sweep()) return {bench.context().policies.entropy_map};
    std::vector<EntropyMapPolicy> all;
    for (const EntropyMapMethod method : {EntropyMapMethod::Chosen, EntropyMapMethod::Slide,
                                          EntropyMapMethod::Columns, EntropyMapMethod::Quads})
        for (const unsigned threads : {32, 64, 128, 256, 512})
            for (const unsigned rows : {0, 16, 64, 256})
                for (const unsigned columns : {0, 1})
                    all.push_back(EntropyMapPolicy{method, threads, rows, columns, 0});
    return all;
}

struct Case {
    std::string name;
    ElementType type;
    unsigned window;
    unsigned levels;
    Border border;
};

// F and its differences on the device.
class Tables {
  public:
    explicit Tables(unsigned pixels) : memory_((2 * pixels + 1) * sizeof(std::uint32_t), 0) {
        const unsigned shift = kernels::entropy_table_shift(LogBase::Two, pixels);
        std::vector<std::uint32_t> host(2 * pixels + 1);
        kernels::fill_entropy_table(LogBase::Two, shift, Span<std::uint32_t>(host.data(), pixels + 1));
        for (unsigned n = 0; n < pixels; ++n) host[pixels + 1 + n] = host[n + 1] - host[n];
        memory_.fill(host.data(), host.size() * sizeof(std::uint32_t));
        const auto* const entries = static_cast<const std::uint32_t*>(memory_[0]);
        tables_ = cuda::EntropyTables{entries, entries + pixels + 1, static_cast<float>(1u << shift)};
    }
    const cuda::EntropyTables& get() const { return tables_; }

  private:
    Rotation memory_;
    cuda::EntropyTables tables_{};
};

void bench_case(GpuBench& bench, const Case& what, Picture picture, std::uint64_t rows, std::uint64_t cols) {
    const std::string name = "entropy_map/" + what.name + (picture == Picture::Noise ? "/noise" : "") + "/" +
                             std::to_string(rows) + "x" + std::to_string(cols);
    if (!bench.wants(name)) return;
    const cuda::Context& context = bench.context();
    const std::uint64_t n = rows * cols, bytes = n * element_bytes(what.type);
    Rotation x(bytes, context.limits.l2_bytes);
    if (what.type == ElementType::U8)
        x.fill(pixels_of<std::uint8_t>(picture, rows, cols).data(), bytes);
    else
        x.fill(pixels_of<float>(picture, rows, cols).data(), bytes);
    const Rotation map(4 * n, context.limits.l2_bytes), flag(4, 0);
    const cuda::EntropyWindow window{what.window, what.window, what.levels, what.border == Border::Mirror};
    const Tables tables(what.window * what.window);
    cuda::EntropyMapImage image{what.type, nullptr, rows,    cols,
                                cols,      {},      nullptr, static_cast<std::uint32_t*>(flag[0])};
    image.rule =
        cuda::level_rule(*kernels::level_scale_of_range(what.type, 0.0, 256.0, what.levels, "the range"));
    for (const EntropyMapPolicy& policy : policies(bench)) {
        const cuda::EntropyMapShape shape = cuda::entropy_map_shape(image, window, policy, context.limits);
        const Rotation plane(shape.plane_bytes, 0);
        const GpuTime time = bench.time([&](std::size_t turn) {
            image.x = x[turn];
            image.map = static_cast<float*>(map[turn]);
            for (std::uint64_t row = 0; row < rows; row += shape.piece_rows)
                for (std::uint64_t col = 0; col < cols; col += shape.piece_cols) {
                    const cuda::EntropyPiece piece{row, std::min(row + shape.piece_rows, rows), col,
                                                   std::min(col + shape.piece_cols, cols)};
                    require_cuda(
                        cuda::launch_entropy_map({image, window, tables.get(), shape}, piece,
                                                 static_cast<std::uint8_t*>(plane[0]), context.stream),
                        "entropy_map");
                }
        });
        const std::string suffix =
            bench.sweep() ? std::string(shape.method == EntropyMapMethod::Pairs     ? " pairs "
                                        : shape.method == EntropyMapMethod::Columns ? " columns "
                                        : shape.method == EntropyMapMethod::Quads   ? " quads "
                                                                                    : " slide ") +
                                std::to_string(shape.threads) + "/" + std::to_string(shape.columns) + "/" +
                                std::to_string(shape.strip_rows)
                          : "";
        bench.report(name + suffix, n, bytes + 4 * n, time);
    }
}

void bench_range(GpuBench& bench, std::uint64_t rows, std::uint64_t cols) {
    const std::string name = "entropy_map/range/f32/" + std::to_string(rows) + "x" + std::to_string(cols);
    if (!bench.wants(name)) return;
    const std::uint64_t bytes = 4 * rows * cols;
    const cuda::Context& context = bench.context();
    Rotation x(bytes, context.limits.l2_bytes);
    x.fill(pixels_of<float>(Picture::Noise, rows, cols).data(), bytes);
    const Rotation bounds(sizeof(cuda::FiniteBounds), 0);
    const GpuTime time = bench.time([&](std::size_t turn) {
        require_cuda(cudaMemsetAsync(bounds[0], 0, sizeof(cuda::FiniteBounds), context.stream),
                     "cudaMemsetAsync");
        const cuda::FiniteArrays arrays{x[turn], static_cast<cuda::FiniteBounds*>(bounds[0]), 1, rows, cols,
                                        cols};
        require_cuda(cuda::launch_finite_bounds(ElementType::F32, arrays, context.limits, context.stream),
                     "finite_bounds");
    });
    bench.report(name, rows * cols, bytes, time);
}

}  // namespace

void bench_entropy_map(GpuBench& bench) {
    const std::uint64_t side = bench.quick() ? 2048 : 10240;
    const Case target{"f32/5x5/16", ElementType::F32, 5, 16, Border::Clip};
    bench_case(bench, target, Picture::Smooth, side, side);
    bench_case(bench, target, Picture::Noise, side, side);
    bench_case(bench, {"u8/5x5/16", ElementType::U8, 5, 16, Border::Clip}, Picture::Smooth, side, side);
    bench_case(bench, {"u8/9x9/256", ElementType::U8, 9, 256, Border::Clip}, Picture::Smooth, side, side);
    if (bench.quick()) return;
    bench_case(bench, target, Picture::Smooth, 512, 512);
    bench_case(bench, target, Picture::Smooth, 1080, 1920);
    bench_case(bench, {"f32/5x5/16/mirror", ElementType::F32, 5, 16, Border::Mirror}, Picture::Smooth, side,
               side);
    for (const unsigned window : {3, 7, 9, 15, 31, 63})
        bench_case(bench,
                   {"u8/" + std::to_string(window) + "x" + std::to_string(window) + "/16", ElementType::U8,
                    window, 16, Border::Clip},
                   Picture::Smooth, side, side);
    for (const unsigned window : {5, 15, 31, 63})
        bench_case(bench,
                   {"u8/" + std::to_string(window) + "x" + std::to_string(window) + "/256", ElementType::U8,
                    window, 256, Border::Clip},
                   Picture::Smooth, side, side);
    for (const unsigned window : {15, 63})
        bench_case(bench,
                   {"u8/" + std::to_string(window) + "x" + std::to_string(window) + "/64", ElementType::U8,
                    window, 64, Border::Clip},
                   Picture::Smooth, side, side);
    for (const unsigned window : {9, 63})
        bench_case(bench,
                   {"u8/" + std::to_string(window) + "x" + std::to_string(window) + "/256", ElementType::U8,
                    window, 256, Border::Clip},
                   Picture::Noise, side, side);
    bench_range(bench, side, side);
}

}  // namespace tegu::bench
