// SPDX-License-Identifier: Apache-2.0
// Top-k at its edges: shapes, refusals, stopping, more than 2^32 elements, and input that changes under the
// run.
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "kernels/operation.h"
#include "tests/kernels/topk/run.h"

namespace tegu::kernels {
namespace {

using test::Pattern;

TEST(Topk, LongRowsShareTheThreads) {
    const std::uint64_t cols = 150000;
    const std::vector<float> elements = test::make_elements<float>(Pattern::Random, 3 * cols, 5);
    for (const std::uint64_t k : {3ull, 40000ull}) {
        const Case the_case{topk_job(ElementType::F32, Axis::Rows, 3, cols, k, true, false)};
        const Outcome outcome = run_elements(the_case, elements, &pool_of(2));
        ASSERT_TRUE(outcome.report.ok());
        for (std::uint64_t row = 0; row < 3; ++row) {
            const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
            const std::vector<float> one(begin, begin + static_cast<std::ptrdiff_t>(cols));
            expect_row(outcome, row, one, test::order_of(one, true, false), k, false);
        }
    }
}

TEST(Topk, NoRowsGiveEmptyArrays) {
    const Case the_case{topk_job(ElementType::I32, Axis::Rows, 0, 10, 3, true, true)};
    const Outcome outcome = run_bytes(the_case, nullptr, nullptr);
    ASSERT_TRUE(outcome.report.ok());
    EXPECT_EQ(outcome.plan.outputs[0].rows, 0u);
    EXPECT_EQ(outcome.plan.outputs[0].cols, 3u);
    EXPECT_EQ(outcome.report->filled_columns, (std::vector<std::uint64_t>{3, 3, 1}));
}

TEST(Topk, PlanNamesTheArrays) {
    const Result<JobPlan> plan = plan_job(topk_job(ElementType::F16, Axis::Rows, 4, 100, 10, true, true));
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->outputs.size(), 3u);
    EXPECT_EQ(plan->outputs[0].role, ArrayRole::Values);
    EXPECT_EQ(plan->outputs[0].type, ElementType::F16);
    EXPECT_EQ(plan->outputs[1].role, ArrayRole::Indices);
    EXPECT_EQ(plan->outputs[1].type, ElementType::I64);
    EXPECT_EQ(plan->outputs[1].rows, 4u);
    EXPECT_EQ(plan->outputs[1].cols, 10u);
    EXPECT_EQ(plan->outputs[2].role, ArrayRole::Counts);
    EXPECT_EQ(plan->outputs[2].type, ElementType::U64);
    EXPECT_EQ(plan->outputs[2].cols, 1u);
    EXPECT_EQ(plan->bytes_read, 800u);
    EXPECT_EQ(plan->bytes_written, 4u * 10 * 2 + 4 * 10 * 8 + 4 * 8);
    EXPECT_GT(plan->predicted_ns, 0u);
}

TEST(Topk, KOutsideTheRangeIsRefused) {
    for (const std::uint64_t k : {0ull, 101ull, ~0ull}) {
        const Result<JobPlan> plan = plan_job(topk_job(ElementType::I32, Axis::Rows, 4, 100, k, true, false));
        ASSERT_FALSE(plan.ok()) << k;
        EXPECT_EQ(plan.error().status, Status::BadRange);
        EXPECT_EQ(plan.error().field, "k");
        EXPECT_EQ(plan.error().allowed, "1..100");
    }
    EXPECT_TRUE(plan_job(topk_job(ElementType::I32, Axis::Whole, 4, 100, 400, true, false)).ok());
}

TEST(Topk, EmptyRowsAreRefused) {
    for (const Axis axis : {Axis::Whole, Axis::Rows}) {
        const Result<JobPlan> plan = plan_job(topk_job(ElementType::I32, axis, 4, 0, 1, true, false));
        ASSERT_FALSE(plan.ok());
        EXPECT_EQ(plan.error().status, Status::EmptyInput);
    }
    EXPECT_EQ(plan_job(topk_job(ElementType::I32, Axis::Whole, 0, 4, 1, true, false)).error().status,
              Status::EmptyInput);
}

TEST(Topk, AResultBeyondMemoryIsRefusedNotWrapped) {
    const Result<JobPlan> plan =
        plan_job(topk_job(ElementType::U8, Axis::Rows, 1ull << 31, 1ull << 31, 1ull << 31, true, false));
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().status, Status::TooLarge);
    EXPECT_EQ(plan.error().field, "k");
}

TEST(Topk, MoreMemoryThanThereIsIsAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's allocator ends the process";
#endif
    const Job job = topk_job(ElementType::U8, Axis::Whole, 1, 1ull << 45, 1ull << 44, true, false);
    const std::byte element{};
    const InputView input{&element, 1ull << 45};
    std::byte nowhere[16];
    const OutputView outputs[] = {{nowhere}, {nowhere}};
    const Result<RunReport> report =
        run_job(job, Span<const InputView>(&input, 1), Span<const OutputView>(outputs, 2), nullptr, {});
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().status, Status::OutOfMemory);
}

// Memory that costs nothing until it is written: every page is the one page of zeros.
struct Zeros {
    explicit Zeros(std::size_t size)
        : bytes(size),
          data(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                    0)) {
        if (data != MAP_FAILED) madvise(data, bytes, MADV_HUGEPAGE);
    }
    ~Zeros() {
        if (data != MAP_FAILED) munmap(data, bytes);
    }
    const std::size_t bytes;
    void* const data;
};

