// SPDX-License-Identifier: Apache-2.0
// quantile on the GPU backend beyond the common jobs: sorted and counted, in shared memory and not, many
// quantiles, rows with and without NaN, and counts that contradict each other.
#include <cstring>

#include "kernels/operation_cuda.h"
#include "kernels/quantile/cuda/tree.h"
#include "kernels/selection/cuda/sample_position.cuh"
#include "tests/kernels/cuda/cuda_test.h"

namespace tegu::test {
namespace {

using cuda::QuantilePolicy;
using testing_support::Content;
using testing_support::DigestShape;

// {block_threads, room, count_threads, waves, shared_bins, warp_elements, windows, window_elements,
// piece_elements,
//  bracket_elements}
const QuantilePolicy kPolicies[] = {
    cuda::kDefaultQuantilePolicy,
    {32, 32, 32, 1, 2048, 0, 0, 0, 100, 1 << 17},       // narrow digits
    {64, 128, 96, 2, 4096, 100, 2, 0, 1000, 300},       // some wide, some narrow; a few by windows
    {256, 64, 64, 1, 0, 256, 0, 0, 64, 0},              // nothing is counted in shared memory
    {128, 1024, 256, 3, 8192, 0, 100, 10, 1 << 23, 0},  // windows of nearly everything
};

constexpr ElementType kAllTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

QuantileParams params_of(std::vector<double> q, unsigned method, bool skip_nans) {
    QuantileParams params;
    params.q = std::move(q);
    params.method = static_cast<QuantileMethod>(method % 5);
    params.skip_nans = skip_nans;
    return params;
}

class CudaQuantile : public CudaTest {
  protected:
    testing::AssertionResult same(ElementType type, const DigestShape& shape, const TestInput& input,
                                  const QuantileParams& params, Axis axis = Axis::Whole) {
        set_thread_order(++order_);
        const testing::AssertionResult result =
            same_on_both(context_, Job{type, axis, shape.rows, shape.cols, params}, {input});
        if (result) return result;
        return testing::AssertionFailure()
               << result.message() << "; " << element_word(type) << ", " << shape.rows << " x " << shape.cols
               << ", method " << static_cast<int>(params.method) << (params.skip_nans ? ", skip_nans" : "")
               << ", room " << context_.policies.quantile.capacity << ", order of threads " << order_;
    }
    std::uint64_t order_ = 0;
};

TEST_F(CudaQuantile, EverySizeAndPolicyGivesTheSameBits) {
    for (const QuantilePolicy& policy : kPolicies) {
        context_.policies.quantile = policy;
        for (const std::uint64_t n : {1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 1023, 1025, 3001}) {
            const DigestShape shape{1, n, 0, 0};
            for (const ElementType type :
                 {ElementType::I8, ElementType::F16, ElementType::U32, ElementType::F64}) {
                const TestInput input =
                    input_of(type, shape, n, n % 2 == 0 ? Content::Special : Content::Plain);
                ASSERT_TRUE(same(
                    type, shape, input,
                    params_of({0.5, 0, 1, 0.013, 0.99}, static_cast<unsigned>(order_), order_ % 3 != 0)));
            }
        }
    }
}

TEST_F(CudaQuantile, EveryTypeContentAndMethodGivesTheSameBits) {
    const DigestShape shape{1, 1500, 0, 0};
    for (const QuantilePolicy& policy : kPolicies) {
        context_.policies.quantile = policy;
        for (const ElementType type : kAllTypes) {
            for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties}) {
                const TestInput input = input_of(type, shape, 17, content);
                ASSERT_TRUE(same(type, shape, input,
                                 params_of({0.25, 0.5, 0.9999}, static_cast<unsigned>(order_), true)));
            }
        }
    }
}

// More statistics than are counted in shared memory, most of them alone in their node.
TEST_F(CudaQuantile, ManyQuantilesGiveTheSameBits) {
    std::vector<double> q;
    for (unsigned i = 0; i < kMaxQuantiles; ++i)
        q.push_back(static_cast<double>((i * 389) % kMaxQuantiles) / (kMaxQuantiles - 1));
    const DigestShape shape{1, 5000, 0, 0};
    for (const QuantilePolicy& policy : kPolicies) {
        context_.policies.quantile = policy;
        for (const ElementType type : {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::I64})
            ASSERT_TRUE(same(type, shape, input_of(type, shape, 3, Content::Wide),
                             params_of(q, static_cast<unsigned>(order_), true)));
    }
}

