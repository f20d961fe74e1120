// SPDX-License-Identifier: Apache-2.0
// More than 2^31 elements on a GPU: results that are known by construction, of bytes where the type does not
// matter. Skipped on devices with less than 40 GB.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/execution/cuda/workspace.h"
#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/test_device.h"

namespace tegu::test {
namespace {

constexpr std::uint64_t kTwo31 = std::uint64_t{1} << 31;
constexpr std::uint64_t kCount = kTwo31 + 1000;

class Large : public testing::Test {
  protected:
    void SetUp() override {
        const char* why_not = "";
        const cuda::Context* context = test_context(&why_not);
        if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
        if (largest_test_elements() < 2 * kCount) GTEST_SKIP() << "too many elements for this run";
        std::size_t free = 0, total = 0;
        if (cudaMemGetInfo(&free, &total) != cudaSuccess || free < std::size_t{40} << 30)
            GTEST_SKIP() << "less than 40 GB of device memory are free";
        context_ = *context;  // with room for the lists of distinct top-k: a word an element
        workspace_ = std::make_unique<cuda::DeviceWorkspace>(context_.stream, std::size_t{20} << 30);
        context_.workspace = workspace_.get();
    }
    // Runs the job on one array, or two; the outputs are held until the test ends.
    testing::AssertionResult run(const Job& job, std::initializer_list<const DeviceBytes*> inputs) {
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) return testing::AssertionFailure() << plan.error().message;
        plan_ = *plan;
        std::vector<kernels::InputView> views;
        for (const DeviceBytes* input : inputs) views.push_back({input->data(), job.cols});
        std::vector<kernels::OutputView> targets;
        outputs_.clear();
        for (const ArraySpec& spec : plan_.outputs) {
            outputs_.push_back(std::make_unique<DeviceBytes>(array_bytes(spec)));
            targets.push_back({outputs_.back()->data()});
        }
        const Result<kernels::RunReport> report =
            run_on_device(job, views, targets, context_, kernels::StopToken());
        if (report) return testing::AssertionSuccess();
        error_ = report.error();
        return testing::AssertionFailure() << report.error().message;
    }
    // Element `index` of output `array`.
    template <class T>
    T at(std::size_t array, std::uint64_t index) const {
        T value;
        EXPECT_EQ(cudaSuccess, cudaMemcpy(&value, outputs_[array]->data() + index * sizeof value,
                                          sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }
    template <class T>
    T statistic(Statistic wanted, std::uint64_t index = 0) const {
        for (std::size_t i = 0; i < plan_.outputs.size(); ++i)
            if (plan_.outputs[i].role == role_of(wanted)) return at<T>(i, index);
        ADD_FAILURE() << "no such statistic";
        return T();
    }
    cuda::Context context_;
    std::unique_ptr<cuda::DeviceWorkspace> workspace_;
    kernels::JobPlan plan_;
    std::vector<std::unique_ptr<DeviceBytes>> outputs_;
    Error error_;
};

void fill(const DeviceBytes& memory, std::uint64_t begin, std::uint64_t bytes, int value) {
    ASSERT_EQ(cudaSuccess, cudaMemset(memory.data() + begin, value, bytes));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
}
template <class T>
void set(const DeviceBytes& memory, std::uint64_t index, T value) {
    ASSERT_EQ(cudaSuccess,
              cudaMemcpy(memory.data() + index * sizeof value, &value, sizeof value, cudaMemcpyHostToDevice));
}
// The 16 bits in every element.
void fill_halves(const DeviceBytes& memory, std::uint64_t count, std::uint16_t bits) {
    const std::vector<std::uint16_t> some(1 << 20, bits);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(memory.data(), some.data(), 2 * some.size(), cudaMemcpyHostToDevice));
    for (std::uint64_t done = some.size(); done < count;) {
        const std::uint64_t next = std::min(done, count - done);
        ASSERT_EQ(cudaSuccess,
                  cudaMemcpy(memory.data() + 2 * done, memory.data(), 2 * next, cudaMemcpyDeviceToDevice));
        done += next;
    }
}

Job job_of(ElementType type, std::uint64_t n, const JobParams& params) {
    return Job{type, Axis::Whole, 1, n, params};
}

StatisticSet set_of(std::initializer_list<Statistic> statistics) {
    StatisticSet set = 0;
    for (const Statistic statistic : statistics) set |= statistic_bit(statistic);
    return set;
}

TEST_F(Large, ReduceOfBytesBeyondTwoToThe32) {
    const std::uint64_t n = 2 * kTwo31 + 1000;
    const DeviceBytes x(n);
    fill(x, 0, n, 2);
    set<std::uint8_t>(x, n - 2, 0);
    set<std::uint8_t>(x, n - 1, 200);
    ASSERT_TRUE(run(job_of(ElementType::U8, n, ReduceParams{kAllStatistics, false, 0}), {&x}));
    const std::uint64_t sum = 2 * (n - 2) + 200;
    EXPECT_EQ(statistic<std::uint64_t>(Statistic::Count), n);
    EXPECT_EQ(statistic<std::uint64_t>(Statistic::Sum), sum);
    EXPECT_EQ(statistic<std::uint64_t>(Statistic::Nonzero), n - 1);
    EXPECT_EQ(statistic<std::uint8_t>(Statistic::Min), 0);
    EXPECT_EQ(statistic<std::uint8_t>(Statistic::Max), 200);
    EXPECT_EQ(statistic<std::int64_t>(Statistic::Argmin), static_cast<std::int64_t>(n - 2));
    EXPECT_EQ(statistic<std::int64_t>(Statistic::Argmax), static_cast<std::int64_t>(n - 1));
    EXPECT_EQ(statistic<double>(Statistic::Mean), static_cast<double>(sum) / static_cast<double>(n));
}

TEST_F(Large, ReduceOfHalves) {
    const std::uint64_t n = kTwo31 + 3;
    const DeviceBytes x(2 * n);
    fill_halves(x, n, 0x3c00);
    set<std::uint16_t>(x, n - 1, 0xc200);  // -3 among ones
    ASSERT_TRUE(run(
        job_of(ElementType::F16, n,
               ReduceParams{set_of({Statistic::Sum, Statistic::Min, Statistic::Argmin, Statistic::Argmax}),
                            false, 0}),
        {&x}));
    EXPECT_EQ(statistic<double>(Statistic::Sum), static_cast<double>(n - 4));
    EXPECT_EQ(statistic<std::uint16_t>(Statistic::Min), 0xc200);
    EXPECT_EQ(statistic<std::int64_t>(Statistic::Argmin), static_cast<std::int64_t>(n - 1));
    EXPECT_EQ(statistic<std::int64_t>(Statistic::Argmax), 0);
}

TEST_F(Large, ReduceOfManyRows) {
    const std::uint64_t rows = kTwo31 + 7;
    const DeviceBytes x(rows);
    fill(x, 0, rows, 9);
    set<std::uint8_t>(x, kTwo31 + 2, 77);
    ASSERT_TRUE(run(
        Job{ElementType::U8, Axis::Rows, rows, 1, ReduceParams{set_of({Statistic::Max}), false, 0}}, {&x}));
    for (const std::uint64_t row : {std::uint64_t{0}, kTwo31 - 1, kTwo31 + 1, rows - 1})
        EXPECT_EQ(statistic<std::uint8_t>(Statistic::Max, row), 9) << row;
    EXPECT_EQ(statistic<std::uint8_t>(Statistic::Max, kTwo31 + 2), 77);
}

TEST_F(Large, Topk) {
    const DeviceBytes x(kCount);
    fill(x, 0, kCount, 2);
    set<std::uint8_t>(x, kCount - 1, 200);
    set<std::uint8_t>(x, kTwo31 + 5, 9);
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, TopkParams{5, true, false}), {&x}));
    const std::uint8_t values[] = {200, 9, 2, 2, 2};
    const std::uint64_t indices[] = {kCount - 1, kTwo31 + 5, 0, 1, 2};
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(at<std::uint8_t>(0, i), values[i]) << i;
        EXPECT_EQ(at<std::uint64_t>(1, i), indices[i]) << i;
    }
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, TopkParams{3, true, true}), {&x}));
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(at<std::uint8_t>(0, i), values[i]) << i;
        EXPECT_EQ(at<std::uint64_t>(1, i), indices[i]) << i;
    }
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, TopkParams{100000, false, false}), {&x}));
    EXPECT_EQ(at<std::uint8_t>(0, 99999), 2);
    EXPECT_EQ(at<std::uint64_t>(1, 99999), 99999u);
}

