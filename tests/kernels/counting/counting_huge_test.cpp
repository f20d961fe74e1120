// SPDX-License-Identifier: Apache-2.0
// Histogram, entropy and fused of more than 2^31 elements: the counts are known from two windows of memory,
// one of which repeats.
#include <random>

#include "kernels/counting/cpu/level_counter.h"
#include "tests/kernels/counting/counting_run.h"
#include "tests/kernels/execution/repeated_memory.h"

namespace tegu::test {
namespace {

using kernels::StopToken;
using kernels::ThreadPool;

constexpr std::uint64_t kElements = (std::uint64_t{1} << 31) + 1000;

// Elements whose values are whole numbers 0 .. 255, other ones in the last window than before.
template <class T>
class HugeBytes {
  public:
    HugeBytes() : memory_(kElements * sizeof(T)), counts_(256) {
        if (!memory_.ok()) return;
        std::mt19937_64 random(31);
        const std::uint64_t in_window = RepeatedMemory::kWindow / sizeof(T);
        const std::uint64_t last = (kElements - 1) / in_window;  // windows before the last
        fill(0, in_window, last, 200, random);
        fill(last * in_window, kElements - last * in_window, 1, 256, random);
    }
    bool ok() const { return memory_.ok(); }
    const void* data() const { return memory_.data(); }
    const std::vector<std::uint64_t>& counts() const { return counts_; }

  private:
    void fill(std::uint64_t begin, std::uint64_t n, std::uint64_t times, unsigned values,
              std::mt19937_64& random) {
        T* const elements = reinterpret_cast<T*>(memory_.data());
        for (std::uint64_t i = begin; i < begin + n; ++i) {
            const auto value = static_cast<unsigned>(random() >> 33) % values;
            elements[i] = static_cast<T>(value);
            counts_[value] += times;
        }
    }

    RepeatedMemory memory_;
    std::vector<std::uint64_t> counts_;
};

HistogramParams bytes_as_bins() {
    HistogramParams params;
    params.bins = 256;
    params.has_range = true;
    params.hi = 256;
    return params;
}

EntropyParams bytes_as_levels() {
    EntropyParams params;
    params.levels = 256;
    params.has_range = true;
    params.hi = 256;
    return params;
}

void expect_counts(const Ran& ran, std::size_t array, const std::vector<std::uint64_t>& counts) {
    for (std::uint64_t bin = 0; bin < counts.size(); ++bin)
        ASSERT_EQ(ran.at<std::uint64_t>(array, bin), counts[bin]) << "bin " << bin;
}

double entropy_of_counts(const std::vector<std::uint64_t>& counts) {
    return kernels::entropy_of(Span<const std::uint64_t>(counts.data(), counts.size()), LogBase::Two);
}

template <class T>
Ran run_huge(const HugeBytes<T>& x, const JobParams& params) {
    ThreadPool pool(2);
    return run_counting(counting_job(ElementTypeOf<T>::value, Axis::Whole, 1, kElements, params), x.data(), 0,
                        &pool);
}

// All in one read.
template <class T>
void expect_fused(const HugeBytes<T>& x) {
    ReduceParams reduce;
    reduce.statistics = statistic_bit(Statistic::Count);
    const Ran fused = run_huge(x, FusedParams{{reduce, bytes_as_bins(), bytes_as_levels()}});
    ASSERT_TRUE(fused.report.ok()) << fused.report.error().message;
    ASSERT_EQ(fused.arrays.size(), 4u);  // the count, the counts, their edges, the entropy
    EXPECT_EQ(fused.at<std::uint64_t>(0, 0), kElements);
    expect_counts(fused, 1, x.counts());
    EXPECT_EQ(fused.at<double>(3, 0), entropy_of_counts(x.counts()));
}

TEST(CountingHuge, BytesBeyondTwoToThe31AreCountedByValue) {
    const HugeBytes<std::uint8_t> x;
    if (!x.ok()) GTEST_SKIP() << "no memory for windows";
    expect_fused(x);
    const Ran counts = run_huge(x, bytes_as_bins());
    ASSERT_TRUE(counts.report.ok());
    expect_counts(counts, 0, x.counts());
    const Ran entropy = run_huge(x, bytes_as_levels());
    ASSERT_TRUE(entropy.report.ok());
    EXPECT_EQ(entropy.at<double>(0, 0), entropy_of_counts(x.counts()));
}

TEST(CountingHuge, FloatsBeyondTwoToThe31AreCountedByBinAndLevel) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "8 GiB of floats take too long under a sanitizer";
#endif
    if (std::string(kernels::cpu_isa()) == "sse2")
        GTEST_SKIP() << "8 GiB of floats take too long without vectors";
    const HugeBytes<float> x;
    if (!x.ok()) GTEST_SKIP() << "no memory for windows";
    expect_fused(x);
}

TEST(CountingHuge, ADeadlineEndsThem) {
    const HugeBytes<std::uint8_t> x;
    if (!x.ok()) GTEST_SKIP() << "no memory for windows";
    for (const JobParams& params : {JobParams(bytes_as_bins()), JobParams(bytes_as_levels()),
                                    JobParams(FusedParams{{bytes_as_bins(), bytes_as_levels()}})}) {
        const StopToken late(nullptr, StopToken::Clock::now() + std::chrono::milliseconds(2));
        const Ran ran = run_counting(counting_job(ElementType::U8, Axis::Whole, 1, kElements, params),
                                     x.data(), 0, nullptr, late);
        ASSERT_FALSE(ran.report.ok());
        EXPECT_EQ(ran.report.error().status, Status::DeadlineExceeded);
    }
}

}  // namespace
}  // namespace tegu::test
