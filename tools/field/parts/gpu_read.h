// SPDX-License-Identifier: Apache-2.0
// A kernel that only reads: the floor of every reduction. One of two sources is built: with CUDA or without.
#pragma once

#include <cstdint>

#include "tools/field/gpu_lab.h"

namespace tegu::field {

// Whether this program has the kernel.
bool has_gpu_read();
// Puts the read of `bytes`, a multiple of 16, on the lab's stream; `out` is a word that may be written.
// Errors: those of a launch; Unsupported.
Result<void> gpu_read(GpuLab& lab, const void* data, std::uint64_t bytes, void* out);

}  // namespace tegu::field
