// SPDX-License-Identifier: Apache-2.0
// Maps of more than 2^31 pixels: their last rows are those of an image of these rows alone.
#include <algorithm>
#include <random>

#include "tests/kernels/counting/counting_run.h"
#include "tests/kernels/execution/repeated_memory.h"

namespace tegu::test {
namespace {

using kernels::InputView;
using kernels::OutputView;
using kernels::ThreadPool;

// The tail of both, input and output, lies in the last window of its memory, which no other rows share.
constexpr std::uint64_t kRows = 32800, kCols = 65549, kTail = 24;

TEST(EntropyMapHuge, RowsBeyondTwoToThe31PixelsAreThoseOfTheirOwnImage) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "2^31 windows take too long under a sanitizer";
#endif
    const RepeatedMemory image(kRows * kCols), map(kRows * kCols * sizeof(float));
    if (!image.ok() || !map.ok()) GTEST_SKIP() << "no memory for windows";
    image.fill(7);
    const std::uint64_t tail = (kRows - kTail) * kCols;
    ASSERT_GT(tail, std::uint64_t{1} << 31);
    std::mt19937_64 random(32);
    for (std::uint64_t i = 0; i < kTail * kCols; ++i)
        image.data()[tail + i] = static_cast<std::byte>(random());

    EntropyMapParams params;
    params.window_rows = params.window_cols = 3;
    params.levels = 4;
    ThreadPool pool(2);
    const auto run = [&](std::uint64_t rows, const std::byte* pixels, std::byte* entropies) {
        const Job job = counting_job(ElementType::U8, Axis::Whole, rows, kCols, params);
        const InputView input{pixels, kCols};
        const OutputView output{entropies};
        return kernels::run_job(job, Span<const InputView>(&input, 1), Span<const OutputView>(&output, 1),
                                &pool, {});
    };
    ASSERT_TRUE(run(kRows, image.data(), map.data()).ok());
    std::vector<float> wanted(kTail * kCols);
    ASSERT_TRUE(run(kTail, image.data() + tail, reinterpret_cast<std::byte*>(wanted.data())).ok());
    const float* const found = reinterpret_cast<const float*>(map.data()) + tail;
    // The first of these rows has other neighbours.
    EXPECT_EQ(std::memcmp(found + kCols, wanted.data() + kCols, (kTail - 1) * kCols * sizeof(float)), 0);
    EXPECT_GT(*std::max_element(wanted.begin() + kCols, wanted.end()), 0.0f);
    EXPECT_EQ(found[-std::ptrdiff_t{3} * static_cast<std::ptrdiff_t>(kCols)], 0.0f) << "flat before";
}

}  // namespace
}  // namespace tegu::test
