// SPDX-License-Identifier: Apache-2.0
// What surrounds the numbers of entropy_map: threads, plans, policies, scratch, refusals, input that changes,
// stopping.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernels/entropy_map/util.h"

namespace tegu::testing_support {
namespace {

TEST(EntropyMap, SameBitsForAnyNumberOfThreads) {
    const Image image = picture(200, 300, 21);
    for (const EntropyMapParams& params :
         {params_of(5, 5, 16), params_of(31, 31, 256, Border::Mirror), params_of(9, 21, 64)}) {
        const Job job = job_of(image, ElementType::U8, params);
        const Stored stored = store(image, ElementType::U8, 5, 3);
        const std::vector<float> one = run_map(job, choose_entropy_policy(params), stored.view, nullptr);
        for (const unsigned threads : {1u, 2u, 7u}) {
            ThreadPool pool(threads);
            for (const std::uint32_t tile_rows : {3u, 8u, 64u})
                EXPECT_TRUE(same_bits(
                    run_map(job, {choose_entropy_policy(params).method, tile_rows, 64}, stored.view, &pool),
                    one, 300))
                    << threads << " threads";
        }
    }
}

TEST(EntropyMap, TheDoorRunsTheChosenPolicyAndReportsIt) {
    const Image image = picture(30, 40, 22);
    const EntropyMapParams params = params_of(5, 5, 16);
    const Job job = job_of(image, ElementType::U8, params);
    const Result<JobPlan> plan = plan_job(job);
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 1u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Map);
    EXPECT_EQ(plan->outputs[0].type, ElementType::F32);
    EXPECT_EQ(plan->outputs[0].rows, 30u);
    EXPECT_EQ(plan->outputs[0].cols, 40u);
    EXPECT_EQ(plan->bytes_read, 1200u);
    EXPECT_EQ(plan->bytes_written, 4800u);
    EXPECT_GT(plan->scratch_bytes, 0u);
    EXPECT_GT(plan->predicted_ns, 0u);
    const Stored stored = store(image, ElementType::U8);
    std::vector<float> map(1200);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const Result<RunReport> report = run_job(job, Span<const InputView>(&stored.view, 1),
                                             Span<const OutputView>(&output, 1), nullptr, StopToken());
    ASSERT_TRUE(report.ok());
    const EntropyPolicy policy = choose_entropy_policy(params);
    EXPECT_EQ(report->policy.text(), std::string("cpu ") + cpu_isa() + " threads=1 method=" +
                                         std::string(entropy_method_word(policy.method)) + " tile=30x40");
    ASSERT_EQ(report->filled_columns.size(), 1u);
    EXPECT_EQ(report->filled_columns[0], 40u);
    EXPECT_TRUE(same_bits(map, reference_map(image, ElementType::U8, params).map, 40));
}

TEST(EntropyMap, ThePolicyIsOneThatTheMethodSupports) {
    for (std::uint32_t window = 3; window <= 63; window += 2) {
        for (std::uint32_t levels = 2; levels <= 256; ++levels) {
            const EntropyMapParams params = params_of(window, 66 - window, levels);
            const EntropyPolicy policy = choose_entropy_policy(params);
            ASSERT_TRUE(entropy_method_supports(policy.method, params)) << window << " " << levels;
        }
    }
    // What no model may change: the cost never grows with a large window unless there are too many levels for
    // anything else, two levels in a large window take prefix sums, few in a small one vectors of windows.
    EXPECT_EQ(choose_entropy_policy(params_of(3, 3, 2)).method, CpuEntropyMethod::Planes);
    EXPECT_EQ(choose_entropy_policy(params_of(63, 63, 2)).method, CpuEntropyMethod::Prefix);
    EXPECT_EQ(choose_entropy_policy(params_of(63, 63, 16)).method, CpuEntropyMethod::Columns);
    EXPECT_EQ(choose_entropy_policy(params_of(63, 63, 128)).method, CpuEntropyMethod::Columns);
    EXPECT_EQ(choose_entropy_policy(params_of(31, 31, 256)).method, CpuEntropyMethod::Slide);
}

TEST(EntropyMap, ScratchStaysBoundedWhateverTheShape) {
    for (const std::uint64_t levels : {16u, 256u})
        for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 31}) {
            Job job;
            job.type = ElementType::F32;
            job.rows = rows;
            job.cols = (std::uint64_t{1} << 32) / rows;
            job.params = params_of(63, 63, static_cast<std::uint32_t>(levels), Border::Mirror);
            const Result<JobPlan> plan = plan_job(job);
            ASSERT_TRUE(plan.ok());
            EXPECT_LT(plan->scratch_bytes, std::uint64_t{16} << 20);
        }
}

