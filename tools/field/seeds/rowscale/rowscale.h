// SPDX-License-Identifier: Apache-2.0
// Seed S3: every row of a matrix divided by its largest magnitude, in four steps. The first has one block per
// row and reads the row twice; the last has one warp per row, which holds it in registers.
//
// Right at any number of rows and columns. C++14.
#pragma once

#include "kernels/execution/cuda/kernel_list.h"

// X(Name, word, change)
#define TEGU_ROW_SCALE_STEPS(X)                                                            \
    X(Blocks, "block per row", "a block reduction as in a library; the row is read twice") \
    X(Packs, "packs", "accesses of 16 bytes")                                              \
    X(Registers, "row in registers", "the row is read once")                               \
    X(Warps, "warp per row", "shuffles instead of barriers; several rows per block")

namespace tegu {
namespace seeds {

enum class RowScaleStep : std::uint8_t {
#define TEGU_X(Name, word, change) Name,
    TEGU_ROW_SCALE_STEPS(TEGU_X)
#undef TEGU_X
};

struct RowScaleMatrix {
    const float* x;  // [rows, cols], dense
    float* values;   // [rows, cols], dense; may be x
    std::uint64_t rows;
    std::uint64_t cols;
};

// Values of one access: 4 where the addresses and the columns allow accesses of 16 bytes, else 2 or 1.
unsigned row_scale_pack(const RowScaleMatrix& matrix);

// values = x / max |x of the row|. A row whose largest magnitude is 0 stays as it is. A NaN does not count as
// a magnitude. One launch; none for a matrix without elements. threads: of a block, a multiple of 32, up to
// 1024.
cuda::LaunchStatus launch_row_scale(RowScaleStep step, const RowScaleMatrix& matrix, unsigned threads,
                                    cuda::Stream stream);
cuda::KernelEntry row_scale_kernel(RowScaleStep step, const RowScaleMatrix& matrix, unsigned threads);

}  // namespace seeds
}  // namespace tegu
