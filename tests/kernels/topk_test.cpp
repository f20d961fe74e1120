// SPDX-License-Identifier: Apache-2.0
// Top-k against a stable sort: every element type, pattern, size and k of interest, on one thread and on several; then
// shapes, refusals, stopping, and input that changes under the run.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "kernels/operation.h"
#include "kernels/thread_pool.h"
#include "kernels/topk.h"
#include "tests/kernels/topk_reference.h"

namespace tegu::kernels {
namespace {

using test::Pattern;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kLarge = 40000;  // every method still runs; the reference sorts ten times slower there
#else
constexpr std::size_t kLarge = 100000;
#endif

struct Case {
    Job job;
    std::uint64_t row_stride = 0;  // 0: cols
    std::size_t offset = 0;        // bytes before the first element
};

struct Outcome {
    Result<RunReport> report = make_error(Status::Internal, "not run");
    JobPlan plan;
    std::vector<std::vector<std::byte>> arrays;

    template <class T>
    T at(std::size_t array, std::uint64_t index) const {
        T value;
        std::memcpy(&value, arrays[array].data() + index * sizeof(T), sizeof value);
        return value;
    }
};

Job topk_job(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols, std::uint64_t k, bool largest,
             bool distinct) {
    TopkParams params;
    params.k = k;
    params.largest = largest;
    params.distinct = distinct;
    Job job;
    job.type = type;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = params;
    return job;
}

Outcome run_bytes(const Case& the_case, const std::byte* data, ThreadPool* pool, const StopToken& stop = {}) {
    Outcome outcome;
    Result<JobPlan> plan = plan_job(the_case.job);
    if (!plan) {
        outcome.report = plan.error();
        return outcome;
    }
    outcome.plan = *plan;
    std::vector<OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        outcome.arrays.emplace_back(array_bytes(spec), std::byte{0xab});
        outputs.push_back(OutputView{outcome.arrays.back().data()});
    }
    const InputView input{data, the_case.row_stride == 0 ? the_case.job.cols : the_case.row_stride};
    outcome.report = run_job(the_case.job, Span<const InputView>(&input, 1), outputs, pool, stop);
    return outcome;
}

// Lays the elements out with the stride and offset of the case; the gaps hold what would win if it were read.
template <class T>
Outcome run_elements(const Case& the_case, const std::vector<T>& elements, ThreadPool* pool) {
    const std::uint64_t stride = the_case.row_stride == 0 ? the_case.job.cols : the_case.row_stride;
    std::vector<std::byte> memory(the_case.offset + the_case.job.rows * stride * sizeof(T) + sizeof(T),
                                  std::byte{0x7f});
    for (std::uint64_t row = 0; row < the_case.job.rows; ++row)
        std::memcpy(memory.data() + the_case.offset + row * stride * sizeof(T),
                    elements.data() + row * the_case.job.cols, the_case.job.cols * sizeof(T));
    return run_bytes(the_case, memory.data() + the_case.offset, pool);
}

// Checks one row of an outcome against the reference order.
template <class T>
void expect_row(const Outcome& outcome, std::uint64_t row, const std::vector<T>& elements,
                const std::vector<std::int64_t>& order, std::uint64_t k, bool distinct) {
    const std::uint64_t filled = std::min<std::uint64_t>(k, order.size());
    for (std::uint64_t i = 0; i < k; ++i) {
        const std::int64_t index = i < filled ? order[i] : -1;
        T value{};
        if (i < filled) value = test::canonical(elements[static_cast<std::size_t>(index)]);
        const T got = outcome.at<T>(0, row * k + i);
        ASSERT_EQ(outcome.at<std::int64_t>(1, row * k + i), index) << "row " << row << " place " << i;
        ASSERT_EQ(std::memcmp(&got, &value, sizeof(T)), 0) << "row " << row << " place " << i << " index " << index;
    }
    if (distinct) {
        ASSERT_EQ(outcome.at<std::uint64_t>(2, row), filled) << "row " << row;
    }
}

ThreadPool& pool_of(unsigned threads) {
    static ThreadPool two(2);
    static ThreadPool seven(7);
    return threads == 2 ? two : seven;
}

template <class T>
class TopkTest : public ::testing::Test {};

struct Names {
    template <class T>
    static std::string GetName(int) {
        return std::string(element_word(ElementTypeOf<T>::value));
    }
};
using Types = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                               std::uint64_t, std::int64_t, Half, float, double>;
TYPED_TEST_SUITE(TopkTest, Types, Names);

// The reference is sorted once for all k.
template <class T>
void check_whole(Pattern pattern, std::size_t n, const std::vector<std::uint64_t>& ks, std::uint64_t seed) {
    const std::vector<T> elements = test::make_elements<T>(pattern, n, seed);
    for (const bool largest : {true, false})
        for (const bool distinct : {false, true}) {
            const std::vector<std::int64_t> order = test::order_of(elements, largest, distinct);
            for (const std::uint64_t k : ks) {
                if (k < 1 || k > n) continue;
                const Case the_case{topk_job(ElementTypeOf<T>::value, Axis::Whole, 1, n, k, largest, distinct)};
                SCOPED_TRACE("pattern " + std::to_string(static_cast<int>(pattern)) + " n " + std::to_string(n) +
                             " k " + std::to_string(k) + (largest ? " largest" : " smallest") +
                             (distinct ? " distinct" : "") + " seed " + std::to_string(seed));
                ThreadPool* pools[] = {nullptr, &pool_of(2), &pool_of(7)};
                Outcome first;
                for (ThreadPool* pool : pools) {
                    Outcome outcome = run_elements(the_case, elements, pool);
                    ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
                    if (pool == nullptr) {
                        expect_row(outcome, 0, elements, order, k, distinct);
                        if (::testing::Test::HasFatalFailure()) return;
                        const std::uint64_t filled = std::min<std::uint64_t>(k, order.size());
                        std::vector<std::uint64_t> columns = {filled, filled};
                        if (distinct) columns.push_back(1);
                        EXPECT_EQ(outcome.report->filled_columns, columns);
                        first = std::move(outcome);
                    } else {
                        ASSERT_EQ(outcome.arrays, first.arrays) << "differs with " << pool->threads() << " threads";
                    }
                }
            }
        }
}

TYPED_TEST(TopkTest, SmallSizesMatchAStableSort) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern)
        for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 1023u, 1024u, 1025u}) {
            check_whole<TypeParam>(static_cast<Pattern>(pattern), n, {1, 2, 10, 384, n / 2, n - 1, n}, 1000 + n);
            if (this->HasFatalFailure()) return;
        }
}