TEST_F(Large, Add) {
    const DeviceBytes x(kCount), y(kCount);
    fill(x, 0, kCount, 1);
    fill(y, 0, kCount, 2);
    set<std::uint8_t>(x, kCount - 3, 7);
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, AddParams{}), {&x, &y}));
    EXPECT_EQ(at<std::uint8_t>(0, kCount - 3), 9);
    const std::unique_ptr<DeviceBytes> z = std::move(outputs_[0]);
    ASSERT_TRUE(
        run(job_of(ElementType::U8, kCount,
                   ReduceParams{set_of({Statistic::Sum, Statistic::Min, Statistic::Argmax}), false, 0}),
            {z.get()}));
    EXPECT_EQ(statistic<std::uint64_t>(Statistic::Sum), 3 * kCount + 6);
    EXPECT_EQ(statistic<std::uint8_t>(Statistic::Min), 3);
    EXPECT_EQ(statistic<std::int64_t>(Statistic::Argmax), static_cast<std::int64_t>(kCount - 3));
    set<std::uint8_t>(x, kTwo31 + 12, 255);
    EXPECT_FALSE(run(job_of(ElementType::U8, kCount, AddParams{}), {&x, &y}));
    EXPECT_EQ(error_.message, "the sum at index 2147483660 is 257 and does not fit u8");
}

