// SPDX-License-Identifier: Apache-2.0
// Shared by the GPU cases of all seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/kernel_list.h"
#include "tools/field/seeds/seed_case.h"

namespace tegu::field {

// Fills in the kernel's attributes from the driver and the block size. Errors: DeviceLost.
Result<void> describe_kernel(GpuLab& lab, const cuda::KernelEntry& entry, Case& one);
// Local, constant and shared memory and the largest block, as text; empty without a driver. Errors:
// DeviceLost.
Result<std::string> resource_note(const cuda::KernelEntry& entry);

// Blocks that the device holds at once, at least one. REQUIRES: describe_kernel() was called for the case.
unsigned resident_blocks(const GpuLab& lab, const Case& one, unsigned threads);

template <class T>
Result<std::vector<T>> downloaded(const DeviceArray& from, std::size_t count) {
    std::vector<T> values(count);
    Result<void> done = from.download(values.data(), count * sizeof(T));
    if (!done) return std::move(done).error();
    return values;
}

// Errors: Internal, with the first place that differs by more than `tolerance`. Takes little memory of the
// host.
Result<void> expect_values(GpuLab& lab, const DeviceArray& found, const float* expected, std::uint64_t count,
                           double tolerance, const std::string& where);

// Makes the device memory of one case, and remembers the first error. Errors: OutOfMemory (also beyond what a
// case may have), DeviceLost.
class DeviceArrays {
  public:
    explicit DeviceArrays(PartContext& context) : lab_(*context.gpu), left_(context.device_bytes) {}

    DeviceArray make(std::uint64_t bytes);
    // Copies of one content, in up to one of `shares` equal parts of the free memory.
    DeviceInputs copies(const void* content, std::uint64_t bytes, std::uint64_t shares);
    // The content once.
    DeviceInputs copy(const void* content, std::uint64_t bytes);
    Result<void> result() const;

  private:
    bool take(std::uint64_t bytes);
    DeviceInputs inputs(const void* content, std::uint64_t bytes, std::uint64_t limit_bytes);

    GpuLab& lab_;
    std::uint64_t left_;
    std::optional<Error> error_;
};

}  // namespace tegu::field
