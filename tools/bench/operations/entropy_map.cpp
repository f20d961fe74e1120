// SPDX-License-Identifier: Apache-2.0
// entropy_map: windows and levels on one image size, and the types.
#include "tools/bench/kernel_cases.h"

namespace tegu::bench {

void add_entropy_map_cases(KernelBench& bench) {
    const auto add = [&](ElementType type, std::uint32_t window, std::uint32_t levels) {
        EntropyMapParams params;
        params.window_rows = params.window_cols = window;
        params.levels = levels;
        Job job = sequence_job(type, 2560, params);
        job.rows = 2560;
        bench.add_job("entropy_map/" + std::string(element_word(type)) +
                          "/2560x2560/window=" + std::to_string(window) + "/levels=" + std::to_string(levels),
                      job);
    };
    for (const std::uint32_t window : {5u, 9u, 31u, 63u})
        for (const std::uint32_t levels : {16u, 64u, 256u}) add(ElementType::U8, window, levels);
    for (const ElementType type :
         {ElementType::U16, ElementType::I32, ElementType::F16, ElementType::F32, ElementType::F64})
        add(type, 5, 16);
    add(ElementType::F32, 31, 256);
}

}  // namespace tegu::bench
