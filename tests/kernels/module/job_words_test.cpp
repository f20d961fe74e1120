// SPDX-License-Identifier: Apache-2.0
// Parameters as words and back. Words that nobody wrote are refused and never read beyond.
#include "kernels/module/job_words.h"

#include <gtest/gtest.h>

#include "kernels/module/layout.h"
#include "tests/kernels/cuda/varied_job.h"

namespace tegu::module {
namespace {

using Words = std::vector<std::uint64_t>;

Words words_of(const JobParams& params) {
    Words words = {7, 7};
    write_words(params, &words);
    return words;
}

TEST(JobWords, ComeBackForEveryOperation) {
    for (const OperationInfo& info : operation_infos())
        for (std::uint64_t variant = 0; variant < 24; ++variant) {
            const Job job = test::varied_job(info.operation, ElementType::F32, 60, variant);
            const Words words = words_of(job.params);
            const Result<JobParams> read = read_words(static_cast<std::uint32_t>(info.operation), words);
            ASSERT_TRUE(read.ok()) << info.stem << ": " << read.error().message;
            EXPECT_EQ(job.params.index(), read->index());
            EXPECT_EQ(words, words_of(*read)) << info.stem;
        }
}

TEST(JobWords, AreInTheOrderOfTheDescription) {
    EXPECT_EQ((Words{10, 1, 0}), words_of(TopkParams{10, true, false}));
    FusedParams fused;
    fused.parts = {TopkParams{3, false, true}};
    EXPECT_EQ((Words{1, 2, 3, 0, 1}), words_of(fused));
}

TEST(JobWords, OfAnotherFormAreRefused) {
    const auto topk = static_cast<std::uint32_t>(Operation::Topk);
    const auto fused = static_cast<std::uint32_t>(Operation::Fused);
    EXPECT_FALSE(read_words(topk, Words{10, 1}).ok()) << "one is missing";
    EXPECT_FALSE(read_words(topk, Words{10, 1, 0, 0}).ok()) << "one too many";
    EXPECT_FALSE(read_words(topk, Words{10, 2, 0}).ok()) << "no boolean";
    EXPECT_FALSE(read_words(0, Words{}).ok());
    EXPECT_FALSE(read_words(77, Words{}).ok());
    EXPECT_FALSE(read_words(65536 + topk, Words{10, 1, 0}).ok());
    EXPECT_FALSE(read_words(fused, Words{6, 1, 1, 1, 1, 1, 1}).ok()) << "too many parts";
    EXPECT_FALSE(read_words(fused, Words{~std::uint64_t{0}}).ok());
    EXPECT_FALSE(read_words(fused, Words{1, 4}).ok()) << "add is no part";
    const Result<JobParams> unknown = read_words(77, Words{});
    EXPECT_EQ(Status::Internal, unknown.error().status);
}

TEST(LayoutRevision, IsTheSameEachTime) {
    EXPECT_EQ(layout_revision(), layout_revision());
    EXPECT_NE(0u, layout_revision());
}

}  // namespace
}  // namespace tegu::module