struct BadCase {
    const char* what;
    Status status;
    const char* field;
    void (*spoil)(Job&, EntropyMapParams&);
};

const BadCase kBadCases[] = {
    {"axis rows", Status::BadRequest, "axis", [](Job& job, EntropyMapParams&) { job.axis = Axis::Rows; }},
    {"even window", Status::BadRange, "window_rows", [](Job&, EntropyMapParams& p) { p.window_rows = 4; }},
    {"window 1", Status::BadRange, "window_cols", [](Job&, EntropyMapParams& p) { p.window_cols = 1; }},
    {"window 65", Status::BadRange, "window_cols", [](Job&, EntropyMapParams& p) { p.window_cols = 65; }},
    {"window 0", Status::BadRange, "window_rows", [](Job&, EntropyMapParams& p) { p.window_rows = 0; }},
    {"window 2^32-1", Status::BadRange, "window_rows",
     [](Job&, EntropyMapParams& p) { p.window_rows = 0xffffffffu; }},
    {"levels 1", Status::BadRange, "levels", [](Job&, EntropyMapParams& p) { p.levels = 1; }},
    {"levels 257", Status::BadRange, "levels", [](Job&, EntropyMapParams& p) { p.levels = 257; }},
    {"base 2", Status::BadRange, "base", [](Job&, EntropyMapParams& p) { p.base = static_cast<LogBase>(2); }},
    {"border 9", Status::BadRange, "border",
     [](Job&, EntropyMapParams& p) { p.border = static_cast<Border>(9); }},
    {"range NaN", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, double(kNan), 1); }},
    {"range to NaN", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 0, double(kNan)); }},
    {"range to infinity", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 0, double(kInfinity)); }},
    {"range to 1e300", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 0, 1e300); }},
    {"range upside down", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 2, 1); }},
    {"range empty", Status::BadRange, "range", [](Job&, EntropyMapParams& p) { p = with_range(p, 1, 1); }},
    {"range empty in f32", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 1, 1 + 1e-12); }},
    {"range too wide", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, -3e38, 3e38); }},
    {"range too narrow", Status::BadRange, "range",
     [](Job&, EntropyMapParams& p) { p = with_range(p, 0, 1e-44); }},
    {"no rows", Status::EmptyInput, "rows", [](Job& job, EntropyMapParams&) { job.rows = 0; }},
    {"no columns", Status::EmptyInput, "cols", [](Job& job, EntropyMapParams&) { job.cols = 0; }},
    {"map too large", Status::TooLarge, "rows",
     [](Job& job, EntropyMapParams&) { job.rows = job.cols = std::uint64_t{3} << 29; }},
};

TEST(EntropyMap, BadRequestsNameTheField) {
    for (const BadCase& bad : kBadCases) {
        EntropyMapParams params = params_of(5, 5, 16);
        Job job =
            job_of(make_image(8, 8, [](std::int64_t, std::int64_t) { return 1.0; }), ElementType::U8, params);
        bad.spoil(job, params);
        job.params = params;
        const Result<JobPlan> plan = plan_job(job);
        ASSERT_FALSE(plan.ok()) << bad.what;
        EXPECT_EQ(plan.error().status, bad.status) << bad.what;
        EXPECT_EQ(plan.error().field, bad.field) << bad.what;
        EXPECT_FALSE(plan.error().allowed.empty()) << bad.what;
        EXPECT_FALSE(plan.error().message.empty()) << bad.what;
    }
}

