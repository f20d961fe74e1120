// SPDX-License-Identifier: Apache-2.0
// The rows of S3 against the host, bit for bit: the largest magnitude has no rounding, and a quotient has
// one.
#include "tools/field/seeds/rowscale/rowscale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/tools/field/seeds/seeds_test.h"

namespace tegu::seeds {
namespace {

constexpr RowScaleStep kSteps[] = {
#define TEGU_X(Name, word, change) RowScaleStep::Name,
    TEGU_ROW_SCALE_STEPS(TEGU_X)
#undef TEGU_X
};

std::vector<float> expected_of(std::vector<float> values, std::uint64_t rows, std::uint64_t cols) {
    for (std::uint64_t row = 0; row < rows; ++row) {
        float magnitude = 0;
        for (std::uint64_t c = 0; c < cols; ++c)
            magnitude = std::max(magnitude, std::fabs(values[row * cols + c]));
        if (magnitude == 0) continue;
        for (std::uint64_t c = 0; c < cols; ++c) values[row * cols + c] /= magnitude;
    }
    return values;
}

class RowScaleTest : public SeedsTest {
  protected:
    void expect_rows(std::uint64_t rows, std::uint64_t cols, unsigned threads, std::size_t skip) {
        std::vector<float> values = random_floats(rows * cols, rows + cols);
        if (rows > 1) std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(cols), cols, -0.0f);
        const std::vector<float> expected = expected_of(values, rows, cols);
        for (const RowScaleStep step : kSteps) {
            const DeviceArray<float> x(values, skip), out(std::vector<float>(rows * cols), skip);
            const RowScaleMatrix matrix{x.data(), out.data(), rows, cols};
            ASSERT_EQ(launch_row_scale(step, matrix, threads, context_.stream), 0);
            const RowScaleMatrix in_place{x.data(), x.data(), rows, cols};
            wait();
            EXPECT_EQ(out.download(rows * cols), expected)
                << "step " << static_cast<int>(step) << ", " << rows << " x " << cols << ", " << threads
                << " threads";
            ASSERT_EQ(launch_row_scale(step, in_place, threads, context_.stream), 0);
            wait();
            EXPECT_EQ(x.download(rows * cols), expected) << "in place, step " << static_cast<int>(step);
        }
    }
};

TEST_F(RowScaleTest, AnyNumberOfColumns) {
    for (const std::uint64_t cols :
         {0u, 1u, 2u, 3u, 4u, 31u, 32u, 33u, 100u, 127u, 128u, 129u, 130u, 256u, 1000u})
        expect_rows(5, cols, 64, cols % 3);
}

TEST_F(RowScaleTest, RowsThatRegistersDoNotHold) {
    for (const std::uint64_t cols : {255u, 257u, 1024u, 1028u, 2047u, 2050u, 4100u})
        expect_rows(3, cols, 32, 0);
}

TEST_F(RowScaleTest, AnyNumberOfRows) {
    for (const std::uint64_t rows : {0u, 1u, 2u, 3u, 4u, 5u, 33u}) expect_rows(rows, 12, 128, 0);
}

TEST_F(RowScaleTest, ANanDoesNotCountAsAMagnitude) {
    std::vector<float> values(64, 2.0f);
    values[5] = std::numeric_limits<float>::quiet_NaN();
    for (const RowScaleStep step : kSteps) {
        const DeviceArray<float> x(values), out(std::vector<float>(64));
        ASSERT_EQ(launch_row_scale(step, RowScaleMatrix{x.data(), out.data(), 1, 64}, 32, context_.stream),
                  0);
        wait();
        const std::vector<float> found = out.download(64);
        EXPECT_TRUE(std::isnan(found[5]));
        EXPECT_EQ(found[6], 1.0f);
    }
}

TEST_F(RowScaleTest, PacksAreAsWideAsAddressesAndColumnsAllow) {
    float memory[8];
    alignas(16) float aligned[8];
    static_cast<void>(memory);
    EXPECT_EQ(row_scale_pack({aligned, aligned, 2, 4}), 4u);
    EXPECT_EQ(row_scale_pack({aligned, aligned + 2, 2, 4}), 2u);
    EXPECT_EQ(row_scale_pack({aligned, aligned, 2, 6}), 2u);
    EXPECT_EQ(row_scale_pack({aligned + 1, aligned, 2, 4}), 1u);
    EXPECT_EQ(row_scale_pack({aligned, aligned, 2, 3}), 1u);
}

}  // namespace
}  // namespace tegu::seeds
