// SPDX-License-Identifier: Apache-2.0
// topk by buckets of survivors: more results than one block sorts, of values in any order. Ties, rows, and
// samples that mislead.
#include <algorithm>
#include <cstring>

#include "kernels/operation_cuda.h"
#include "kernels/selection/cuda/run.h"
#include "kernels/selection/cuda/sample_position.cuh"
#include "kernels/topk/cuda/buckets.h"
#include "tests/kernels/cuda/cuda_test.h"

namespace tegu::test {
namespace {

using cuda::SelectionPolicy;
using testing_support::Content;
using testing_support::DigestShape;

// {block_threads, room, sample, block_elements, filter_threads, waves, sort_tile, slice, warp_results,
// piece_pairs}: blocks that sort few pairs
const SelectionPolicy kPolicies[] = {
    {64, 64, 1024, 100, 64, 1, 256, 8, 0, 1 << 22},     // slices with bins of their own
    {256, 64, 4096, 100, 512, 2, 256, 16, 0, 1 << 22},  // many groups
    {32, 32, 64, 100, 32, 1, 256, 1000, 256, 1 << 22},  // few; slices that do not fit at once
};

template <class Value>
TestInput words(std::uint64_t n, Value value) {
    TestInput input = input_of(ElementType::U32, {1, n, 0, 0}, 1);
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto bits = static_cast<std::uint32_t>(value(i));
        std::memcpy(input.bytes.data() + 4 * i, &bits, sizeof bits);
    }
    return input;
}

// A workspace that has no piece of memory larger than a limit.
class NarrowWorkspace final : public cuda::Workspace {
  public:
    NarrowWorkspace(cuda::Workspace* inner, std::size_t limit) : inner_(inner), limit_(limit) {}

    Result<void*> take(std::size_t bytes) override {
        if (bytes > limit_) return make_error(Status::OutOfMemory, "too large for a test");
        return inner_->take(bytes);
    }
    Result<void*> take_zeroed(std::size_t bytes) override { return inner_->take_zeroed(bytes); }
    Result<void> read(void* to, const void* from, std::size_t bytes) override {
        return inner_->read(to, from, bytes);
    }
    Result<void> write(void* to, const void* from, std::size_t bytes) override {
        return inner_->write(to, from, bytes);
    }
    Result<void> copy(void* to, const void* from, std::size_t bytes) override {
        return inner_->copy(to, from, bytes);
    }
    Result<void> synchronize() override { return inner_->synchronize(); }
    void reset() override { inner_->reset(); }

  private:
    cuda::Workspace* inner_;
    std::size_t limit_;
};

class CudaTopkBuckets : public CudaTest {
  protected:
    testing::AssertionResult same(ElementType type, const DigestShape& shape, const TestInput& input,
                                  std::uint64_t k, Axis axis = Axis::Whole) {
        set_thread_order(++order_);
        const TopkParams params{k, order_ % 3 != 0, false};
        const testing::AssertionResult result =
            same_on_both(context_, Job{type, axis, shape.rows, shape.cols, params}, {input});
        if (result) return result;
        return testing::AssertionFailure()
               << result.message() << ", k " << k << ", room " << context_.policies.selection.capacity
               << ", order of threads " << order_;
    }
    std::string method(ElementType type, const TestInput& input, std::uint64_t n, std::uint64_t k) {
        const DeviceBytes memory(input.bytes), values(8 * k), indices(8 * k);
        const kernels::InputView view{memory.data(), n};
        const kernels::OutputView outputs[] = {{values.data()}, {indices.data()}};
        const auto done = run_on_device(Job{type, Axis::Whole, 1, n, TopkParams{k, true, false}}, {&view, 1},
                                        {outputs, 2}, context_, kernels::StopToken());
        return done ? std::string(done->policy.find("method")) : done.error().message;
    }
    std::uint64_t order_ = 0;
};

TEST_F(CudaTopkBuckets, EveryTypeAndSizeGivesTheSameBits) {
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const std::uint64_t n : {513, 4001}) {
            const DigestShape shape{1, n, 0, n % 2};
            for (const ElementType type :
                 {ElementType::U8, ElementType::F16, ElementType::I32, ElementType::F32, ElementType::F64}) {
                for (const Content content : {Content::Plain, Content::Special, Content::Ties}) {
                    const TestInput input = input_of(type, shape, n, content);
                    for (const std::uint64_t k : {n / 20 + 65, n / 4})
                        ASSERT_TRUE(same(type, shape, input, k));
                }
            }
        }
    }
    const TestInput input = input_of(ElementType::I32, {1, 9001, 0, 0}, 1);
    context_.policies.selection = kPolicies[1];
    EXPECT_EQ(method(ElementType::I32, input, 9001, 500), "buckets");
}

