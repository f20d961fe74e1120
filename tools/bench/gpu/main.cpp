// SPDX-License-Identifier: Apache-2.0
// tegu-bench-gpu [--filter PART] [--quick] [--sweep]
#include <cstdio>
#include <cstring>

#include "tools/bench/gpu/gpu_bench.h"

int main(int argc, char** argv) {
    tegu::bench::GpuBench::Options options;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            options.quick = true;
        } else if (std::strcmp(argv[i], "--sweep") == 0) {
            options.sweep = true;
        } else if (std::strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
            options.filter = argv[++i];
        } else {
            const bool help = std::strcmp(argv[i], "--help") == 0;
            const bool lacks_part = std::strcmp(argv[i], "--filter") == 0;
            if (!help)
                std::fprintf(stderr, "tegu-bench-gpu: %s: %s\n", argv[i],
                             lacks_part ? "a part of a case's name must follow" : "no such option");
            std::fprintf(help ? stdout : stderr,
                         "usage: tegu-bench-gpu [--filter PART] [--quick] [--sweep]\nTimes of kernels on the "
                         "first GPU, one case a line; PART: of the names of the cases to time.\n");
            return help ? 0 : 64;
        }
    }
    const std::string why_not = tegu::bench::no_gpu_reason();
    if (!why_not.empty()) {
        std::fprintf(stderr, "tegu-bench-gpu: no GPU: %s\n", why_not.c_str());
        return 69;
    }
    tegu::bench::GpuBench bench(options);
#define TEGU_X(name) tegu::bench::bench_##name(bench);
    TEGU_GPU_BENCHES(TEGU_X)
#undef TEGU_X
    return 0;
}
