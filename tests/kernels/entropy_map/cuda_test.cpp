// SPDX-License-Identifier: Apache-2.0
// entropy_map on the GPU backend beyond the common jobs: every method, policies, windows larger than the
// image, borders, pieces, ranges, NaN.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/entropy_map/cuda/columns.h"
#include "kernels/entropy_map/cuda/quads.h"
#include "kernels/entropy_map/cuda/slide.h"
#include "kernels/numerics/entropy_table.h"
#include "kernels/numerics/levels.h"
#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/cuda_test.h"
#include "tests/kernels/cuda/watched_workspace.h"

namespace tegu::test {
namespace {

using cuda::EntropyMapMethod;
using cuda::EntropyMapPolicy;
using testing_support::Content;
using testing_support::DigestShape;

const EntropyMapPolicy kPolicies[] = {
    {EntropyMapMethod::Chosen, 128, 0, 0, 0},    {EntropyMapMethod::Slide, 32, 1, 0, 0},
    {EntropyMapMethod::Slide, 64, 7, 1, 1500},   {EntropyMapMethod::Chosen, 64, 5, 0, 2100},
    {EntropyMapMethod::Columns, 32, 6, 0, 1700}, {EntropyMapMethod::Chosen, 256, 40, 1, 0}};

class CudaEntropyMap : public CudaTest {
  protected:
    void expect_same(ElementType type, const DigestShape& shape, Content content,
                     const EntropyMapParams& params) {
        const TestInput input{testing_support::make_digest_input(type, content, shape, ++seed_), shape.offset,
                              shape.cols + shape.extra};
        expect_same(
            type, shape, input, params,
            "content " + std::to_string(static_cast<int>(content)) + ", seed " + std::to_string(seed_));
    }
    void expect_same(ElementType type, const DigestShape& shape, const TestInput& input,
                     const EntropyMapParams& params, const std::string& name) {
        const Job job{type, Axis::Whole, shape.rows, shape.cols, params};
        ASSERT_TRUE(kernels::plan_job(job)) << name;
        const EntropyMapPolicy& policy = context_.policies.entropy_map;
        ASSERT_TRUE(same_on_both(context_, job, {input}))
            << element_word(type) << ' ' << shape.rows << " x " << shape.cols << ", gap " << shape.extra
            << ", offset " << shape.offset << ", " << name << ", window " << params.window_rows << " x "
            << params.window_cols << ", " << params.levels << " levels"
            << (params.border == Border::Mirror ? ", mirror" : "") << ", method "
            << static_cast<int>(policy.method) << ", threads " << policy.threads_per_block << ", strip "
            << policy.rows_per_strip << ", columns " << policy.columns_per_thread << ", piece "
            << policy.piece_pixels;
    }
    std::uint64_t seed_ = 0;
};

EntropyMapParams params_of(std::uint32_t rows, std::uint32_t cols, std::uint32_t levels, Border border,
                           LogBase base = LogBase::Two) {
    EntropyMapParams params;
    params.window_rows = rows;
    params.window_cols = cols;
    params.levels = levels;
    params.border = border;
    params.base = base;
    return params;
}

const EntropyMapParams kMaps[] = {
    params_of(3, 3, 16, Border::Clip),    params_of(3, 3, 2, Border::Mirror),
    params_of(5, 5, 16, Border::Clip),    params_of(5, 5, 13, Border::Mirror),
    params_of(7, 7, 16, Border::Mirror),  params_of(9, 9, 15, Border::Clip),
    params_of(9, 9, 16, Border::Mirror),  params_of(5, 5, 17, Border::Clip),
    params_of(7, 7, 8, Border::Clip),     params_of(9, 9, 4, Border::Mirror),
    params_of(5, 3, 16, Border::Clip),    params_of(15, 17, 30, Border::Mirror),
    params_of(17, 15, 256, Border::Clip),
};

TEST_F(CudaEntropyMap, EveryPolicyGivesTheSameBits) {
    for (const EntropyMapPolicy& policy : kPolicies) {
        context_.policies.entropy_map = policy;
        for (const EntropyMapParams& params : kMaps) {
            expect_same(ElementType::F32, DigestShape{19, 150, 0, 0}, Content::Special, params);
            expect_same(ElementType::U8, DigestShape{11, 135, 5, 1}, Content::Wide, params);
        }
    }
}

// Pieces of a few columns, of a row, of several rows, and of all.
TEST_F(CudaEntropyMap, EveryPieceGivesTheSameBits) {
    for (const std::uint64_t pixels : {3, 17, 60, 150, 1000})
        for (const EntropyMapMethod method : {EntropyMapMethod::Chosen, EntropyMapMethod::Slide})
            for (const Border border : {Border::Clip, Border::Mirror}) {
                context_.policies.entropy_map = EntropyMapPolicy{method, 32, 3, 0, pixels};
                expect_same(ElementType::F32, DigestShape{7, 30, 2, 0}, Content::Special,
                            params_of(5, 5, 16, border));
                expect_same(ElementType::I16, DigestShape{7, 30, 0, 0}, Content::Wide,
                            params_of(9, 9, 16, border));
            }
}

TEST_F(CudaEntropyMap, EveryShapeGivesTheSameBits) {
    for (const std::uint64_t cols :
         {1, 2, 3, 4, 5, 31, 32, 33, 119, 120, 121, 124, 127, 128, 129, 255, 256, 257})
        for (const std::uint64_t rows : {1, 2, 6})
            for (const Border border : {Border::Clip, Border::Mirror}) {
                expect_same(ElementType::U8, DigestShape{rows, cols, 0, 0}, Content::Wide,
                            params_of(5, 5, 16, border));
                expect_same(ElementType::F32, DigestShape{rows, cols, 0, 0}, Content::Wide,
                            params_of(9, 9, 16, border, LogBase::E));
                expect_same(ElementType::I16, DigestShape{rows, cols, 0, 0}, Content::Wide,
                            params_of(7, 3, 20, border));
            }
}

// Large enough for kernels to mirror pixels themselves; several blocks and strips.
TEST_F(CudaEntropyMap, LargerImagesGiveTheSameBits) {
    const std::uint64_t cols = largest_test_elements() > 1000000 ? 2501 : 261;
    for (const std::uint64_t gap : {0, 3})
        for (const Border border : {Border::Clip, Border::Mirror}) {
            const DigestShape shape{257, cols, gap, 0};
            expect_same(ElementType::U8, shape, Content::Wide, params_of(9, 9, 16, border));
            expect_same(ElementType::F32, shape, Content::Special, params_of(5, 5, 16, border));
        }
    expect_same(ElementType::F32, DigestShape{257, cols, 0, 0}, Content::Plain,
                params_of(31, 11, 64, Border::Mirror));
}

// Windows that slide to both sides: windows and levels of every size, sides and strips that end anywhere,
// pieces, borders on every side.
TEST_F(CudaEntropyMap, ColumnsGiveTheSameBits) {
    for (const EntropyMapPolicy& policy : {EntropyMapPolicy{EntropyMapMethod::Columns, 8, 0, 0, 0},
                                           EntropyMapPolicy{EntropyMapMethod::Columns, 16, 5, 0, 900},
                                           EntropyMapPolicy{EntropyMapMethod::Columns, 32, 1, 0, 0}}) {
        context_.policies.entropy_map = policy;
        for (const Border border : {Border::Clip, Border::Mirror}) {
            for (const auto& shape :
                 {DigestShape{13, 61, 0, 0}, DigestShape{5, 140, 3, 1}, DigestShape{20, 7, 0, 0}}) {
                expect_same(ElementType::U8, shape, Content::Wide, params_of(3, 3, 33, border));
                expect_same(ElementType::U8, shape, Content::Wide, params_of(11, 11, 2, border));
                expect_same(ElementType::U8, shape, Content::Wide, params_of(13, 33, 16, border));
                expect_same(ElementType::I16, shape, Content::Wide, params_of(31, 5, 17, border));
                expect_same(ElementType::F32, shape, Content::Special,
                            params_of(5, 9, 64, border, LogBase::E));
                expect_same(ElementType::U16, shape, Content::Wide, params_of(15, 17, 65, border));
                expect_same(ElementType::U8, shape, Content::Wide, params_of(9, 63, 128, border));
                expect_same(ElementType::U8, shape, Content::Wide, params_of(11, 31, 129, border));
                expect_same(ElementType::U8, shape, Content::Ties, params_of(63, 3, 256, border));
            }
            expect_same(ElementType::U8, DigestShape{70, 90, 0, 0}, Content::Wide,
                        params_of(31, 31, 256, border));
            expect_same(ElementType::U8, DigestShape{66, 67, 0, 0}, Content::Plain,
                        params_of(63, 63, 256, border));
            expect_same(ElementType::U8, DigestShape{66, 300, 1, 0}, Content::Wide,
                        params_of(63, 63, 32, border));
            expect_same(ElementType::U8, DigestShape{40, 520, 0, 0}, Content::Wide,
                        params_of(23, 63, 16, border));
        }
    }
}

// Four windows a thread: blocks that end anywhere, strips, pieces, borders on every side, one level more than
// a byte has for missing pixels.
TEST_F(CudaEntropyMap, QuadsGiveTheSameBits) {
    for (const EntropyMapPolicy& policy : {EntropyMapPolicy{EntropyMapMethod::Quads, 8, 0, 0, 0},
                                           EntropyMapPolicy{EntropyMapMethod::Quads, 32, 3, 0, 500}}) {
        context_.policies.entropy_map = policy;
        for (const Border border : {Border::Clip, Border::Mirror})
            for (const auto& shape : {DigestShape{13, 61, 0, 0}, DigestShape{5, 139, 3, 1},
                                      DigestShape{20, 7, 0, 0}, DigestShape{1, 2, 0, 0}}) {
                expect_same(ElementType::U8, shape, Content::Wide, params_of(3, 3, 256, border));
                expect_same(ElementType::F32, shape, Content::Special,
                            params_of(5, 5, 255, border, LogBase::E));
                expect_same(ElementType::U8, shape, Content::Ties, params_of(7, 7, 17, border));
                expect_same(ElementType::U16, shape, Content::Wide, params_of(9, 9, 256, border));
                expect_same(ElementType::U8, shape, Content::Plain, params_of(9, 9, 16, border));
                expect_same(ElementType::U8, shape, Content::Wide, params_of(11, 11, 256, border));
                expect_same(ElementType::I16, shape, Content::Wide, params_of(13, 13, 64, border));
                expect_same(ElementType::U8, shape, Content::Plain, params_of(15, 15, 256, border));
            }
    }
}

TEST_F(CudaEntropyMap, WindowsLargerThanTheImageGiveTheSameBits) {
    for (const Border border : {Border::Clip, Border::Mirror})
        for (const auto& shape : {DigestShape{1, 1, 0, 0}, DigestShape{2, 5, 0, 0}, DigestShape{7, 3, 2, 0},
                                  DigestShape{40, 1, 0, 0}, DigestShape{3, 40, 0, 0}}) {
            expect_same(ElementType::F32, shape, Content::Special, params_of(63, 63, 256, border));
            expect_same(ElementType::U16, shape, Content::Wide, params_of(63, 3, 5, border, LogBase::E));
            expect_same(ElementType::U8, shape, Content::Wide, params_of(9, 9, 16, border));
        }
}

TEST_F(CudaEntropyMap, EveryTypeRangeAndAddressGivesTheSameBits) {
    for (std::uint8_t number = 1; is_element_type(number); ++number) {
        const auto type = static_cast<ElementType>(number);
        for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties})
            for (const auto& shape : {DigestShape{9, 70, 0, 0}, DigestShape{9, 33, 3, 1},
                                      DigestShape{9, 64, 4, element_bytes(type)}}) {
                EntropyMapParams params = params_of(5, 5, 16, Border::Clip);
                params.has_range = true;
                params.lo = 1.5;
                params.hi = 101.25;
                expect_same(type, shape, content, params);
                params = params_of(5, 5, 256, Border::Mirror);
                params.has_range = !is_float(type);
                params.lo = -3e4;
                params.hi = 7e9;
                expect_same(type, shape, content, params);
                expect_same(type, shape, content, params_of(7, 7, 10, Border::Mirror));
            }
    }
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

TEST_F(CudaEntropyMap, OneNanSpoilsTheWindowsThatHoldIt) {
    const std::uint64_t rows = 40, cols = 131;
    for (const EntropyMapPolicy& policy : {kPolicies[0], kPolicies[2]}) {
        context_.policies.entropy_map = policy;
        for (const std::uint64_t place :
             {std::uint64_t{0}, cols - 1, 20 * cols + 64, 21 * cols - 1, rows * cols - 1})
            for (const Border border : {Border::Clip, Border::Mirror})
                for (const std::uint32_t window : {5u, 63u}) {
                    std::vector<float> pixels(rows * cols);
                    for (std::uint64_t i = 0; i < pixels.size(); ++i)
                        pixels[i] = static_cast<float>(i * 37 % 101);
                    pixels[place] = std::numeric_limits<float>::quiet_NaN();
                    expect_same(ElementType::F32, DigestShape{rows, cols, 0, 0},
                                TestInput{bytes_of(pixels), 0, cols}, params_of(window, window, 16, border),
                                "NaN at " + std::to_string(place));
                }
    }
}

TEST_F(CudaEntropyMap, DataWithoutUsableRangeGiveTheSame) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::vector<float>> contents = {
        {7, 7, 7, 7, 7, 7},          {nan, nan, nan, nan, nan, nan}, {inf, -inf, inf, inf, inf, -inf},
        {inf, 1, nan, 1, -inf, 1},   {-3e38f, 3e38f, 0, 1, 2, 3},    {0.0f, -0.0f, 0, 0, -0.0f, 0},
        {1, 1.0000001f, 1, 1, 1, 1}, {1e-45f, 0, 0, 0, 0, 0}};
    for (std::size_t i = 0; i < contents.size(); ++i)
        for (const std::uint32_t levels : {16u, 200u})
            expect_same(ElementType::F32, DigestShape{2, 3, 0, 0}, TestInput{bytes_of(contents[i]), 0, 3},
                        params_of(5, 5, levels, Border::Clip), "content " + std::to_string(i));
}

