// SPDX-License-Identifier: Apache-2.0
// tegu-bench-simd: the shipped loops beside the same work written with Highway, instruction set by
// instruction set, on data in L2 and in memory. It answers one question: would a SIMD library make a loop
// faster than the compiler does. docs/simd.md keeps the answer. Both sides take turns and must agree; the
// ratio is that of their best times. Built only where Highway is installed.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/bench/simd_highway.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tegu::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The canonical sum of a chunk of 16 full tiles (docs/numerics.md), of finite elements.
double sum_chunk(const float* HWY_RESTRICT x) {
    const hn::ScalableTag<float> d;
    const hn::ScalableTag<double> wide;
    const hn::Rebind<float, decltype(wide)> half;
    const size_t lanes = hn::Lanes(d);
    HWY_ALIGN float acc[128];
    HWY_ALIGN float leaf[32];
    HWY_ALIGN double nodes[5][32];
    for (unsigned t = 0; t < 16; ++t, x += 1024) {
        for (size_t k = 0; k < 128; k += lanes) {
            auto sum = hn::LoadU(d, x + k);
            for (size_t row = 1; row < 8; ++row) sum = hn::Add(sum, hn::LoadU(d, x + row * 128 + k));
            hn::Store(sum, d, acc + k);
        }
        for (size_t l = 0; l < 32; l += lanes) {
            hn::Vec<decltype(d)> a, b, c, e;
            hn::LoadInterleaved4(d, acc + 4 * l, a, b, c, e);
            hn::Store(hn::Add(hn::Add(a, b), hn::Add(c, e)), d, leaf + l);
        }
        const unsigned level = static_cast<unsigned>(__builtin_ctz(~t));  // as in a binary counter
        for (size_t l = 0; l < 32; l += hn::Lanes(wide)) {
            auto node = hn::PromoteTo(wide, hn::Load(half, leaf + l));
            for (unsigned below = 0; below < level; ++below)
                node = hn::Add(hn::Load(wide, nodes[below] + l), node);
            hn::Store(node, wide, nodes[level] + l);
        }
    }
    for (size_t width = 16; width >= 1; width /= 2)
        for (size_t l = 0; l < width; ++l) nodes[4][l] += nodes[4][l + width];
    return nodes[4][0];
}

// Smallest and largest of n elements, a multiple of four vectors.
template <class T>
void extremes_of(const T* HWY_RESTRICT x, size_t n, T* out) {
    const hn::ScalableTag<T> d;
    const size_t lanes = hn::Lanes(d);
    auto min0 = hn::Set(d, x[0]), min1 = min0, min2 = min0, min3 = min0;
    auto max0 = min0, max1 = min0, max2 = min0, max3 = min0;
    auto nans = hn::Zero(d);  // floats: not a number once an element is none, as the shipped loop asks too
    for (size_t i = 0; i < n; i += 4 * lanes) {
        const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + lanes);
        const auto c = hn::LoadU(d, x + i + 2 * lanes), e = hn::LoadU(d, x + i + 3 * lanes);
        min0 = hn::Min(a, min0), min1 = hn::Min(b, min1), min2 = hn::Min(c, min2), min3 = hn::Min(e, min3);
        max0 = hn::Max(a, max0), max1 = hn::Max(b, max1), max2 = hn::Max(c, max2), max3 = hn::Max(e, max3);
        if (hwy::IsFloat<T>()) nans = hn::Add(nans, hn::Add(hn::Add(a, b), hn::Add(c, e)));
    }
    HWY_ALIGN T low[HWY_MAX_BYTES / sizeof(T)];
    HWY_ALIGN T high[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(hn::Min(hn::Min(min0, min1), hn::Min(min2, min3)), d, low);
    hn::Store(hn::Max(hn::Max(max0, max1), hn::Max(max2, max3)), d, high);
    out[0] = low[0], out[1] = high[0];
    for (size_t l = 1; l < lanes; ++l) {
        out[0] = low[l] < out[0] ? low[l] : out[0];
        out[1] = high[l] > out[1] ? high[l] : out[1];
    }
    hn::Store(nans, d, low);
    for (size_t l = 0; l < lanes; ++l) out[0] = low[l] == low[l] ? out[0] : low[l];
}
void extremes_f32(const float* x, size_t n, float* out) {
    extremes_of(x, n, out);
}
void extremes_i32(const int32_t* x, size_t n, int32_t* out) {
    extremes_of(x, n, out);
}
void extremes_u8(const uint8_t* x, size_t n, uint8_t* out) {
    extremes_of(x, n, out);
}