// Where sorting changes its ways within `direct`, and where other methods begin.
TYPED_TEST(TopkTest, MiddleSizesMatchAStableSort) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern)
        for (const std::size_t n : {5000u, 8192u, 8193u}) {
            check_whole<TypeParam>(static_cast<Pattern>(pattern), n, {15, 100, 600, 1300, n / 2}, 4000 + n);
            if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(TopkTest, LargeSizesMatchAStableSort) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern) {
        const std::size_t n = kLarge;
        check_whole<TypeParam>(static_cast<Pattern>(pattern), n, {1, 10, 384, n / 33, n / 2, n - 1, n}, 77);
        if (this->HasFatalFailure()) return;
    }
}

// Rows of several lengths with gaps and at odd addresses: each row by itself, and all as one sequence.
TYPED_TEST(TopkTest, RowsAndStrides) {
    using T = TypeParam;
    for (const std::uint64_t cols : {1u, 7u, 128u, 1500u, 9000u}) {
        const std::uint64_t rows = cols > 1000 ? 5 : 40;
        const std::vector<T> elements = test::make_elements<T>(Pattern::Specials, rows * cols, cols);
        for (const std::uint64_t stride : {cols, cols + 3})
            for (const std::size_t offset : {0u, 1u})
                for (const bool distinct : {false, true}) {
                    const std::uint64_t k = std::min<std::uint64_t>(cols, 5);
                    const Case by_rows{topk_job(ElementTypeOf<T>::value, Axis::Rows, rows, cols, k, true, distinct),
                                       stride, offset};
                    const Outcome outcome = run_elements(by_rows, elements, &pool_of(2));
                    ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
                    for (std::uint64_t row = 0; row < rows; ++row) {
                        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
                        const std::vector<T> one(begin, begin + static_cast<std::ptrdiff_t>(cols));
                        expect_row(outcome, row, one, test::order_of(one, true, distinct), k, distinct);
                        if (this->HasFatalFailure()) return;
                    }
                    const Case whole{topk_job(ElementTypeOf<T>::value, Axis::Whole, rows, cols, k, false, distinct),
                                     stride, offset};
                    expect_row(run_elements(whole, elements, &pool_of(7)), 0, elements,
                               test::order_of(elements, false, distinct), k, distinct);
                    if (this->HasFatalFailure()) return;
                }
    }
}

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
          data(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
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
        const std::vector<std::int64_t> want = distinct ? std::vector<std::int64_t>{index(n - 1), 5, 0, -1}
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
    check_beyond_32_bits<std::uint8_t>();   // 64-bit entries: ranks of 8 bits leave 48 for the index
    check_beyond_32_bits<std::uint32_t>();  // 128-bit entries
#endif
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
                const Outcome outcome =
                    run_bytes(the_case, reinterpret_cast<const std::byte*>(elements.data()), &pool_of(2), stop);
                ASSERT_FALSE(outcome.report.ok());
                EXPECT_EQ(outcome.report.error().status, Status::Cancelled);
            }
    const StopToken late(nullptr, StopToken::Clock::now() - std::chrono::seconds(1));
    const Case the_case{topk_job(ElementType::I32, Axis::Whole, 1, n, n / 2, true, false)};
    const Outcome outcome = run_bytes(the_case, reinterpret_cast<const std::byte*>(elements.data()), nullptr, late);
    ASSERT_FALSE(outcome.report.ok());
    EXPECT_EQ(outcome.report.error().status, Status::DeadlineExceeded);
}

// Another process may write into the input while the job reads it. Indices stay in range; what they name is undefined.
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
                const Case the_case{topk_job(ElementType::U32, Axis::Whole, 1, n, k, round % 2 == 0, distinct)};
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