TEST_F(CudaTopkBuckets, OrdersAndTiesGiveTheSameBits) {
    const std::uint64_t n = 4096 + 77;
    const DigestShape shape{1, n, 0, 0};
    const auto mixed = [](std::uint64_t i) { return static_cast<std::uint32_t>(i * 2654435761u); };
    const TestInput inputs[] = {
        words(n, [](std::uint64_t) { return 7; }),
        words(n, [](std::uint64_t) { return 0xffffffffu; }),
        words(n, [](std::uint64_t i) { return i; }),
        words(n, [&](std::uint64_t i) { return n - i; }),
        words(n, [&](std::uint64_t i) { return mixed(i) % 2; }),
        words(n, [&](std::uint64_t i) { return mixed(i) % 5; }),
        words(n, [&](std::uint64_t i) { return mixed(i) >> mixed(i * 7) % 32; }),
        words(n, [&](std::uint64_t i) { return i % 3 == 0 ? mixed(i) : 0x80000000u; }),
    };
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const TestInput& input : inputs)
            for (const ElementType type : {ElementType::U32, ElementType::F32})
                for (const std::uint64_t k : {std::uint64_t{70}, n / 10}) {
                    ASSERT_TRUE(same(type, shape, input, k));
                    ASSERT_TRUE(same(type, shape, input, k));
                }
    }
}

TEST_F(CudaTopkBuckets, RowsGiveTheSameBits) {
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const ElementType type : {ElementType::U16, ElementType::F32}) {
            const DigestShape shape{3, 3001, 5, 1};
            for (const Content content : {Content::Plain, Content::Ties})
                for (const std::uint64_t k : {80, 700})
                    ASSERT_TRUE(same(type, shape, input_of(type, shape, 3, content), k, Axis::Rows));
        }
    }
}

// All elements outside the sample that survive have one key, so one bucket is full. The sort then takes over.
TEST_F(CudaTopkBuckets, FullBucketIsReplacedByASort) {
    const std::uint64_t n = 40000, k = 2000;
    const DigestShape shape{1, n, 0, 0};
    context_.policies.selection = kPolicies[1];
    const SelectionPolicy& policy = context_.policies.selection;
    const cuda::GroupedSample sample =
        cuda::choose_groups(k, n, cuda::filter_threads_of(policy, context_.limits), policy, context_.limits);
    const auto mixed = [](std::uint64_t i) { return static_cast<std::uint32_t>(i * 2654435761u); };
    // One in sixteen is the same large value; the sampled ones are smooth.
    TestInput input =
        words(n, [&](std::uint64_t i) { return mixed(i) >> 28 == 15 ? 0xf8000000u : mixed(i) >> 1; });
    for (std::uint64_t number = 0; number < sample.size(); ++number) {
        const std::uint64_t at = cuda::sample_index(number, n, sample.size());
        const std::uint32_t word = mixed(number);
        std::memcpy(input.bytes.data() + 4 * at, &word, sizeof word);
    }
    EXPECT_NE(method(ElementType::U32, input, n, k), "buckets");
    for (unsigned i = 0; i < 3; ++i) ASSERT_TRUE(same(ElementType::U32, shape, input, k));
    // The counters are left zero.
    const TestInput smooth = words(n, mixed);
    EXPECT_EQ(method(ElementType::U32, smooth, n, k), "buckets");
    ASSERT_TRUE(same(ElementType::U32, shape, smooth, k));
}

// Buckets need more memory than a sort.
TEST_F(CudaTopkBuckets, WithoutMemoryForThemASortDoes) {
    const std::uint64_t n = 9001, k = 900;
    context_.policies.selection = kPolicies[1];
    const TestInput input = input_of(ElementType::I32, {1, n, 0, 0}, 1);
    ASSERT_EQ(method(ElementType::I32, input, n, k), "buckets");
    NarrowWorkspace narrow(context_.workspace, 64 << 10);
    context_.workspace = &narrow;
    EXPECT_EQ(method(ElementType::I32, input, n, k), "sort");
    ASSERT_TRUE(same(ElementType::I32, {1, n, 0, 0}, input, k));
}

TEST(SurvivorBuckets, HaveBoundsOnTheirNumberAndSize) {
    for (const std::uint64_t n : {std::uint64_t{20000}, std::uint64_t{10000000}, std::uint64_t{1} << 31}) {
        for (const std::uint64_t k : {n / 1000 + 1, n / 150, n / 10, n / 2, n}) {
            cuda::DeviceLimits limits;
            limits.multiprocessors = 132;
            const cuda::GroupedSample sample =
                cuda::choose_groups(k, n, 512, cuda::kDefaultSelectionPolicy, limits);
            const cuda::SurvivorBuckets buckets = cuda::choose_buckets(sample, n);
            EXPECT_LE(buckets.count, cuda::kMaxBuckets);
            EXPECT_LE(buckets.capacity, std::min<std::uint64_t>(n, 1 << 17));
            if (buckets.count == 0) continue;
            EXPECT_GE(buckets.count * buckets.capacity, k) << "k " << k << " of " << n;
        }
    }
    cuda::DeviceLimits limits;
    limits.multiprocessors = 132;
    const auto count = [&](std::uint64_t k, std::uint64_t n) {
        return cuda::choose_buckets(cuda::choose_groups(k, n, 512, cuda::kDefaultSelectionPolicy, limits), n)
            .count;
    };
    EXPECT_GT(count(65536, 10000000), 20u);
    EXPECT_GT(count(65536, 1000000), 20u);
    EXPECT_GT(count(65536, 100000000), 10u);
    EXPECT_EQ(count(5000000, 10000000), 0u) << "too many";
    EXPECT_EQ(count(99999, 100000), 0u) << "there is no such cut";
}

}  // namespace
}  // namespace tegu::test
