// SPDX-License-Identifier: Apache-2.0
// Prints the kernels with the block that the default policy launches, for each device that an argument
// describes. scripts/kernel_resources.py joins them with the registers that the compiler reported. Needs no
// GPU.
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "kernels/execution/cuda/kernel_list.h"

// The linker's name of the address that a symbol's value counts from.
extern "C" const char __executable_start;

namespace tegu::cuda {
namespace {

// "CAPABILITY,MULTIPROCESSORS,THREADS,SHARED,L2": the fields of DeviceLimits.
bool parse(const char* text, DeviceLimits* limits) {
    char end = 0;
    return std::sscanf(text, "%u,%u,%u,%zu,%zu%c", &limits->compute_capability, &limits->multiprocessors,
                       &limits->threads_per_multiprocessor, &limits->shared_bytes_per_block,
                       &limits->l2_bytes, &end) == 5;
}

// A line for each kernel: capability, value of its symbol, threads and dynamic shared memory of a block,
// name.
void print(const DeviceLimits& limits) {
    KernelLister lister(limits);
    list_kernels(lister);
    const auto start = reinterpret_cast<std::uintptr_t>(&__executable_start);
    for (const KernelEntry& kernel : lister.entries())
        std::printf("%u\t%" PRIxPTR "\t%u\t%zu\t%s\n", limits.compute_capability,
                    reinterpret_cast<std::uintptr_t>(kernel.function) - start, kernel.threads,
                    kernel.shared_bytes, kernel.name.c_str());
}

}  // namespace
}  // namespace tegu::cuda

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        tegu::cuda::DeviceLimits limits;
        if (!tegu::cuda::parse(arguments[i], &limits)) {
            std::fprintf(stderr, "kernel-blocks: '%s' is no device\n", arguments[i]);
            return 64;
        }
        tegu::cuda::print(limits);
    }
    return 0;
}
