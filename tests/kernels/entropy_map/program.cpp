// SPDX-License-Identifier: Apache-2.0
// For numpy_test.py and skimage_test.py: reads rows x cols elements from stdin, writes their
// map (base 2, border clip) as raw f32 to stdout.
// usage: entropy_map_program ROWS COLS WINDOW_ROWS WINDOW_COLS [TYPE LEVELS [LO HI]]      default: u8 256
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "kernels/operation.h"

namespace {

using namespace tegu;

std::uint64_t number(const char* text) {
    return std::strtoull(text, nullptr, 10);
}

Job job_of(int argc, char** argv) {
    EntropyMapParams params;
    params.window_rows = static_cast<std::uint32_t>(number(argv[3]));
    params.window_cols = static_cast<std::uint32_t>(number(argv[4]));
    params.levels = argc > 6 ? static_cast<std::uint32_t>(number(argv[6])) : 256;
    params.has_range = argc > 8;
    if (params.has_range) {
        params.lo = std::strtod(argv[7], nullptr);
        params.hi = std::strtod(argv[8], nullptr);
    }
    Job job;
    job.type = ElementType::U8;
    for (std::uint8_t type = 1; is_element_type(type); ++type)
        if (argc > 5 && element_word(static_cast<ElementType>(type)) == argv[5])
            job.type = static_cast<ElementType>(type);
    job.rows = number(argv[1]);
    job.cols = number(argv[2]);
    job.params = params;
    return job;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5 && argc != 7 && argc != 9) return 64;
    const Job job = job_of(argc, argv);
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        std::fprintf(stderr, "%s: %s\n", plan.error().field.c_str(), plan.error().message.c_str());
        return 65;
    }
    std::vector<std::byte> pixels(job.rows * job.cols * element_bytes(job.type));
    std::vector<float> map(job.rows * job.cols);
    if (std::fread(pixels.data(), 1, pixels.size(), stdin) != pixels.size()) return 66;
    const kernels::InputView input{pixels.data(), job.cols};
    const kernels::OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const Result<kernels::RunReport> report =
        kernels::run_job(job, Span<const kernels::InputView>(&input, 1),
                         Span<const kernels::OutputView>(&output, 1), nullptr, kernels::StopToken());
    if (!report) return 70;
    return std::fwrite(map.data(), sizeof(float), map.size(), stdout) == map.size() ? 0 : 74;
}
