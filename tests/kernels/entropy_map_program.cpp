// SPDX-License-Identifier: Apache-2.0
// For entropy_map_skimage.py: reads rows x cols bytes from stdin, writes their map (256 levels, base 2, border clip) as raw f32 to stdout.
// usage: entropy_map_program ROWS COLS WINDOW_ROWS WINDOW_COLS
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/operation.h"

int main(int argc, char** argv) {
    using namespace tegu;
    if (argc != 5) return 64;
    EntropyMapParams params;
    params.window_rows = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
    params.window_cols = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10));
    params.levels = 256;
    Job job;
    job.type = ElementType::U8;
    job.rows = std::strtoull(argv[1], nullptr, 10);
    job.cols = std::strtoull(argv[2], nullptr, 10);
    job.params = params;
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        std::fprintf(stderr, "%s: %s\n", plan.error().field.c_str(), plan.error().message.c_str());
        return 65;
    }
    std::vector<std::byte> pixels(job.rows * job.cols);
    std::vector<float> map(pixels.size());
    if (std::fread(pixels.data(), 1, pixels.size(), stdin) != pixels.size()) return 66;
    const kernels::InputView input{pixels.data(), job.cols};
    const kernels::OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const Result<kernels::RunReport> report =
        kernels::run_job(job, Span<const kernels::InputView>(&input, 1), Span<const kernels::OutputView>(&output, 1),
                         nullptr, kernels::StopToken());
    if (!report) return 70;
    return std::fwrite(map.data(), sizeof(float), map.size(), stdout) == map.size() ? 0 : 74;
}