TEST_F(CudaQuantile, RowsAndGapsAndOddAddressesGiveTheSameBits) {
    for (const QuantilePolicy& policy : kPolicies) {
        context_.policies.quantile = policy;
        for (const DigestShape& shape :
             {DigestShape{9, 53, 3, 1}, DigestShape{5, 300, 1, 8}, DigestShape{3, 1111, 0, 2}}) {
            for (const ElementType type :
                 {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::I64}) {
                for (const Content content : {Content::Plain, Content::Special}) {
                    const TestInput input = input_of(type, shape, 5, content);
                    for (const Axis axis : {Axis::Whole, Axis::Rows})
                        ASSERT_TRUE(same(
                            type, shape, input,
                            params_of({0.5, 0.1}, static_cast<unsigned>(order_), order_ % 4 != 0), axis));
                }
            }
        }
    }
}

// Some rows hold NaN alone, some none: each has its own places.
TEST_F(CudaQuantile, RowsOfNansGiveTheSameBits) {
    const DigestShape shape{4, 200, 0, 0};
    TestInput input = input_of(ElementType::F32, shape, 9);
    std::fill(input.bytes.begin() + 800, input.bytes.begin() + 1600, std::byte{0xff});
    std::fill(input.bytes.begin() + 2000, input.bytes.begin() + 2400, std::byte{0x7f});
    std::fill(input.bytes.begin() + 2400, input.bytes.begin() + 2404, std::byte{0xff});
    for (const QuantilePolicy& policy : kPolicies) {
        context_.policies.quantile = policy;
        for (const bool skip_nans : {false, true})
            for (unsigned method = 0; method < 5; ++method)
                ASSERT_TRUE(same(ElementType::F32, shape, input, params_of({0.5, 1, 0}, method, skip_nans),
                                 Axis::Rows));
    }
}

// In ranges from a sample, or, where the sample misleads or NaN are left out, by counts.
TEST_F(CudaQuantile, FewQuantilesOfALongSegmentGiveTheSameBits) {
    const DigestShape shape{1, 3001, 0, 2};
    context_.policies.quantile = {64, 64, 64, 1, 2048, 0, 0, 0, 500, 100};
    context_.policies.selection.block_threads = 64;
    context_.policies.selection.sample = 128;
    for (const ElementType type : kAllTypes) {
        for (const Content content : {Content::Plain, Content::Special, Content::Ties}) {
            const TestInput input = input_of(type, shape, 23, content);
            for (const double q : {0.0, 0.004, 0.5, 0.96, 1.0})
                ASSERT_TRUE(
                    same(type, shape, input, params_of({q}, static_cast<unsigned>(order_), order_ % 3 != 0)))
                    << q;
            for (const std::size_t count : {2, 7, 8, 9}) {
                std::vector<double> q{0.5, 0, 0.97, 0.5, 0.03, 1, 0.501, 0.25, 0.75};
                q.resize(count);
                ASSERT_TRUE(
                    same(type, shape, input, params_of(q, static_cast<unsigned>(order_), order_ % 3 != 0)));
            }
        }
    }
}

// The two statistics of a median in different places: of two values, of two clusters, at the ends of a range,
// with nothing in between.
TEST_F(CudaQuantile, MediansBetweenClustersGiveTheSameBits) {
    const std::uint64_t n = 4096;
    for (const unsigned kind : {0u, 1u, 2u, 3u, 4u}) {
        TestInput input = input_of(ElementType::F32, {1, n, 0, 0}, 1);
        for (std::uint64_t i = 0; i < n; ++i) {
            const bool upper = i * 2654435761u % n >= n / 2;
            const auto random = static_cast<float>(i * 40503u % n);
            const float value = kind == 0   ? (upper ? 1.0f : 0.0f)
                                : kind == 1 ? (upper ? 1000.0f : -1000.0f) + random * 1e-4f
                                : kind == 2 ? (upper ? 1e30f : random)
                                : kind == 3 ? (upper ? random : -0.0f)
                                            : 5.0f;
            std::memcpy(input.bytes.data() + 4 * i, &value, sizeof value);
        }
        for (const QuantilePolicy& policy : kPolicies) {
            context_.policies.quantile = policy;
            context_.policies.quantile.bracket_elements = 1000;
            for (const std::vector<double>& q : {std::vector<double>{0.5}, {0.5, 0.4999, 0.5001, 0.9}}) {
                for (unsigned method = 0; method < 5; ++method) {
                    ASSERT_TRUE(same(ElementType::F32, {1, n, 0, 0}, input, params_of(q, method, false)))
                        << kind;
                    ASSERT_TRUE(same(ElementType::F32, {2, n / 2, 0, 0}, {input.bytes, 0, n / 2},
                                     params_of(q, method, true), Axis::Rows))
                        << kind;
                }
            }
        }
    }
}

