// SPDX-License-Identifier: Apache-2.0
// Policies that a table may hold give the bits of the CPU: random ones, within what the registry allows on
// the device. On the host devices of several kinds take turns, as the launches look at their limits.
// $TEGU_TEST_SEED chooses others.
#include "tests/kernels/tuning/random_policies.h"
#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/patterns.h"
#include "tests/kernels/cuda/varied_job.h"

namespace tegu::test {
namespace {

constexpr ElementType kTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

bool on_host() {
    return largest_test_elements() < 100000;
}

// Those of a Nano, an Orin and an H200.
std::vector<cuda::DeviceLimits> limits_to_try(const cuda::DeviceLimits& own) {
    if (!on_host()) return {own};
    return {own, cuda::DeviceLimits{53, 1, 2048, 48 << 10, 256 << 10},
            cuda::DeviceLimits{87, 8, 1536, 163 << 10, 2 << 20},
            cuda::DeviceLimits{90, 132, 2048, 227 << 10, 50 << 20}};
}

class RandomPolicies : public testing::TestWithParam<Operation> {
  protected:
    void SetUp() override {
        const char* why_not = "";
        context_ = test_context(&why_not);
        if (context_ == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
    }
    // The context for a job, with random policies; of a fused one each part has its own.
    cuda::Context random_context(const cuda::DeviceLimits& limits, std::string* text) {
        cuda::Context context = *context_;
        context.limits = limits;
        const std::string_view stem = info_of(GetParam()).stem;
        policies_.clear();
        policies_.reserve(kMaxFusedParts);
        const bool fused = GetParam() == Operation::Fused;
        for (const std::string_view part : {"reduce", "topk", "quantile", "histogram", "entropy"}) {
            const std::string_view name = fused ? part : stem;
            policies_.push_back(random_policies(TuningBackend::Cuda, name, limits, &random_));
            *text +=
                std::string(name) + ": " + policy_text(TuningBackend::Cuda, name, policies_.back()) + "; ";
            if (!fused) break;
        }
        for (std::size_t i = 0; i < policies_.size() && fused; ++i)
            context.parts.parts[i] = &policies_[i].cuda;
        if (!fused) context.policies = policies_[0].cuda;
        return context;
    }
    void expect_same(ElementType type, Pattern pattern, std::uint64_t n, const cuda::DeviceLimits& limits) {
        const std::uint64_t variant = ++jobs_;
        const Job job = varied_job(GetParam(), type, n, variant);
        if (!kernels::plan_job(job)) return;
        std::vector<TestInput> inputs;
        for (int i = 0; i < info_of(GetParam()).inputs; ++i)
            inputs.push_back(make_pattern(type, i == 0 ? pattern : Pattern::Uniform,
                                          {job.rows, job.cols, variant % 4 == 3 ? 3u : 0u, 0}, variant));
        set_thread_order(variant);
        ++compared_;
        std::string text;
        const cuda::Context context = random_context(limits, &text);
        (void)take_most_shared_bytes();
        ASSERT_TRUE(same_on_both(context, job, inputs))
            << element_word(type) << ", " << pattern_word(pattern) << ", " << job.rows << " x " << job.cols
            << ", variant " << variant << ", compute capability " << limits.compute_capability << ", "
            << text;
        EXPECT_LE(take_most_shared_bytes(), std::max(limits.shared_bytes_per_block, cuda::kPlainSharedBytes))
            << text;
    }

    const cuda::Context* context_ = nullptr;
    std::vector<tuning::PolicySet> policies_;
    testing_support::SplitMix random_{11 + number_in_environment("TEGU_TEST_SEED")};
    std::uint64_t jobs_ = 0, compared_ = 0;
};

TEST_P(RandomPolicies, GiveTheBitsOfTheCpu) {
    const std::vector<std::uint64_t> sizes =
        on_host() ? std::vector<std::uint64_t>{33, 257, 1025, 4097, 20000}
                  : std::vector<std::uint64_t>{33, 257, 1025, 4097, 20000, 100000, 1000000, 5000000};
    std::uint64_t number = 0;
    for (const std::uint64_t n : sizes) {
        for (const ElementType type : kTypes) {
            for (const Pattern pattern : kPatterns) {
                // Fibers and copies are slow: one in so many, primes, which meet every type, pattern and
                // device.
                const std::uint64_t one_in = on_host() ? (n > 10000  ? 37
                                                          : n > 1000 ? 11
                                                                     : 5)
                                                       : (n > 500000 ? 13 : 1);
                if (++number % one_in != 0) continue;
                const std::vector<cuda::DeviceLimits> limits = limits_to_try(context_->limits);
                ASSERT_NO_FATAL_FAILURE(expect_same(type, pattern, n, limits[number % limits.size()]));
            }
        }
    }
    EXPECT_GT(compared_, 0u);
}

std::vector<Operation> operations() {
    std::vector<Operation> all;
#define TEGU_X(number, Name, stem, inputs, sentence) all.push_back(Operation::Name);
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, RandomPolicies, testing::ValuesIn(operations()),
                         [](const auto& each) { return std::string(info_of(each.param).stem); });

}  // namespace
}  // namespace tegu::test