TEST(EntropyMap, RangeOfTheDataThatCannotBeUsedIsAnError) {
    for (const double top : {3.4e38, 1e-44}) {
        const Image image = make_image(
            4, 4, [&](std::int64_t r, std::int64_t) { return r == 0 ? (top > 1 ? -top : 0.0) : top; });
        const ElementType type = top > 1 ? ElementType::F32 : ElementType::F64;
        const Stored stored = store(image, type);
        const Job job = job_of(image, type, params_of(3, 3, 16));
        ASSERT_TRUE(plan_job(job).ok());
        std::vector<float> map(16);
        const OutputView output{reinterpret_cast<std::byte*>(map.data())};
        const Result<RunReport> report = run_job(job, Span<const InputView>(&stored.view, 1),
                                                 Span<const OutputView>(&output, 1), nullptr, StopToken());
        ASSERT_FALSE(report.ok());
        EXPECT_EQ(report.error().status, Status::BadRange);
        EXPECT_EQ(report.error().field, "range");
    }
}

// Another process writes pixels of every kind while maps are computed: results are undefined, but they are
// entropies or NaN, and nothing is read or written out of bounds.
TEST(EntropyMap, InputThatChangesUnderTheRun) {
    constexpr std::size_t kRows = 70, kCols = 300, kWords = kRows * kCols;
    void* shared = mmap(nullptr, kWords * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
        volatile std::uint32_t* words = static_cast<volatile std::uint32_t*>(shared);
        for (std::uint32_t state = 1;; state = state * 1664525u + 1013904223u)
            words[(state >> 8) % kWords] = state;
    }
    Job job;
    job.rows = kRows;
    job.cols = kCols;
    const InputView input{static_cast<const std::byte*>(shared), kCols};
    std::vector<float> map(kWords);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    bool sane = true;
    for (int round = 0; round < 30 && sane; ++round) {
        job.type = round / 4 % 2 ? ElementType::F32 : ElementType::U8;
        EntropyMapParams params = params_of(5, 5, 16, round % 3 ? Border::Clip : Border::Mirror);
        if (job.type == ElementType::F32) params = with_range(params, -1e30, 1e30);
        job.params = params;
        const EntropyPolicy policy{kMethods[round % 4], 64, 512};
        const Result<RunReport> report =
            run_entropy_map(job, params, policy, Span<const InputView>(&input, 1),
                            Span<const OutputView>(&output, 1), nullptr, StopToken());
        sane = report.ok();
        for (const float entropy : map)
            sane = sane && (std::isnan(entropy) || (entropy >= 0 && entropy <= 4.00001f));
    }
    EXPECT_TRUE(sane);
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    munmap(shared, kWords * sizeof(std::uint32_t));
}

TEST(EntropyMap, StopsWhenAsked) {
    const Image image = random_floats(300, 300, 31);
    const Stored stored = store(image, ElementType::F32);
    std::vector<float> map(90000);
    const OutputView output{reinterpret_cast<std::byte*>(map.data())};
    const std::atomic<bool> cancelled{true};
    const StopToken cancel(&cancelled, StopToken::Clock::time_point::max());
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    ThreadPool pool(2);
    for (const bool range : {false, true}) {
        EntropyMapParams params = params_of(31, 31, 256);
        if (range) params = with_range(params, -3, 5);
        const Job job = job_of(image, ElementType::F32, params);
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const Result<RunReport> first = run_job(job, Span<const InputView>(&stored.view, 1),
                                                    Span<const OutputView>(&output, 1), threads, cancel);
            ASSERT_FALSE(first.ok());
            EXPECT_EQ(first.error().status, Status::Cancelled);
            const Result<RunReport> second = run_job(job, Span<const InputView>(&stored.view, 1),
                                                     Span<const OutputView>(&output, 1), threads, late);
            ASSERT_FALSE(second.ok());
            EXPECT_EQ(second.error().status, Status::DeadlineExceeded);
        }
    }
}

}  // namespace
}  // namespace tegu::testing_support
