// SPDX-License-Identifier: Apache-2.0
// Version v14 of seed S4: the map by several GPUs. Each takes a band of rows and a halo of two rows on either
// side, with the transfers of its band.
#pragma once

#include <memory>
#include <vector>

#include "kernels/execution/cpu/thread_pool.h"
#include "tools/field/gpu_lab.h"

namespace tegu::field {

// Rows [first, end) of a result, for which rows [top, bottom) of the image are needed.
struct RowBand {
    std::uint32_t first, end;
    std::uint32_t top, bottom;
};
// Up to `count` bands of about equal height, one behind the other. REQUIRES: rows > 0, count > 0.
std::vector<RowBand> row_bands(std::uint32_t rows, unsigned count, std::uint32_t halo);

class ManyGpus {
  public:
    // For images of so many rows and columns. Takes the labs, at least one. Errors: OutOfMemory, DeviceLost.
    static Result<std::unique_ptr<ManyGpus>> create(std::vector<std::unique_ptr<GpuLab>> labs,
                                                    std::uint32_t rows, std::uint32_t cols,
                                                    unsigned threads_per_block);

    // values [rows, cols] of x [rows, row_stride], both in the host's memory. All GPUs at once, each from a
    // thread of its own.
    Result<void> run(const float* x, std::uint64_t row_stride, float* values);
    std::size_t count() const { return bands_.size(); }
    // The band of one GPU.
    Result<void> run_band(std::size_t band, const float* x, std::uint64_t row_stride, float* values);

  private:
    struct Memory {
        DeviceArray x, values;
    };
    ManyGpus(std::vector<std::unique_ptr<GpuLab>> labs, std::vector<RowBand> bands, std::uint32_t cols,
             unsigned threads_per_block);

    const std::vector<std::unique_ptr<GpuLab>> labs_;
    const std::vector<RowBand> bands_;
    const std::uint32_t cols_;
    const unsigned threads_per_block_;
    std::vector<Memory> memory_;  // of each band
    kernels::ThreadPool pool_;
};

}  // namespace tegu::field
