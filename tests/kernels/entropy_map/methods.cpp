// SPDX-License-Identifier: Apache-2.0
// Measures what each method of entropy_map costs per pixel on this machine, and what each element type adds,
// as the lines of docs/benchmarks/entropy-map-methods.tsv; the numbers in kernels/entropy_map/cpu/policy.cpp
// were fitted to them. scripts/plot-entropy-map.py makes tables and a plot of that file. Not a test: it takes
// half a minute and nothing can fail.
// usage: [TEGU_CPU_ISA=sse2|avx2] entropy_map_methods IMAGE.pgm >> FILE.tsv
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/entropy_map/method.h"

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

// Time that this thread computed: other programs on the machine disturb it less than they disturb a clock on
// the wall.
double cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

struct Time {
    double ns =
        -1;  // per pixel, the best of at least five runs in 0.1 s; negative if the method cannot do it
    double noise = 0;  // of the median above the best
};

Time measure(const std::vector<std::byte>& pixels, const Job& job, const EntropyMapParams& params,
             EntropyMethod method) {
    if (!entropy_method_supports(method, params)) return {};
    const EntropyPolicy policy{method, 64, method == EntropyMethod::Slide ? 1024u : 512u};
    std::vector<float> map(job.rows * job.cols);
    const InputView input{pixels.data(), job.cols};
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    std::vector<double> times;
    for (double total = 0; times.size() < 5 || total < 1e8; total += times.back()) {
        const double start = cpu_ns();
        const bool done = run_entropy_map(job, params, policy, Span<const InputView>(&input, 1),
                                          Span<const OutputView>(&output, 1), nullptr, StopToken())
                              .ok();
        if (!done) return {};
        times.push_back(cpu_ns() - start);
    }
    std::sort(times.begin(), times.end());
    return {times[0] / static_cast<double>(job.rows * job.cols), times[times.size() / 2] / times[0] - 1};
}

void print(const Job& job, const EntropyMapParams& params, EntropyMethod method, const Time& time) {
    const bool taken = choose_entropy_policy(params).method == method;
    std::printf("%s\t%s\t%s\t%u\t%u\t%s\t%.3f\t%.2f\t%s\n", cpu_isa(),
                std::string(element_word(job.type)).c_str(), params.has_range ? "given" : "none",
                params.levels, params.window_rows, std::string(entropy_method_word(method)).c_str(), time.ns,
                time.noise, taken ? "taken" : "-");
}

Job job_of(const Image& image, ElementType type, const EntropyMapParams& params) {
    Job job;
    job.type = type;
    job.rows = image.rows;
    job.cols = image.cols;
    job.params = params;
    return job;
}

void print_methods(const Image& image) {
    for (const std::uint32_t levels : {2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
        for (const std::uint32_t window : {3u, 5u, 7u, 9u, 15u, 31u, 63u}) {
            EntropyMapParams params;
            params.window_rows = params.window_cols = window;
            params.levels = levels;
            const Job job = job_of(image, ElementType::U8, params);
            for (const EntropyMethod method : {EntropyMethod::Planes, EntropyMethod::Prefix,
                                               EntropyMethod::Columns, EntropyMethod::Slide}) {
                const Time time = measure(image.pixels, job, params, method);
                if (time.ns > 0) print(job, params, method, time);
            }
        }
    }
}

// The image as another type, each pixel the same number: 5x5, 16 levels, with the range 0 to 256 and without
// one.
template <class T>
void print_type(const Image& image) {
    std::vector<std::byte> pixels(image.pixels.size() * sizeof(T));
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        const double value =
            static_cast<double>(image.pixels[i]) / (std::is_same<T, std::int8_t>::value ? 2 : 1);
        T pixel;
        if constexpr (std::is_same<T, Half>::value)
            pixel = float_to_half(static_cast<float>(value));
        else
            pixel = static_cast<T>(value);
        std::memcpy(pixels.data() + i * sizeof(T), &pixel, sizeof(T));
    }
    for (const bool range : {false, true}) {
        EntropyMapParams params;
        params.has_range = range;
        params.hi = 256;
        const Job job = job_of(image, ElementTypeOf<T>::value, params);
        const EntropyMethod method = choose_entropy_policy(params).method;
        print(job, params, method, measure(pixels, job, params, method));
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
    tegu::kernels::print_methods(image);
#define TEGU_X(number, Name, word, type) \
    if (tegu::ElementType::Name != tegu::ElementType::U8) tegu::kernels::print_type<type>(image);
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    return 0;
}
