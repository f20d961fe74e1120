// SPDX-License-Identifier: Apache-2.0
// What the tests of single operations on the GPU backend share: a context of their own, whose policies they
// may change, and generated inputs.
#pragma once

#include <gtest/gtest.h>

#include "tests/kernels/cuda/compare_backends.h"
#include "tests/kernels/digests/inputs.h"

namespace tegu::test {

class CudaTest : public testing::Test {
  protected:
    void SetUp() override {
        const char* why_not = "";
        const cuda::Context* context = test_context(&why_not);
        if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
        context_ = *context;
    }
    // Fibers have the blocks of any device, threads the registers of their own.
    void allow_large_blocks() {
        if (is_slow()) context_.limits.compute_capability = 87;
        if (context_.limits.compute_capability < 70) GTEST_SKIP() << "a block has half of the registers";
    }
    static bool is_slow() { return largest_test_elements() < 100000; }

    cuda::Context context_;
};

inline TestInput input_of(ElementType type, const testing_support::DigestShape& shape, std::uint64_t seed,
                          testing_support::Content content = testing_support::Content::Plain) {
    return {testing_support::make_digest_input(type, content, shape, seed), shape.offset,
            shape.cols + shape.extra};
}

}  // namespace tegu::test