template <class T>
void check_beyond_32_bits() {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 70;
    const Zeros zeros(n * sizeof(T));
    if (zeros.data == MAP_FAILED) GTEST_SKIP() << "no " << zeros.bytes << " bytes of address space";
    T* elements = static_cast<T*>(zeros.data);
    elements[n - 1] = 9;
    elements[n - 2] = 7;
    elements[5] = 7;
    const auto index = [](std::uint64_t i) { return static_cast<std::int64_t>(i); };
    for (const bool distinct : {false, true}) {
        const Case the_case{topk_job(ElementTypeOf<T>::value, Axis::Whole, 1, n, 4, true, distinct)};
        const Outcome outcome = run_bytes(the_case, static_cast<const std::byte*>(zeros.data), &pool_of(2));
        ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
        const std::vector<std::int64_t> want =
            distinct ? std::vector<std::int64_t>{index(n - 1), 5, 0, -1}
                     : std::vector<std::int64_t>{index(n - 1), 5, index(n - 2), 0};
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(outcome.at<std::int64_t>(1, i), want[i]) << i;
            EXPECT_EQ(outcome.at<T>(0, i), want[i] < 0 ? 0 : elements[want[i]]) << i;
        }
    }
}

TEST(Topk, IndicesBeyond32Bits) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's shadow of so much memory is not free";
#else
    check_beyond_32_bits<std::uint8_t>();   // 64-bit entries: keys of 8 bits leave 48 for the index
    check_beyond_32_bits<std::uint32_t>();  // 128-bit entries
#endif
}

// Buckets begin at the place of their first key in the result, or behind it: one value that repeats moves all
// behind it.
TEST(Topk, DistinctBucketsFollowOneAnother) {
    const std::size_t n = 200000;
    for (const std::size_t repeated : {std::size_t{0}, std::size_t{1}, n / 4, n - 1}) {
        std::vector<std::int32_t> elements(n);
        for (std::size_t i = 0; i < n; ++i) elements[i] = static_cast<std::int32_t>(i * 7);
        elements[repeated] = elements[n - 1 - repeated / 2];
        const std::vector<std::int64_t> order = test::order_of(elements, true, true);
        for (const std::uint64_t k : {std::uint64_t{n / 2}, std::uint64_t{n - 1}, std::uint64_t{n}}) {
            const Case the_case{topk_job(ElementType::I32, Axis::Whole, 1, n, k, true, true)};
            for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &pool_of(2), &pool_of(7)}) {
                const Outcome outcome = run_elements(the_case, elements, pool);
                ASSERT_TRUE(outcome.report.ok());
                expect_row(outcome, 0, elements, order, k, true);
            }
        }
    }
}

TEST(Topk, ACancelledJobStops) {
    const std::size_t n = 1u << 20;
    const std::vector<std::int32_t> elements(n, 7);
    const std::atomic<bool> cancelled{true};
    const StopToken stop(&cancelled, StopToken::Clock::time_point::max());
    for (const Axis axis : {Axis::Whole, Axis::Rows})
        for (const bool distinct : {false, true})
            for (const std::uint64_t k : {10ull, 1024ull}) {
                const Case the_case{topk_job(ElementType::I32, axis, 1024, 1024, k, true, distinct)};
                const Outcome outcome = run_bytes(
                    the_case, reinterpret_cast<const std::byte*>(elements.data()), &pool_of(2), stop);
                ASSERT_FALSE(outcome.report.ok());
                EXPECT_EQ(outcome.report.error().status, Status::Cancelled);
            }
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    const Case the_case{topk_job(ElementType::I32, Axis::Whole, 1, n, n / 2, true, false)};
    const Outcome outcome =
        run_bytes(the_case, reinterpret_cast<const std::byte*>(elements.data()), nullptr, late);
    ASSERT_FALSE(outcome.report.ok());
    EXPECT_EQ(outcome.report.error().status, Status::DeadlineExceeded);
}

// Another process may write into the input while the job reads it. Indices stay in range; what they name is
// undefined.
TEST(Topk, InputThatChangesStaysInBounds) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the writer races with the job on purpose";
#endif
    const std::size_t n = 300000;
    std::vector<std::uint32_t> elements = test::make_elements<std::uint32_t>(Pattern::Random, n, 3);
    std::atomic<bool> done{false};
    std::thread writer([&] {
        volatile std::uint32_t* memory = elements.data();
        std::mt19937 random(4);
        while (!done.load()) {
            const std::uint32_t base = random() & 1 ? 0xf0000000u : 0u;
            for (std::size_t i = 0; i < n; i += 3) memory[i] = base + (random() & 0xff);
        }
    });
    for (int round = 0; round < 5; ++round)
        for (const bool distinct : {false, true})
            for (const std::uint64_t k : {1ull, 50ull, 1000ull, 20000ull, 150000ull, 300000ull}) {
                const Case the_case{
                    topk_job(ElementType::U32, Axis::Whole, 1, n, k, round % 2 == 0, distinct)};
                const Outcome outcome =
                    run_bytes(the_case, reinterpret_cast<const std::byte*>(elements.data()), &pool_of(2));
                EXPECT_TRUE(outcome.report.ok());
                for (std::uint64_t i = 0; i < k; ++i) {
                    const std::int64_t index = outcome.at<std::int64_t>(1, i);
                    EXPECT_GE(index, -1);
                    EXPECT_LT(index, static_cast<std::int64_t>(n));
                }
            }
    done.store(true);
    writer.join();
}

}  // namespace
}  // namespace tegu::kernels
