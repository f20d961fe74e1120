// SPDX-License-Identifier: Apache-2.0
// Prints the table of docs/entropy-map.md: what each method costs per pixel on this machine, and which one the policy takes. The numbers
// in kernels/entropy_map_policy.cpp were fitted to it. Not a test: it takes half a minute and nothing can fail.
// usage: [TEGU_CPU_ISA=sse2|avx2] entropy_map_methods IMAGE.pgm
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/entropy_map.h"

namespace tegu::kernels {
namespace {

struct Image {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::vector<std::byte> pixels;
};

Image read_pgm(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::string magic;
    Image image;
    int top = 0;
    file >> magic >> image.cols >> image.rows >> top;
    if (magic != "P5" || top != 255) return {};
    file.get();
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
        image.pixels.push_back(static_cast<std::byte>(*at));
    return image.pixels.size() >= image.rows * image.cols ? image : Image{};
}

// Time that this thread computed: other programs on the machine disturb it less than they disturb a clock on the wall.
double cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// ns per pixel, the best of at least five runs in 0.1 s. Negative if the method cannot do it.
double measure(const Image& image, const EntropyMapParams& params, EntropyPolicy policy, EntropyMethod method) {
    if (!entropy_method_supports(method, params)) return -1;
    policy.method = method;
    policy.tile_cols = method == EntropyMethod::Slide ? 1024 : 512;
    Job job;
    job.type = ElementType::U8;
    job.rows = image.rows;
    job.cols = image.cols;
    job.params = params;
    std::vector<float> map(image.rows * image.cols);
    const InputView input{image.pixels.data(), image.cols};
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    double best = 1e18, total = 0;
    for (int runs = 0; runs < 5 || total < 1e8; ++runs) {
        const double start = cpu_ns();
        const bool done = run_entropy_map(job, params, policy, Span<const InputView>(&input, 1),
                                          Span<const OutputView>(&output, 1), nullptr, StopToken())
                              .ok();
        const double taken = cpu_ns() - start;
        if (!done) return -1;
        best = std::min(best, taken);
        total += taken;
    }
    return best / static_cast<double>(image.rows * image.cols);
}

void print_table(const Image& image) {
    std::printf("| levels | window | planes | prefix | columns | slide | taken |\n|---|---|---|---|---|---|---|\n");
    for (const std::uint32_t levels : {2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
        for (const std::uint32_t window : {3u, 5u, 7u, 9u, 15u, 31u, 63u}) {
            EntropyMapParams params;
            params.window_rows = params.window_cols = window;
            params.levels = levels;
            const EntropyPolicy policy = choose_entropy_policy(params);
            std::printf("| %u | %ux%u ", levels, window, window);
            for (const EntropyMethod method : {EntropyMethod::Planes, EntropyMethod::Prefix, EntropyMethod::Columns, EntropyMethod::Slide}) {
                const double ns = measure(image, params, policy, method);
                ns < 0 ? std::printf("| ") : std::printf("| %.2f ", ns);
            }
            std::printf("| %s |\n", std::string(entropy_method_word(policy.method)).c_str());
        }
    }
}

}  // namespace
}  // namespace tegu::kernels

int main(int argc, char** argv) {
    const tegu::kernels::Image image = argc == 2 ? tegu::kernels::read_pgm(argv[1]) : tegu::kernels::Image{};
    if (image.pixels.empty()) {
        std::fprintf(stderr, "usage: entropy_map_methods IMAGE.pgm (binary, 8 bits)\n");
        return 64;
    }
    std::printf("ns per pixel, one thread, %s, %llux%llu u8\n\n", tegu::kernels::cpu_isa(),
                static_cast<unsigned long long>(image.rows), static_cast<unsigned long long>(image.cols));
    tegu::kernels::print_table(image);
    return 0;
}
