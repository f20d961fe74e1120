// SPDX-License-Identifier: Apache-2.0
// The GPU backend against the CPU backend: every job of tests/kernels/digests/cases.h that it takes gives the
// same bytes, or the same error.
#include <gtest/gtest.h>

#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/compare_backends.h"
#include "tests/kernels/digests/cases.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestCase;
using testing_support::DigestShape;

class Backend : public testing::TestWithParam<Operation> {
  protected:
    void SetUp() override {
        const char* why_not = "";
        context_ = test_context(&why_not);
        if (context_ == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
    }
    const cuda::Context* context_ = nullptr;
};

Job job_of(const DigestCase& test, const DigestShape& shape) {
    Job job;
    job.type = test.type;
    job.axis = test.axis;
    job.rows = shape.rows;
    job.cols = shape.cols;
    job.params = test.params(test.axis == Axis::Whole ? shape.rows * shape.cols : shape.cols);
    return job;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kOneIn = 31;
#else
constexpr std::uint64_t kOneIn = 13;
#endif

// Fibers are slow: of the jobs that are not small the host runs one in so many, a prime, which meets every
// type, shape and content.
bool is_left_out(const DigestShape& shape) {
    static std::uint64_t larger = 0;
    const bool is_slow = largest_test_elements() < 100000 && shape.rows * shape.cols > 512;
    return is_slow && ++larger % kOneIn != 0;
}

TEST_P(Backend, GivesTheBitsOfTheCpu) {
    std::uint64_t jobs = 0;
    for (const DigestCase& test : testing_support::digest_cases()) {
        if (static_cast<Operation>(test.params(1).index() + 1) != GetParam()) continue;
        for (const DigestShape& shape : testing_support::digest_shapes(GetParam())) {
            const Job job = job_of(test, shape);
            if (shape.rows * shape.cols > largest_test_elements() || !kernels::plan_job(job)) continue;
            for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties}) {
                if (!testing_support::uses_content(shape, content) || is_left_out(shape)) continue;
                std::vector<TestInput> inputs;
                const int count = info_of(GetParam()).inputs;
                for (int i = 0; i < count; ++i)
                    inputs.push_back(
                        {testing_support::make_digest_input(
                             test.type, content, shape, 1000 * static_cast<std::uint64_t>(i) + shape.cols),
                         shape.offset, shape.cols + shape.extra});
                set_thread_order(++jobs);
                ASSERT_TRUE(same_on_both(*context_, job, inputs))
                    << test.name << ", " << shape.rows << " x " << shape.cols << ", content "
                    << static_cast<int>(content) << ", order of threads " << jobs;
            }
        }
    }
    EXPECT_GT(jobs, 0u);
}

std::vector<Operation> operations() {
    std::vector<Operation> all;
#define TEGU_X(number, Name, stem, inputs, sentence) all.push_back(Operation::Name);
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    return all;
}

std::string stem_of(const testing::TestParamInfo<Operation>& operation) {
    return std::string(info_of(operation.param).stem);
}
INSTANTIATE_TEST_SUITE_P(Every, Backend, testing::ValuesIn(operations()), stem_of);

}  // namespace
}  // namespace tegu::test