// Rows that a block holds in registers, and rows that it reads again.
TEST_F(CudaQuantile, LongRowsGiveTheSameBits) {
    for (const std::uint64_t cols : {1025, 4095, 4096, 4097, 8192, 8193}) {
        const DigestShape shape{3, cols, cols % 3, 1};
        for (const ElementType type :
             {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::I64}) {
            for (const Content content : {Content::Plain, Content::Special, Content::Ties})
                ASSERT_TRUE(same(type, shape, input_of(type, shape, cols, content),
                                 params_of({0.5, 0.99}, static_cast<unsigned>(order_), order_ % 2 == 0),
                                 Axis::Rows));
        }
    }
}

// Whole tiles and parts of one; keys at the ends of all keys; zeros of both signs; few values; in order.
TEST_F(CudaQuantile, TilesOfEveryKindGiveTheSameBits) {
    context_.policies.quantile.bracket_elements = 1000;
    context_.policies.quantile.capacity = 32;
    context_.policies.quantile.windows = 0;
    const std::vector<std::vector<double>> lists = {
        {0.5}, {1}, {0, 1, 0.5}, {0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9}};
    for (const ElementType type :
         {ElementType::U8, ElementType::F16, ElementType::U32, ElementType::F32, ElementType::I64}) {
        const std::size_t width = element_bytes(type);
        for (const std::uint64_t n : {4095, 4096, 8193, 20480}) {
            for (const unsigned kind : {0u, 1u, 2u, 3u}) {
                TestInput input = input_of(type, {1, n, 0, n == 8193 ? 1u : 0u}, n, Content::Wide);
                std::byte* const at = input.bytes.data() + input.offset;
                for (std::uint64_t i = 0; i < n; ++i) {
                    std::byte* const element = at + i * width;
                    const bool odd = (i * 2654435761u >> 13) % 2 != 0;
                    if (kind == 0) std::memset(element, odd && !is_float(type) ? 0xff : 0, width);
                    if (kind == 1 && odd) std::memset(element, 0, width);
                    if (kind == 1 && odd && i % 3 == 0) element[width - 1] = std::byte{0x80};  // -0, or not
                    if (kind == 2) std::memset(element, static_cast<int>(i * 64 / n), width);
                    if (kind == 3 && i % 2 == 0) std::memset(element, 1, width);
                }
                for (const std::vector<double>& q : lists)
                    ASSERT_TRUE(same(type, {1, n, 0, n == 8193 ? 1u : 0u}, input,
                                     params_of(q, static_cast<unsigned>(order_), order_ % 2 == 0)))
                        << "kind " << kind << ", " << q.size() << " quantiles";
            }
        }
    }
}

TEST_F(CudaQuantile, SampleThatIsBetrayedIsReplacedByCounts) {
    const std::uint64_t n = 3001;
    const DigestShape shape{1, n, 0, 0};
    context_.policies.quantile = {64, 64, 64, 1, 2048, 0, 0, 0, 500, 100};
    context_.policies.selection.sample = 128;
    TestInput input = input_of(ElementType::U32, shape, 1);
    const auto method = [&] {
        const DeviceBytes memory(input.bytes), result(8);
        const kernels::InputView view{memory.data(), n};
        const kernels::OutputView output{result.data()};
        const auto done = run_on_device(Job{ElementType::U32, Axis::Whole, 1, n, params_of({0.5}, 0, false)},
                                        {&view, 1}, {&output, 1}, context_, kernels::StopToken());
        return done ? std::string(done->policy.find("method")) : done.error().message;
    };
    EXPECT_EQ(method(), "bracket");
    for (std::uint64_t number = 0; number < 256; ++number)
        std::memset(input.bytes.data() + 4 * cuda::sample_index(number, n, 256), 0xff, 4);
    ASSERT_TRUE(same(ElementType::U32, shape, input, params_of({0.5}, 0, false)));
    EXPECT_EQ(method(), "counts");
}

// Elements that change between passes: fewer are counted than places are wanted.
TEST(QuantileTree, CountsThatContradictThePlacesStayInBounds) {
    cuda::QuantileTree tree({0, 5, 6, 1000});
    const std::vector<std::uint64_t> counts = {2, 0, 3, 1};
    std::vector<std::uint16_t> children(4);
    tree.descend(counts.data(), 2, children.data());
    EXPECT_EQ(tree.nodes(), 2u);  // place 0 in bin 0; 5, 6 and 1000 in bin 3
    EXPECT_EQ(children, (std::vector<std::uint16_t>{0, cuda::kNoNode, cuda::kNoNode, 1}));
    std::vector<std::uint16_t> last(2 * 4);
    tree.descend(std::vector<std::uint64_t>(8, 0).data(), 2, last.data());  // nothing is there any more
    EXPECT_EQ(tree.nodes(), 2u);
    EXPECT_EQ(tree.key_at(0), 3u);
    EXPECT_EQ(tree.key_at(1000), 15u);
}

}  // namespace
}  // namespace tegu::test
