// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/class_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/tune/measure/made_up_job.h"
#include "tools/tune/measure/policy_text.h"

namespace tegu::tune {
namespace {

const std::atomic<bool> kNotInterrupted{false};

PolicySubject topk_subject() {
    PolicySubject subject;
    subject.backend = TuningBackend::Cuda;
    subject.operation = "topk";
    subject.limits.compute_capability = 90;
    subject.limits.shared_bytes_per_block = 227 << 10;
    return subject;
}

SearchOptions quick(std::uint64_t seed = 1) {
    SearchOptions options;
    options.seconds = 3600;  // made-up jobs take none of it
    options.seed = seed;
    return options;
}

double octaves(double value, double best) {
    return std::fabs(std::log2(value / best));
}

// A valley with its floor away from the default: 128 threads a block, a sample of 4096, slices of 256.
double valley(const tuning::PolicySet& policies) {
    const cuda::SelectionPolicy& topk = policies.cuda.selection;
    return 800 * (1 + 0.05 * octaves(topk.block_threads, 128) + 0.04 * octaves(topk.sample, 4096) +
                  0.03 * octaves(topk.slice, 256));
}

struct Searched {
    Result<SearchResult> result;
    std::vector<std::string> wrong;
    bool ok() const { return result.ok(); }
    const Error& error() const { return result.error(); }
    const SearchResult* operator->() const { return &*result; }
};

Searched search(MadeUp& made_up, const SearchOptions& options, const std::atomic<bool>& interrupted) {
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 3), pace, interrupted);
    const PolicySubject subject = topk_subject();
    std::vector<std::string> wrong;
    const Stop stop = [&] { return interrupted.load(); };
    Result<SearchResult> result = search_class(subject, meter, options, stop, &wrong);
    return {std::move(result), std::move(wrong)};
}
Searched search(MadeUp& made_up, const SearchOptions& options) {
    return search(made_up, options, kNotInterrupted);
}

TEST(ClassSearch, FindsTheFloorOfAValley) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        MadeUp made_up;
        made_up.us = valley;
        made_up.noise = 0.002;
        const Searched found = search(made_up, quick(seed));
        ASSERT_TRUE(found.ok());
        EXPECT_EQ(changes_text(found->policy), "block_threads=128 sample=4096 slice=256") << "seed " << seed;
        EXPECT_NEAR(found->gain.speed(), 1 + 0.05 * 3 + 0.04 + 0.03 * 2, 0.01);
        EXPECT_TRUE(found.wrong.empty());
    }
}

TEST(ClassSearch, FieldsThatDoNothingKeepTheirDefault) {
    MadeUp made_up;
    made_up.us = [](const tuning::PolicySet& policies) {
        return policies.cuda.selection.waves == 4 ? 700.0 : 1000.0;
    };
    made_up.noise = 0.001;
    const Searched found = search(made_up, quick());
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(changes_text(found->policy), "waves=4");
}

TEST(ClassSearch, NoRowWhereEveryPolicyIsTheSame) {
    for (const double noise : {0.0, 0.02, 0.3}) {
        MadeUp made_up;
        made_up.noise = noise;
        const Searched found = search(made_up, quick());
        ASSERT_TRUE(found.ok());
        EXPECT_FALSE(found->has_row()) << noise << ": " << changes_text(found->policy);
        EXPECT_GT(found->candidates, 20u);
    }
}

TEST(ClassSearch, NoRowForAGainWithinTheNoise) {
    MadeUp made_up;
    made_up.us = [](const tuning::PolicySet& policies) {
        return policies.cuda.selection.waves == 4 ? 900.0 : 1000.0;
    };
    made_up.noise = 0.2;  // the median deviation is a tenth
    const Searched found = search(made_up, quick());
    ASSERT_TRUE(found.ok());
    EXPECT_FALSE(found->has_row());
}

TEST(ClassSearch, WrongResultsAreReportedAndNeverARow) {
    MadeUp made_up;
    made_up.us = valley;
    made_up.is_wrong = [](const tuning::PolicySet& policies) {
        return policies.cuda.selection.block_threads == 128;
    };
    const Searched found = search(made_up, quick());
    ASSERT_TRUE(found.ok());
    ASSERT_FALSE(found.wrong.empty());
    EXPECT_NE(found.wrong.front().find("block_threads=128"), std::string::npos) << found.wrong.front();
    EXPECT_NE(found.wrong.front().find("values: element 3 differs"), std::string::npos);
    EXPECT_EQ(changes_text(found->policy), "block_threads=256 sample=4096 slice=256");
}

