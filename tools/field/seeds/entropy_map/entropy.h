// SPDX-License-Identifier: Apache-2.0
// Seed S4: the entropy of the 5 x 5 window around each pixel of an image with 16 levels, in nats, windows cut
// at the border. H = log N - (1/N) sum n_i log n_i. Ten GPU versions differ in the memory of the table of
// logarithms, in the counters and in the path of the input.
//
// Right at any size. C++14.
#pragma once

#include "kernels/execution/cuda/kernel_list.h"
#include "tools/field/seeds/kernels/texture_handle.h"

// X(Name, word, description)
#define TEGU_WINDOW_VERSIONS(X)                                            \
    X(Plain, "v0", "plain: a logarithm per level")                         \
    X(RegisterTable, "v1", "log table in an array of each thread")         \
    X(SharedTable, "v2", "log table in shared memory")                     \
    X(ConstantTable, "v3", "log table in constant memory")                 \
    X(DeviceTable, "v4", "log table in device memory")                     \
    X(TextureTable, "v5", "log table in texture memory")                   \
    X(ByteCounters, "v6", "8-bit counters, log table in shared memory")    \
    X(Mixed, "v7", "8-bit counters, f32 table in shared memory, f64 sums") \
    X(TextureInput, "v8", "as v7, input through a texture")                \
    X(SharedInput, "v9", "as v7, input through shared memory")

namespace tegu {
namespace seeds {

constexpr unsigned kWindowLevels = 16;
constexpr unsigned kWindowRadius = 2;
constexpr unsigned kWindowLogs = 26;         // log n of the counts 0..25; entry 0 is 0
constexpr unsigned kWindowColumns = 32;      // of the tile of a block
constexpr unsigned kMaxWindowThreads = 512;  // of a block

enum class WindowVersion : std::uint8_t {
#define TEGU_X(Name, word, title) Name,
    TEGU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};

struct WindowImage {
    const float* x;  // [rows, cols] of whole numbers 0..15
    std::uint32_t rows;
    std::uint32_t cols;
    std::uint64_t row_stride;     // elements of x, >= cols
    float* values;                // [rows, cols], dense
    const double* logs;           // [kWindowLogs] in device memory, for v4
    TextureHandle log_texture;    // of as many, for v5
    TextureHandle image_texture;  // of x, for v8
};

// log n, the entries of `logs`; 0 for n = 0.
double window_log(unsigned n);

// One launch; none for an image without pixels. threads: of a block, a multiple of 32, up to
// kMaxWindowThreads.
cuda::LaunchStatus launch_window_entropy(WindowVersion version, const WindowImage& image, unsigned threads,
                                         cuda::Stream stream);
cuda::KernelEntry window_entropy_kernel(WindowVersion version, unsigned threads);

}  // namespace seeds
}  // namespace tegu