// Several devices share an image: each has a band of rows and half a window of pixels around it, and nothing
// else in reach.
TEST_F(CudaEntropyMap, BandsWithTheirSurroundingsGiveTheWholeMap) {
    const DigestShape shape{40, 150, 0, 0};
    const auto pixels = testing_support::make_digest_input(ElementType::U8, Content::Wide, shape, 3);
    const DeviceBytes whole(pixels);
    for (const EntropyMapParams& params :
         {params_of(5, 5, 16, Border::Clip), params_of(15, 9, 40, Border::Mirror),
          params_of(9, 9, 16, Border::Clip)}) {
        const DeviceBytes expected(4 * shape.rows * shape.cols), map(4 * shape.rows * shape.cols),
            nan_seen(4);
        const Job job{ElementType::U8, Axis::Whole, shape.rows, shape.cols, params};
        const kernels::InputView input{whole.data(), shape.cols};
        const kernels::OutputView output{expected.data()};
        ASSERT_TRUE(run_on_device(job, {&input, 1}, {&output, 1}, context_, kernels::StopToken()));

        const std::uint32_t most = params.window_rows * params.window_cols;
        const unsigned shift = kernels::entropy_table_shift(params.base, most);
        std::vector<std::uint32_t> table(2 * most + 1);
        kernels::fill_entropy_table(params.base, shift, Span<std::uint32_t>(table.data(), most + 1));
        for (std::uint32_t n = 0; n < most; ++n) table[most + 1 + n] = table[n + 1] - table[n];
        std::vector<std::byte> table_bytes(table.size() * 4);
        std::memcpy(table_bytes.data(), table.data(), table_bytes.size());
        const DeviceBytes on_device(table_bytes);
        const auto* const entries = reinterpret_cast<const std::uint32_t*>(on_device.data());
        const cuda::EntropyTables tables{entries, entries + most + 1, static_cast<float>(1u << shift)};
        const cuda::EntropyWindow window{params.window_rows, params.window_cols, params.levels,
                                         params.border == Border::Mirror};
        for (const auto& [begin, end] :
             {std::pair<std::uint64_t, std::uint64_t>{0, 13}, {13, 14}, {14, 40}}) {
            const std::uint64_t half = params.window_rows / 2, top = begin > half ? begin - half : 0,
                                bottom = std::min(end + half, shape.rows);
            const DeviceBytes band(
                std::vector<std::byte>(pixels.begin() + static_cast<std::ptrdiff_t>(top * shape.cols),
                                       pixels.begin() + static_cast<std::ptrdiff_t>(bottom * shape.cols)));
            const void* const row_zero = reinterpret_cast<const void*>(
                reinterpret_cast<std::uintptr_t>(band.data()) - top * shape.cols);
            const cuda::EntropyMapImage image{ElementType::U8,
                                              row_zero,
                                              shape.rows,
                                              shape.cols,
                                              shape.cols,
                                              cuda::level_rule(kernels::whole_level_scale(params.levels)),
                                              reinterpret_cast<float*>(map.data()),
                                              reinterpret_cast<std::uint32_t*>(nan_seen.data())};
            const cuda::EntropyMapShape cut =
                cuda::entropy_map_shape(image, window, context_.policies.entropy_map, context_.limits);
            const DeviceBytes plane(cut.plane_bytes);
            ASSERT_TRUE(cuda::check_cuda(
                cuda::launch_entropy_map({image, window, tables, cut}, {begin, end, 0, shape.cols},
                                         reinterpret_cast<std::uint8_t*>(plane.data()), context_.stream),
                "entropy_map"));
            ASSERT_TRUE(context_.workspace->synchronize());
        }
        EXPECT_EQ(map.download(), expected.download()) << params.window_rows << " x " << params.window_cols;
    }
}