TEST(ClassSearch, RefusedPoliciesAreCountedAndNeverARow) {
    MadeUp made_up;
    made_up.us = valley;
    made_up.is_refused = [](const tuning::PolicySet& policies) {
        return policies.cuda.selection.block_threads < 512;
    };
    const Searched found = search(made_up, quick());
    ASSERT_TRUE(found.ok());
    EXPECT_GT(found->refused, 0u);
    EXPECT_EQ(changes_text(found->policy), "block_threads=512 sample=4096 slice=256");
}

TEST(ClassSearch, AWrongDefaultEndsIt) {
    MadeUp made_up;
    made_up.is_wrong = [](const tuning::PolicySet&) { return true; };
    const Searched found = search(made_up, quick());
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().status, Status::Internal);
    ASSERT_EQ(found.wrong.size(), 1u);
    EXPECT_EQ(found.wrong[0], "default: values: element 3 differs");
}

// Whatever ends the search: a wrong result that it has seen is told.
TEST(ClassSearch, WrongResultsOutliveALaterError) {
    MadeUp made_up;
    std::atomic<bool> interrupted{false};
    made_up.is_wrong = [&](const tuning::PolicySet& policies) {
        const bool is_wrong = policies.cuda.selection.block_threads == 128;
        if (is_wrong) interrupted = true;
        return is_wrong;
    };
    const Searched found = search(made_up, quick(), interrupted);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().status, Status::Cancelled);
    ASSERT_FALSE(found.wrong.empty());
    EXPECT_NE(found.wrong[0].find("block_threads=128"), std::string::npos) << found.wrong[0];
}

TEST(ClassSearch, KnownRowsAreTriedEvenWithoutTime) {
    MadeUp made_up;
    made_up.us = [](const tuning::PolicySet& policies) {
        return policies.cuda.selection.sample == 5000 ? 500.0 : 1000.0;
    };
    made_up.noise = 0.001;
    SearchOptions options = quick();
    tuning::PolicySet known;
    known.cuda.selection.sample = 5000;
    options.known = {known};
    const Searched found = search(made_up, options);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(changes_text(found->policy), "sample=5000");
}

TEST(ClassSearch, APolicyThatIsWorseForOneJobIsNoRow) {
    MadeUp made_up;
    unsigned call = 0;
    // Jobs run in turn; the third one suffers.
    made_up.us = [&](const tuning::PolicySet& policies) {
        const bool suffers = call++ % 3 == 2;
        if (policies.cuda.selection.waves != 4) return 1000.0;
        return suffers ? 1100.0 : 700.0;
    };
    MadeUpPace pace;
    ClassMeter meter(made_up_jobs(made_up, 3), pace, kNotInterrupted);
    ASSERT_TRUE(meter.calibrate({}).ok());
    call = 0;
    tuning::PolicySet tuned;
    tuned.cuda.selection.waves = 4;
    Samples samples;
    ASSERT_TRUE(meter.sample(tuned, 2, &samples).ok());
    std::vector<Duel> duels;
    for (const std::vector<double>& job : samples) duels.push_back({timing_of(job), {1000, 0, 2}});
    EXPECT_GT(gain_of(duels).share(), 0.15);
    EXPECT_FALSE(is_clear(gain_of(duels)));
}

TEST(ClassSearch, EndsAtOnceWhenInterrupted) {
    MadeUp made_up;
    std::atomic<bool> interrupted{false};
    made_up.before_run = [&] { interrupted = made_up.runs > 50; };
    const Searched found = search(made_up, quick(), interrupted);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().status, Status::Cancelled);
    EXPECT_LT(made_up.runs, 60u);
}

TEST(ClassSearch, LeavesOutWhatWouldTakeTooLong) {
    MadeUp made_up;
    SearchOptions options = quick();
    options.max_seconds = 0;
    const Searched found = search(made_up, options);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().status, Status::DeadlineExceeded);
}

}  // namespace
}  // namespace tegu::tune