// Appends rank << 32 | index for each rank <= bound; ranks are elements ^ flip. Returns how many. `out` has
// room for n + a vector. Comparisons are written with what Highway 1.0.3 has: none of unsigned integers by
// order, so a minimum and signed ones.
size_t collect(const uint32_t* HWY_RESTRICT x, size_t n, uint32_t flip, uint32_t bound,
               uint64_t* HWY_RESTRICT out) {
    size_t found = 0;
#if HWY_TARGET != HWY_SCALAR  // has no halves of vectors
    const hn::ScalableTag<uint32_t> d;
    const hn::ScalableTag<uint64_t> wide;
    const hn::ScalableTag<int64_t> sign;
    const hn::Half<decltype(d)> half;
    const size_t step = hn::Lanes(wide);
    const auto limit = hn::Set(sign, int64_t{bound} + 1);
    for (size_t i = 0; i < n; i += 2 * step) {
        const auto ranks = hn::Xor(hn::LoadU(d, x + i), hn::Set(d, flip));
        if (hn::AllFalse(d, hn::Eq(hn::Min(ranks, hn::Set(d, bound)), ranks))) continue;
        const auto add = [&](hn::Vec<decltype(wide)> rank, size_t first) {
            const auto within = hn::MaskFromVec(
                hn::BitCast(wide, hn::VecFromMask(sign, hn::Lt(hn::BitCast(sign, rank), limit))));
            const auto entry = hn::Or(hn::ShiftLeft<32>(rank), hn::Iota(wide, static_cast<uint64_t>(first)));
            found += hn::CompressStore(entry, within, wide, out + found);
        };
        add(hn::PromoteTo(wide, hn::LowerHalf(half, ranks)), i);
        add(hn::PromoteTo(wide, hn::UpperHalf(half, ranks)), i + step);
    }
#else
    static_cast<void>(x), static_cast<void>(n), static_cast<void>(flip), static_cast<void>(bound),
        static_cast<void>(out);
#endif
    return found;
}

}  // namespace tegu::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/numerics/sort_key.h"
#include "kernels/selection/cpu/scan.h"
#include "kernels/statistics/cpu/chunk.h"