// A block takes as long for one column as for all that it has side by side.
TEST(EntropyMapShape, PiecesOfNarrowImagesAreSmaller) {
    const cuda::DeviceLimits nano{53, 1, 2048, 48 << 10, 256 << 10};
    for (const cuda::EntropyWindow window : {cuda::EntropyWindow{5, 5, 16, false}, {63, 63, 256, false}}) {
        const auto rows_of = [&](std::uint64_t cols) {
            const cuda::EntropyMapImage image{
                ElementType::U8, nullptr, std::uint64_t{1} << 26, cols, cols, {}, nullptr, nullptr};
            return cuda::entropy_map_shape(image, window, cuda::kDefaultEntropyMapPolicy, nano).piece_rows;
        };
        EXPECT_LE(rows_of(1), 8 * rows_of(64)) << window.rows;  // by results it would be 64 times
    }
}

// What launches rely on, for images and devices of any size.
TEST(EntropyMapShape, IsWithinTheLimits) {
    const cuda::DeviceLimits devices[] = {{53, 1, 2048, 48 << 10, 256 << 10},
                                          {87, 16, 1536, 163 << 10, 4 << 20},
                                          {90, 132, 2048, 227 << 10, 50 << 20},
                                          {99, 4000, 4096, 512 << 10, 50 << 20}};
    const std::uint64_t sizes[] = {1, 2, 64, 1000, 70001, 1u << 30, std::uint64_t{1} << 33};
    for (const cuda::DeviceLimits& limits : devices)
        for (const std::uint64_t rows : sizes)
            for (const std::uint64_t cols : sizes)
                for (const cuda::EntropyWindow window : {cuda::EntropyWindow{3, 3, 2, true},
                                                         {5, 5, 16, false},
                                                         {9, 9, 256, false},
                                                         {63, 63, 256, true},
                                                         {3, 63, 16, false},
                                                         {63, 3, 256, true}})
                    for (const std::uint64_t piece_pixels :
                         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100000}, ~std::uint64_t{0}}) {
                        const cuda::EntropyMapImage image{ElementType::F32, nullptr, rows, cols, cols, {},
                                                          nullptr,          nullptr};
                        const EntropyMapPolicy policy{EntropyMapMethod::Chosen, 128, 0, 0, piece_pixels};
                        const cuda::EntropyMapShape shape =
                            cuda::entropy_map_shape(image, window, policy, limits);
                        const std::string name = std::to_string(rows) + " x " + std::to_string(cols) +
                                                 ", window " + std::to_string(window.rows) + " x " +
                                                 std::to_string(window.cols);
                        ASSERT_TRUE(shape.piece_rows >= 1 && shape.piece_rows <= rows &&
                                    shape.piece_cols >= 1 && shape.piece_cols <= cols)
                            << name;
                        ASSERT_LE(shape.piece_rows * shape.piece_cols, std::uint64_t{1} << 30) << name;
                        const bool shared = shape.method == EntropyMapMethod::Columns;
                        const bool quads = shape.method == EntropyMapMethod::Quads,
                                   single = shape.method == EntropyMapMethod::Slide && shape.columns == 1;
                        const bool pairs = shape.method == EntropyMapMethod::Pairs;
                        const unsigned most = shared || single ? 512 : pairs || quads ? 256 : 128;
                        ASSERT_TRUE(shape.threads >= 32 && shape.threads <= most && shape.threads % 32 == 0)
                            << name;
                        ASSERT_GE(shape.strip_rows, 1u) << name;
                        ASSERT_LE((shape.piece_rows + shape.strip_rows - 1) / shape.strip_rows, 65535u)
                            << name;
                        ASSERT_LE(shape.plane_bytes, std::size_t{256} << 20) << name;
                        ASSERT_EQ(shape.plane_bytes != 0, shape.plane) << name;
                        if (shape.method == EntropyMapMethod::Slide) {
                            ASSERT_LE(cuda::entropy_slide_bytes(window, shape.columns, shape.threads),
                                      limits.shared_bytes_per_block)
                                << name;
                        }
                        if (quads) {
                            ASSERT_LE(cuda::entropy_quads_bytes(window, shape.threads),
                                      limits.shared_bytes_per_block)
                                << name;
                        }
                        if (shared) {
                            ASSERT_LE(cuda::entropy_columns_bytes(window, shape.threads),
                                      limits.shared_bytes_per_block)
                                << name;
                            ASSERT_EQ(shape.columns, window.levels == 16 ? 256u : 64u) << name;
                        }
                        ASSERT_EQ(shared, window.cols == 63) << name;
                    }
}

TEST_F(CudaEntropyMap, StopsBetweenPieces) {
    context_.policies.entropy_map.piece_pixels = 64;
    const DigestShape shape{16, 64, 0, 0};
    const DeviceBytes image(testing_support::make_digest_input(ElementType::U8, Content::Wide, shape, 1)),
        map(4 * shape.rows * shape.cols);
    const Job job{ElementType::U8, Axis::Whole, shape.rows, shape.cols, params_of(5, 5, 16, Border::Clip)};
    WatchedWorkspace workspace(context_.workspace, 3);
    context_.workspace = &workspace;
    const kernels::InputView input{image.data(), shape.cols};
    const kernels::OutputView output{map.data()};
    const auto report = run_on_device(job, {&input, 1}, {&output, 1}, context_, workspace.stop());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().status, Status::Cancelled);
    EXPECT_EQ(workspace.waits(), 3);
}

}  // namespace
}  // namespace tegu::test