TEST_F(Large, Dot) {
    const DeviceBytes x(kCount), y(kCount);
    fill(x, 0, kCount, 2);
    fill(y, 0, kCount, 3);
    set<std::uint8_t>(x, kCount - 1, 255);
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, DotParams{}), {&x, &y}));
    EXPECT_EQ(at<std::uint64_t>(0, 0), 6 * (kCount - 1) + 765);
}

TEST_F(Large, Rowscale) {
    const DeviceBytes x(2 * kCount);
    fill_halves(x, kCount, 0x3c00);
    set<std::uint16_t>(x, kCount - 1, 0xc000);  // -2
    ASSERT_TRUE(run(job_of(ElementType::F16, kCount, RowscaleParams{}), {&x}));
    EXPECT_EQ(at<std::uint16_t>(1, 0), 0x4000);
    EXPECT_EQ(at<std::uint16_t>(0, kCount - 1), 0xbc00);
    const std::unique_ptr<DeviceBytes> values = std::move(outputs_[0]);
    ASSERT_TRUE(run(
        job_of(ElementType::F16, kCount, ReduceParams{set_of({Statistic::Sum, Statistic::Max}), false, 0}),
        {values.get()}));
    EXPECT_EQ(statistic<double>(Statistic::Sum), 0.5 * static_cast<double>(kCount - 1) - 1);
    EXPECT_EQ(statistic<std::uint16_t>(Statistic::Max), 0x3800);
}

// A third of the elements is 1, the rest 5, and one at the end 250.
class LargeLevels : public Large {
  protected:
    void SetUp() override {
        Large::SetUp();
        if (IsSkipped()) return;
        x_ = std::make_unique<DeviceBytes>(kCount);
        fill(*x_, 0, kCount, 5);
        fill(*x_, 0, kOnes, 1);
        set<std::uint8_t>(*x_, kCount - 1, 250);
    }
    static constexpr std::uint64_t kOnes = kCount / 3;
    std::unique_ptr<DeviceBytes> x_;

