// SPDX-License-Identifier: Apache-2.0
// Every operation x element type x size x address x pattern of data x launch policy on the GPU backend, byte
// by byte against the CPU backend. On the host, where fibers are slow, the small sizes alone, and one in so
// many of them.
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

struct SizesCase {
    Operation operation;
    bool is_large;  // 1e7 elements; else all other sizes
};

class Sizes : public testing::TestWithParam<SizesCase> {
  protected:
    void SetUp() override {
        const char* why_not = "";
        const cuda::Context* context = test_context(&why_not);
        if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
        contexts_ = contexts_with_policies(*context);
    }
    void expect_same(ElementType type, Pattern pattern, std::uint64_t n, std::size_t offset) {
        const std::uint64_t variant = ++jobs_;
        const Job job = varied_job(GetParam().operation, type, n, variant);
        if (!kernels::plan_job(job)) return;
        std::vector<TestInput> inputs;
        for (int i = 0; i < info_of(GetParam().operation).inputs; ++i)
            inputs.push_back(make_pattern(type, i == 0 ? pattern : Pattern::Uniform,
                                          {job.rows, job.cols, variant % 4 == 3 ? 3u : 0u, offset}, variant));
        set_thread_order(variant);
        ++compared_;
        // Two of the policies, other ones each time.
        const std::vector<cuda::Context> contexts = {contexts_[variant % 4],
                                                     contexts_[(variant / 4 + variant + 1) % 4]};
        ASSERT_TRUE(same_on_both(contexts, job, inputs))
            << element_word(type) << ", " << pattern_word(pattern) << ", " << job.rows << " x " << job.cols
            << (job.axis == Axis::Rows ? " rows" : "") << ", offset " << offset << ", variant " << variant;
    }
    std::vector<cuda::Context> contexts_;
    std::uint64_t jobs_ = 0;
    std::uint64_t compared_ = 0;
};

// Large arrays cost copies, and fibers are slow: of both one in so many, primes, which meet every type and
// pattern.
bool is_left_out(std::uint64_t n, std::uint64_t number) {
    if (n > 1000000) return number % 5 != 0;
    return largest_test_elements() < 100000 && (n > 2000 || number % 19 != 0);
}

TEST_P(Sizes, GiveTheBitsOfTheCpu) {
    const std::vector<std::uint64_t> sizes =
        GetParam().is_large ? std::vector<std::uint64_t>{10000000}
                            : std::vector<std::uint64_t>{0,    1,    31,   32,   33,   255,   256,   257,
                                                         1023, 1024, 1025, 4095, 4097, 16383, 16385, 100000};
    if (sizes[0] > largest_test_elements()) GTEST_SKIP() << "too many elements for this run";
    std::uint64_t cases = 0;
    for (const std::uint64_t n : sizes) {
        for (const ElementType type : kTypes) {
            for (const Pattern pattern : kPatterns) {
                // Each address with every other pattern; of a size the addresses change places with the type.
                const bool is_odd = ++cases % 2 == 0;
                if (is_left_out(n, cases)) continue;
                ASSERT_NO_FATAL_FAILURE(expect_same(type, pattern, n,
                                                    !is_odd      ? 0
                                                    : n % 2 == 1 ? 1
                                                                 : element_bytes(type)));
            }
            ++cases;
        }
    }
    EXPECT_GT(compared_, 0u);
}

std::vector<SizesCase> all_cases() {
    std::vector<SizesCase> all;
    for (const bool is_large : {false, true}) {
#define TEGU_X(number, Name, stem, inputs, sentence) all.push_back({Operation::Name, is_large});
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, Sizes, testing::ValuesIn(all_cases()), [](const auto& each) {
    return std::string(info_of(each.param.operation).stem) + (each.param.is_large ? "_large" : "");
});

}  // namespace
}  // namespace tegu::test
