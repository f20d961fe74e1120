// SPDX-License-Identifier: Apache-2.0
// Counts byte values.
#include "kernels/counting/cuda/bytes.cuh"
#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr KernelTable<CountKernel<ByteMapper::Rule>, 1> kCountValues = {
    "count_columns",
    kCountMoves,
    {variant(count_columns<ByteMapper, ByteMapper::Fast, KeepCounts>, "values", "u8")}};

}  // namespace

LaunchStatus zero_counters(std::uint64_t* counters, std::uint64_t count, Stream stream) {
    return count == 0 ? 0 : zero(counters, count * sizeof *counters, stream);
}

LaunchStatus launch_count_bytes(const CountLaunch& with, std::uint64_t* counts) {
    return launch_count(kCountValues[0], with, CountRules<ByteMapper::Rule>{0, nullptr},
                        CountTarget{counts, nullptr});
}

void list_counting_bytes_kernels(KernelLister& to) {
    to.add(1, listed(kCountValues, count_block<ByteMapper::Rule>()));
}

}  // namespace cuda
}  // namespace tegu