    static QuantileParams quantiles() {
        QuantileParams params;
        params.q = {0, 0.3, 0.4, 1};
        return params;
    }
    void expect_quantiles(std::size_t array) const {
        const double wanted[] = {1, 1, 5, 250};
        for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(at<double>(array, i), wanted[i]) << i;
    }
    static HistogramParams histogram() {
        HistogramParams params;
        params.bins = 256;
        params.has_range = true;
        params.hi = 256;
        return params;
    }
    void expect_histogram(std::size_t array) const {
        EXPECT_EQ(at<std::uint64_t>(array, 1), kOnes);
        EXPECT_EQ(at<std::uint64_t>(array, 5), kCount - kOnes - 1);
        EXPECT_EQ(at<std::uint64_t>(array, 250), 1u);
        EXPECT_EQ(at<std::uint64_t>(array, 0), 0u);
    }
    static double wanted_entropy() {
        double sum = 0;
        for (const std::uint64_t count : {kOnes, kCount - kOnes - 1, std::uint64_t{1}}) {
            const double p = static_cast<double>(count) / static_cast<double>(kCount);
            sum -= p * std::log2(p);
        }
        return sum;
    }
};

TEST_F(LargeLevels, Quantile) {
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, quantiles()), {x_.get()}));
    expect_quantiles(0);
}

TEST_F(LargeLevels, Histogram) {
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, histogram()), {x_.get()}));
    expect_histogram(0);
    HistogramParams own_range = histogram();
    own_range.has_range = false;
    own_range.bins = 249;
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, own_range), {x_.get()}));
    EXPECT_EQ(at<std::uint64_t>(0, 0), kOnes);
    EXPECT_EQ(at<std::uint64_t>(0, 4), kCount - kOnes - 1);
    EXPECT_EQ(at<std::uint64_t>(0, 248), 1u);
}

TEST_F(LargeLevels, Entropy) {
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, EntropyParams{}), {x_.get()}));
    EXPECT_NEAR(at<double>(0, 0), wanted_entropy(), 1e-9);
}

TEST_F(LargeLevels, Fused) {
    FusedParams params;
    params.parts = {ReduceParams{set_of({Statistic::Sum}), false, 0}, TopkParams{1, true, false}, quantiles(),
                    histogram(), EntropyParams{}};
    ASSERT_TRUE(run(job_of(ElementType::U8, kCount, params), {x_.get()}));
    EXPECT_EQ(statistic<std::uint64_t>(Statistic::Sum), kOnes + 5 * (kCount - kOnes - 1) + 250);
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
        switch (plan_.outputs[i].role) {
            case ArrayRole::Indices: EXPECT_EQ(at<std::uint64_t>(i, 0), kCount - 1); break;
            case ArrayRole::Quantiles: expect_quantiles(i); break;
            case ArrayRole::Histogram: expect_histogram(i); break;
            case ArrayRole::Entropy: EXPECT_NEAR(at<double>(i, 0), wanted_entropy(), 1e-9); break;
            default: break;
        }
    }
}

TEST_F(Large, EntropyMap) {
    const std::uint64_t side = 46342;  // its square is more than 2^31
    const DeviceBytes x(side * side);
    fill(x, 0, side * side, 40);
    set<std::uint8_t>(x, (side - 10) * side + side - 20, 200);  // seen by 5 x 5 windows
    ASSERT_TRUE(run(Job{ElementType::U8, Axis::Whole, side, side, EntropyMapParams{}}, {&x}));
    const double p = 1.0 / 25, one_of_25 = -p * std::log2(p) - (1 - p) * std::log2(1 - p);
    EXPECT_EQ(at<float>(0, 0), 0.0f);
    EXPECT_NEAR(at<float>(0, (side - 10) * side + side - 20), one_of_25, 1e-6);
    const std::unique_ptr<DeviceBytes> map = std::move(outputs_[0]);
    ASSERT_TRUE(
        run(job_of(ElementType::F32, side * side,
                   ReduceParams{set_of({Statistic::Nonzero, Statistic::Argmax, Statistic::Max}), false, 0}),
            {map.get()}));
    EXPECT_EQ(statistic<std::uint64_t>(Statistic::Nonzero), 25u);
    EXPECT_EQ(statistic<std::int64_t>(Statistic::Argmax),
              static_cast<std::int64_t>((side - 12) * side + side - 22));
    EXPECT_NEAR(statistic<float>(Statistic::Max), one_of_25, 1e-6);
}

}  // namespace
}  // namespace tegu::test