namespace tegu::bench {
HWY_EXPORT(sum_chunk);
HWY_EXPORT(extremes_f32);
HWY_EXPORT(extremes_i32);
HWY_EXPORT(extremes_u8);
HWY_EXPORT(collect);

namespace {

using kernels::CpuIsa;
constexpr std::size_t kChunk = kernels::kChunkElements;
constexpr std::size_t kMemoryBytes = 64 << 20;

// The shipped functions of one instruction set, and Highway's name for it.
struct Side {
    CpuIsa isa;
    const char* word;
    std::int64_t highway;
    kernels::FloatChunkKernel f32;
    kernels::IntegerChunkKernel i32, u8;
    const kernels::selection::ScanKernels* scan;
};

std::vector<Side> sides() {
#define TEGU_SIDE(isa, Isa, target)      \
    Side{CpuIsa::Isa,                    \
         #isa,                           \
         target,                         \
         kernels::isa::reduce_chunk_f32, \
         kernels::isa::reduce_chunk_i32, \
         kernels::isa::reduce_chunk_u8,  \
         &kernels::isa::selection_scan_kernels(ElementType::I32)}
#if defined(__x86_64__)
    std::vector<Side> all{TEGU_SIDE(avx512, Avx512, HWY_AVX3), TEGU_SIDE(avx2, Avx2, HWY_AVX2)};
    while (!all.empty() && static_cast<int>(all.front().isa) > static_cast<int>(kernels::detected_cpu_isa()))
        all.erase(all.begin());
    return all;
#elif defined(__aarch64__)
    return {TEGU_SIDE(neon, Neon, HWY_NEON)};
#else
    return {};
#endif
}

using Loop = std::function<void(std::size_t chunk)>;

double best_ns(double best, std::size_t chunks, const Loop& loop) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t c = 0; c < chunks; ++c) loop(c);
    return std::min(
        best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
}

// One line: both in turns over `chunks` chunks of `bytes` bytes. `agree` is asked after both have run.
void compare(const Side& side, const std::string& name, std::size_t bytes, std::size_t chunks,
             const Loop& shipped, const Loop& highway, const std::function<bool()>& agree) {
    const int rounds = chunks == 1 ? 400 : 15;
    hwy::SetSupportedTargetsForTest(side.highway);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    double ours = 1e300, theirs = 1e300;
    for (int round = 0; round < rounds; ++round) {
        ours = best_ns(ours, chunks, shipped);
        theirs = best_ns(theirs, chunks, highway);
    }
    const auto all = static_cast<double>(bytes * chunks);
    std::printf("| %s | %s | %s | %.1f | %.1f | %.2f | %s |\n", name.c_str(), side.word,
                chunks == 1 ? "L2" : "memory", all / ours, all / theirs, ours / theirs,
                agree() ? "same" : "DIFFERENT");
    hwy::SetSupportedTargetsForTest(0);
}

// As many elements as kMemoryBytes hold; the first chunk is what the cases in L2 read.
template <class T>
const std::vector<T>& uniform() {
    static const std::vector<T> all = [] {
        std::mt19937_64 random(2026);
        std::vector<T> x(kMemoryBytes / sizeof(T));
        for (T& value : x) value = static_cast<T>(random() >> 40);
        return x;
    }();
    return all;
}

template <class T>
std::size_t chunks_of(bool memory) {
    return memory ? kMemoryBytes / sizeof(T) / kChunk : 1;
}

void run_sum(const Side& side, bool memory) {
    const float* x = uniform<float>().data();
    kernels::FloatPartial partial{};
    double sum = 0;
    compare(
        side, "sum f32", 4 * kChunk, chunks_of<float>(memory),
        [&](std::size_t c) { side.f32(kernels::kNeedSum, x + c * kChunk, kChunk, &partial); },
        [&](std::size_t c) { sum = HWY_DYNAMIC_DISPATCH(sum_chunk)(x + c * kChunk); },
        [&] { return partial.sum == sum; });
}

template <class T, class Partial, class Kernel, class Highway>
void run_extremes(const Side& side, bool memory, const char* name, Kernel kernel, Highway highway) {
    const T* x = uniform<T>().data();
    Partial partial{};
    T ends[2];
    compare(
        side, name, sizeof(T) * kChunk, chunks_of<T>(memory),
        [&](std::size_t c) { kernel(kernels::kNeedExtrema, x + c * kChunk, kChunk, &partial); },
        [&](std::size_t c) { highway(x + c * kChunk, kChunk, ends); },
        [&] { return static_cast<T>(partial.min) == ends[0] && static_cast<T>(partial.max) == ends[1]; });
}

void run_collect(const Side& side, unsigned per_mille) {
    const std::vector<std::int32_t>& w = uniform<std::int32_t>();
    const std::uint64_t flip = kernels::key::flip_of(true, true, 4);
    const auto flip32 = static_cast<std::uint32_t>(flip);
    std::vector<std::uint32_t> ranks(kChunk);
    for (std::size_t i = 0; i < kChunk; ++i) ranks[i] = static_cast<std::uint32_t>(w[i]) ^ flip32;
    std::sort(ranks.begin(), ranks.end());
    const std::uint32_t bound = ranks[kChunk * per_mille / 1000];
    std::vector<std::uint64_t> shipped(kChunk), highway(kChunk + 16);
    std::size_t ours = 0, theirs = 0;
    const kernels::selection::Elements elements{reinterpret_cast<const std::byte*>(w.data()), kChunk, flip};
    compare(
        side, "collect i32, " + std::to_string(per_mille) + " of 1000", 4 * kChunk, 1,
        [&](std::size_t) { ours = side.scan->collect64(elements, 0, bound, 32, shipped.data()); },
        [&](std::size_t) {
            const auto* bits = reinterpret_cast<const std::uint32_t*>(w.data());
            theirs = HWY_DYNAMIC_DISPATCH(collect)(bits, kChunk, flip32, bound, highway.data());
        },
        [&] { return ours == theirs && std::equal(shipped.data(), shipped.data() + ours, highway.data()); });
}

void run(const Side& side) {
    using namespace kernels;
    for (const bool memory : {false, true}) {
        run_sum(side, memory);
        run_extremes<float, FloatPartial>(side, memory, "min, max f32", side.f32, [](auto... a) {
            HWY_DYNAMIC_DISPATCH(extremes_f32)(a...);
        });
        run_extremes<std::int32_t, IntegerPartial>(side, memory, "min, max i32", side.i32, [](auto... a) {
            HWY_DYNAMIC_DISPATCH(extremes_i32)(a...);
        });
        run_extremes<std::uint8_t, IntegerPartial>(side, memory, "min, max u8", side.u8, [](auto... a) {
            HWY_DYNAMIC_DISPATCH(extremes_u8)(a...);
        });
    }
    for (const unsigned per_mille : {1u, 100u, 500u}) run_collect(side, per_mille);
}

}  // namespace
}  // namespace tegu::bench

int main() {
    std::printf(
        "| loop over 16384 elements | set | data in | shipped GB/s | Highway GB/s | Highway / shipped | "
        "results "
        "|\n|---|---|---|--:|--:|--:|---|\n");
    for (const auto& side : tegu::bench::sides()) tegu::bench::run(side);
    return 0;
}
#endif
