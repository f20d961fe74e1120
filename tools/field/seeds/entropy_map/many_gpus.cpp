// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/entropy_map/many_gpus.h"

#include <algorithm>

#include "kernels/execution/cuda/context.h"
#include "tools/field/seeds/entropy_map/entropy.h"

namespace tegu::field {

std::vector<RowBand> row_bands(std::uint32_t rows, unsigned count, std::uint32_t halo) {
    const std::uint32_t bands = std::min<std::uint32_t>(rows, count);
    std::vector<RowBand> result;
    for (std::uint32_t i = 0; i < bands; ++i) {
        const auto first = static_cast<std::uint32_t>(std::uint64_t{rows} * i / bands);
        const auto end = static_cast<std::uint32_t>(std::uint64_t{rows} * (i + 1) / bands);
        result.push_back(
            {first, end, first < halo ? 0 : first - halo, rows - end < halo ? rows : end + halo});
    }
    return result;
}

ManyGpus::ManyGpus(std::vector<std::unique_ptr<GpuLab>> labs, std::vector<RowBand> bands, std::uint32_t cols,
                   unsigned threads_per_block)
    : labs_(std::move(labs)),
      bands_(std::move(bands)),
      cols_(cols),
      threads_per_block_(threads_per_block),
      pool_(static_cast<unsigned>(bands_.size())) {}

Result<std::unique_ptr<ManyGpus>> ManyGpus::create(std::vector<std::unique_ptr<GpuLab>> labs,
                                                   std::uint32_t rows, std::uint32_t cols,
                                                   unsigned threads_per_block) {
    std::vector<RowBand> bands = row_bands(rows, static_cast<unsigned>(labs.size()), seeds::kWindowRadius);
    std::unique_ptr<ManyGpus> made(new ManyGpus(std::move(labs), std::move(bands), cols, threads_per_block));
    for (std::size_t i = 0; i < made->bands_.size(); ++i) {
        const std::size_t bytes = std::size_t{4} * (made->bands_[i].bottom - made->bands_[i].top) * cols;
        GpuLab& lab = *made->labs_[i];
        Result<void> used = lab.gpu().use();
        if (!used) return std::move(used).error();
        Result<DeviceArray> x = DeviceArray::create(lab, bytes), values = DeviceArray::create(lab, bytes);
        if (!x) return std::move(x).error();
        if (!values) return std::move(values).error();
        made->memory_.push_back({std::move(*x), std::move(*values)});
    }
    return made;
}

Result<void> ManyGpus::run(const float* x, std::uint64_t row_stride, float* values) {
    std::vector<Result<void>> results(bands_.size());
    pool_.parallel_for(bands_.size(), [&](std::uint64_t band, unsigned) {
        results[band] = run_band(band, x, row_stride, values);
    });
    Result<void> used = labs_.front()->gpu().use();  // the caller's thread took part, with any of the devices
    if (!used) return used;
    for (Result<void>& result : results)
        if (!result) return std::move(result);
    return {};
}

Result<void> ManyGpus::run_band(std::size_t band, const float* x, std::uint64_t row_stride, float* values) {
    const RowBand& rows = bands_[band];
    GpuLab& lab = *labs_[band];
    Memory& memory = memory_[band];
    const std::uint32_t height = rows.bottom - rows.top;
    Result<void> done = lab.gpu().use();
    for (std::uint32_t row = 0; row < height && done; ++row) {  // one copy where rows have no gaps
        const bool dense = row_stride == cols_;
        const std::uint64_t bytes = std::uint64_t{4} * cols_ * (dense ? height : 1);
        done = lab.gpu().copy(memory.x.as<float>() + std::uint64_t{row} * cols_,
                              x + (std::uint64_t{rows.top} + row) * row_stride, bytes, lab.stream());
        if (dense) break;
    }
    if (!done) return done;
    const seeds::WindowImage image{memory.x.as<float>(),      height,  cols_, cols_,
                                   memory.values.as<float>(), nullptr, {},    {}};
    done = cuda::check_cuda(
        launch_window_entropy(seeds::WindowVersion::Mixed, image, threads_per_block_, lab.stream()),
        "entropy");
    // The halo's own results are cut at the edge of the band: they stay behind.
    const float* const from = memory.values.as<float>() + std::uint64_t{rows.first - rows.top} * cols_;
    if (done)
        done = lab.gpu().copy(values + std::uint64_t{rows.first} * cols_, from,
                              std::uint64_t{4} * (rows.end - rows.first) * cols_, lab.stream());
    return done ? lab.synchronize() : done;
}

}  // namespace tegu::field
