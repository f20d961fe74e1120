// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and GPU cases of S4.
#pragma once

#include "tools/field/seeds/seed_case.h"

namespace tegu::field {

// Sums of up to 25 logarithms; a table of f32 costs most. See tests/tools/field/seeds/s4_entropy_test.cpp.
constexpr double kWindowError = 2e-6;
// The author's limit: smaller images do not fill a GPU, so the CPU takes them.
constexpr std::uint64_t kPixelsForGpu = 163840;

// A square image and its map, made by the first case that needs them.
class WindowValues {
  public:
    WindowValues(PartContext& context, std::uint32_t side);
    std::uint32_t side() const { return side_; }
    std::uint64_t pixels() const { return std::uint64_t{side_} * side_; }
    // Elements from row to row of x; rows have the alignment of textures.
    std::uint64_t row_stride() const { return row_stride_; }
    std::uint64_t x_bytes() const { return 4 * row_stride_ * side_; }
    // Bytes of the image, its map and one result in the host's memory.
    std::uint64_t host_bytes() const { return x_bytes() + 8 * pixels(); }
    // Errors: OutOfMemory.
    Result<void> make();
    // REQUIRES: make() succeeded. [side, row_stride], [side, side].
    const std::vector<float>& x() const { return x_; }
    const std::vector<float>& expected() const { return expected_; }
    bool is_map(const std::vector<float>& found) const;

  private:
    PartContext& context_;
    const std::uint32_t side_;
    const std::uint64_t row_stride_;
    std::vector<float> x_, expected_;
};

// REQUIRES: context.gpu.
void add_s4_gpu_cases(PartContext& context, CaseList& cases, const FieldJob& job,
                      const std::shared_ptr<WindowValues>& values);

}  // namespace tegu::field
