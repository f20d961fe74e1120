// SPDX-License-Identifier: Apache-2.0
// tegu-bench-simd: the shipped loops beside the same work written with Highway, instruction set by instruction set, on data that stays in L2. It
// answers one question: would a SIMD library make a loop faster than the compiler does. docs/simd.md keeps the answer. Both sides
// take turns and must agree; the ratio is that of their best times. Built only where Highway is installed.
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
            for (unsigned below = 0; below < level; ++below) node = hn::Add(hn::Load(wide, nodes[below] + l), node);
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
    for (size_t i = 0; i < n; i += 4 * lanes) {
        const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + lanes);
        const auto c = hn::LoadU(d, x + i + 2 * lanes), e = hn::LoadU(d, x + i + 3 * lanes);
        min0 = hn::Min(a, min0), min1 = hn::Min(b, min1), min2 = hn::Min(c, min2), min3 = hn::Min(e, min3);
        max0 = hn::Max(a, max0), max1 = hn::Max(b, max1), max2 = hn::Max(c, max2), max3 = hn::Max(e, max3);
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

// Appends rank << 32 | index for each rank <= bound; ranks are elements ^ flip. Returns how many. `out` has room for n + a vector.
// Comparisons are written with what Highway 1.0.3 has: none of unsigned integers by order, so a minimum and signed ones.
size_t collect(const uint32_t* HWY_RESTRICT x, size_t n, uint32_t flip, uint32_t bound, uint64_t* HWY_RESTRICT out) {
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
            const auto within =
                hn::MaskFromVec(hn::BitCast(wide, hn::VecFromMask(sign, hn::Lt(hn::BitCast(sign, rank), limit))));
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

#include "kernels/cpu/reduce_chunk.h"
#include "kernels/cpu/topk_rank.h"
#include "kernels/cpu/topk_scan.h"

namespace tegu::bench {
HWY_EXPORT(sum_chunk);
HWY_EXPORT(extremes_f32);
HWY_EXPORT(extremes_i32);
HWY_EXPORT(extremes_u8);
HWY_EXPORT(collect);

namespace {

using kernels::CpuIsa;
constexpr std::size_t kChunk = kernels::kChunkElements;
constexpr int kRounds = 400;

// The shipped functions of one instruction set, and Highway's name for it.
struct Side {
    CpuIsa isa;
    const char* word;
    std::int64_t highway;
    kernels::FloatChunkKernel f32;
    kernels::IntegerChunkKernel i32, u8;
    const kernels::topk::ScanKernels* scan;
};

std::vector<Side> sides() {
#define TEGU_SIDE(isa, Isa, target)      \
    Side{CpuIsa::Isa,                    \
         #isa,                           \
         target,                         \
         kernels::isa::reduce_chunk_f32, \
         kernels::isa::reduce_chunk_i32, \
         kernels::isa::reduce_chunk_u8,  \
         &kernels::isa::topk_scan_kernels(ElementType::I32)}
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

double best_ns(double best, const std::function<void()>& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
}

// One line: both in turns. `agree` is asked after both have run.
void compare(const Side& side, const std::string& name, std::size_t bytes, const std::function<void()>& shipped,
             const std::function<void()>& highway, const std::function<bool()>& agree) {
    hwy::SetSupportedTargetsForTest(side.highway);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    double ours = 1e300, theirs = 1e300;
    for (int round = 0; round < kRounds; ++round) {
        ours = best_ns(ours, shipped);
        theirs = best_ns(theirs, highway);
    }
    std::printf("| %s | %s | %.1f | %.1f | %.2f | %s |\n", name.c_str(), side.word, static_cast<double>(bytes) / ours,
                static_cast<double>(bytes) / theirs, ours / theirs, agree() ? "same" : "DIFFERENT");
    hwy::SetSupportedTargetsForTest(0);
}

template <class T>
std::vector<T> uniform(std::size_t n) {
    std::mt19937_64 random(2026);
    std::vector<T> x(n);
    for (T& value : x) value = static_cast<T>(random() >> 40);
    return x;
}

void run(const Side& side) {
    using namespace kernels;
    const std::vector<float> f = uniform<float>(kChunk);
    const std::vector<std::int32_t> w = uniform<std::int32_t>(kChunk);
    const std::vector<std::uint8_t> b = uniform<std::uint8_t>(kChunk);
    FloatPartial fp{};
    IntegerPartial ip{};
    double sum = 0;
    compare(
        side, "sum f32", 4 * kChunk, [&] { side.f32(kNeedSum, f.data(), kChunk, &fp); },
        [&] { sum = HWY_DYNAMIC_DISPATCH(sum_chunk)(f.data()); }, [&] { return fp.sum == sum; });
    float fe[2];
    compare(
        side, "min, max f32", 4 * kChunk, [&] { side.f32(kNeedExtrema, f.data(), kChunk, &fp); },
        [&] { HWY_DYNAMIC_DISPATCH(extremes_f32)
              (f.data(), kChunk, fe); },
        [&] { return fp.min == static_cast<double>(fe[0]) && fp.max == static_cast<double>(fe[1]); });
    std::int32_t we[2];
    compare(
        side, "min, max i32", 4 * kChunk, [&] { side.i32(kNeedExtrema, w.data(), kChunk, &ip); },
        [&] { HWY_DYNAMIC_DISPATCH(extremes_i32)
              (w.data(), kChunk, we); },
        [&] { return ip.min == we[0] && ip.max == we[1]; });
    std::uint8_t be[2];
    compare(
        side, "min, max u8", kChunk, [&] { side.u8(kNeedExtrema, b.data(), kChunk, &ip); },
        [&] { HWY_DYNAMIC_DISPATCH(extremes_u8)
              (b.data(), kChunk, be); },
        [&] { return ip.min == be[0] && ip.max == be[1]; });

    std::vector<std::uint64_t> shipped_entries(kChunk), highway_entries(kChunk + 16);
    for (const unsigned per_mille : {1u, 100u, 500u}) {
        const std::uint64_t flip = rank::flip_of(true, true, 4);
        std::vector<std::uint32_t> ranks(kChunk);
        for (std::size_t i = 0; i < kChunk; ++i)
            ranks[i] = static_cast<std::uint32_t>(w[i]) ^ static_cast<std::uint32_t>(flip);
        std::sort(ranks.begin(), ranks.end());
        const std::uint32_t bound = ranks[kChunk * per_mille / 1000];
        std::size_t ours = 0, theirs = 0;
        const topk::Elements elements{reinterpret_cast<const std::byte*>(w.data()), kChunk, flip};
        compare(
            side, "collect i32, " + std::to_string(per_mille) + " of 1000", 4 * kChunk,
            [&] { ours = side.scan->collect64(elements, 0, bound, 32, shipped_entries.data()); },
            [&] {
                theirs = HWY_DYNAMIC_DISPATCH(collect)(reinterpret_cast<const std::uint32_t*>(w.data()), kChunk,
                                                       static_cast<std::uint32_t>(flip), bound, highway_entries.data());
            },
            [&] {
                return ours == theirs &&
                       std::equal(shipped_entries.begin(), shipped_entries.begin() + static_cast<std::ptrdiff_t>(ours),
                                  highway_entries.begin());
            });
    }
}

}  // namespace
}  // namespace tegu::bench

int main() {
    std::printf(
        "| loop over 16384 elements | set | shipped GB/s | Highway GB/s | Highway / shipped | results "
        "|\n|---|---|--:|--:|--:|---|\n");
    for (const auto& side : tegu::bench::sides()) tegu::bench::run(side);
    return 0;
}
#endif
