// SPDX-License-Identifier: Apache-2.0
// No policy of the CPU changes a bit, and none takes more working memory than the plan says. Every job of
// tests/kernels/digests/cases.h runs with random policies of its operation, on one thread and on a pool,
// against the default on one thread.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"
#include "tests/kernels/digests/cases.h"
#include "tests/kernels/tuning/random_policies.h"

namespace {

// What operator new has given away while it counts.
std::atomic<bool> counts{false};
std::atomic<std::int64_t> used{0}, max_used{0};

void* counted(void* memory) {
    if (memory == nullptr || !counts.load(std::memory_order_relaxed)) return memory;
    const auto bytes = static_cast<std::int64_t>(::malloc_usable_size(memory));
    const std::int64_t now = used.fetch_add(bytes) + bytes;
    std::int64_t seen = max_used.load();
    while (seen < now && !max_used.compare_exchange_weak(seen, now)) {
    }
    return memory;
}
void give_back(void* memory) {
    if (memory != nullptr && counts.load(std::memory_order_relaxed))
        used.fetch_sub(static_cast<std::int64_t>(::malloc_usable_size(memory)));
    std::free(memory);
}
void* taken(std::size_t bytes, std::size_t alignment) {
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    return counted(std::aligned_alloc(alignment, whole == 0 ? alignment : whole));
}
void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// Arrays end in these, too.
void* operator new(std::size_t bytes) {
    return or_throw(taken(bytes, 16));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return taken(bytes, 16);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return or_throw(taken(bytes, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return taken(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    give_back(memory);
}

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestCase;
using testing_support::DigestShape;

struct Outcome {
    Result<kernels::RunReport> report;
    std::vector<std::vector<std::uint64_t>> arrays;
    std::uint64_t memory = 0;  // at most
};

Outcome run(const Job& job, const kernels::JobPlan& plan, Span<const kernels::InputView> inputs,
            const kernels::CpuContext& context) {
    std::vector<std::vector<std::uint64_t>> arrays;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan.outputs) {
        arrays.emplace_back(array_bytes(spec) / 8 + 1, 0xcdcdcdcdcdcdcdcdu);
        outputs.push_back({reinterpret_cast<std::byte*>(arrays.back().data())});
    }
    used = max_used = 0;
    counts = true;
    Result<kernels::RunReport> report =
        kernels::run_job(job, plan, inputs, outputs, context, kernels::StopToken());
    counts = false;
    return {std::move(report), std::move(arrays), static_cast<std::uint64_t>(max_used.load())};
}

testing::AssertionResult same(const kernels::JobPlan& plan, const Outcome& usual, const Outcome& other) {
    if (usual.report.ok() != other.report.ok()) return testing::AssertionFailure() << "one of them fails";
    if (!usual.report.ok()) {
        if (usual.report.error().message == other.report.error().message) return testing::AssertionSuccess();
        return testing::AssertionFailure()
               << usual.report.error().message << ", or " << other.report.error().message;
    }
    if (usual.report->filled_columns != other.report->filled_columns)
        return testing::AssertionFailure() << "other columns are filled";
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const std::size_t bytes = element_bytes(plan.outputs[i].type) * plan.outputs[i].cols;
        const std::size_t filled = element_bytes(plan.outputs[i].type) * usual.report->filled_columns[i];
        for (std::uint64_t row = 0; row < plan.outputs[i].rows; ++row) {
            const auto* const a = reinterpret_cast<const std::byte*>(usual.arrays[i].data()) + row * bytes;
            const auto* const b = reinterpret_cast<const std::byte*>(other.arrays[i].data()) + row * bytes;
            if (std::memcmp(a, b, filled) != 0)
                return testing::AssertionFailure()
                       << array_role_word(plan.outputs[i].role) << " differs in row " << row;
        }
    }
    return testing::AssertionSuccess();
}

class CpuPolicies : public testing::TestWithParam<Operation> {
  protected:
    void expect_same(const DigestCase& test, const DigestShape& shape, Content content) {
        Job job{test.type, test.axis, shape.rows, shape.cols, {}};
        job.params = test.params(test.axis == Axis::Whole ? shape.rows * shape.cols : shape.cols);
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) return;
        const OperationInfo& info = info_of(GetParam());
        std::vector<std::vector<std::byte>> bytes;
        std::vector<kernels::InputView> inputs;
        for (int i = 0; i < info.inputs; ++i) {
            bytes.push_back(make_digest_input(test.type, content, shape,
                                              1000 * static_cast<std::uint64_t>(i) + shape.cols));
            inputs.push_back({bytes.back().data() + shape.offset, shape.cols + shape.extra});
        }
        const Outcome usual = run(job, *plan, inputs, kernels::CpuContext());
        for (kernels::ThreadPool* pool : {static_cast<kernels::ThreadPool*>(nullptr), &pool_}) {
            const tuning::PolicySet policies = random_policies(TuningBackend::Cpu, info.stem, {}, &random_);
            const std::string text = tuning::policy_text(TuningBackend::Cpu, info.stem, policies);
            const Result<kernels::JobPlan> own = kernels::plan_job(job, policies.cpu);
            ASSERT_TRUE(own.ok()) << test.name << ", " << text;
            const Outcome other = run(job, *own, inputs, kernels::CpuContext{pool, policies.cpu});
            ASSERT_TRUE(same(*plan, usual, other))
                << test.name << ", " << shape.rows << " x " << shape.cols << ", " << text;
            // Texts, and lists of a few words, are no working memory.
            EXPECT_LE(other.memory, own->scratch_bytes + kLittle) << test.name << ", " << text;
            EXPECT_EQ(pool_.threads(), 3u) << "a policy's threads are for its job alone";
            ++compared_;
        }
    }

    static constexpr std::uint64_t kLittle = 24 << 10;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr std::uint64_t kOneLargeIn = 16;  // the release build has the other ones
#else
    static constexpr std::uint64_t kOneLargeIn = 3;
#endif
    kernels::ThreadPool pool_{3};
    testing_support::SplitMix random_{7};
    std::uint64_t compared_ = 0;
};

TEST_P(CpuPolicies, ChangeNoBitAndStayWithinThePlan) {
    std::uint64_t number = 0;
    for (const DigestCase& test : testing_support::digest_cases()) {
        if (static_cast<Operation>(test.params(1).index() + 1) != GetParam()) continue;
        for (const DigestShape& shape : testing_support::digest_shapes(GetParam()))
            for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties}) {
                if (!testing_support::uses_content(shape, content)) continue;
                if (shape.rows * shape.cols > 10000 && ++number % kOneLargeIn != 0) continue;
                ASSERT_NO_FATAL_FAILURE(expect_same(test, shape, content));
            }
    }
    EXPECT_GT(compared_, 10u);
}

std::vector<Operation> operations() {
    std::vector<Operation> all;
    for (const OperationInfo& info : operation_infos()) all.push_back(info.operation);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, CpuPolicies, testing::ValuesIn(operations()),
                         [](const auto& each) { return std::string(info_of(each.param).stem); });

// Every method of topk and quantile, where it can answer: the sizes above are those of few.
TEST(CpuMethods, AreTakenWhereTheyCanAnswer) {
    Job job;
    job.cols = 100000;
    const auto method_of = [&](const kernels::CpuPolicies& policies) {
        const Result<kernels::JobPlan> plan = kernels::plan_job(job, policies);
        std::vector<float> values(job.cols);
        testing_support::SplitMix random(3);
        for (float& value : values) value = static_cast<float>(random.next() % 10000000);
        const kernels::InputView input{reinterpret_cast<const std::byte*>(values.data()), job.cols};
        const Outcome ran = run(job, plan.value(), {&input, 1}, kernels::CpuContext{nullptr, policies});
        return std::string(ran.report->policy.find("method"));
    };
    const auto topk = [&](kernels::CpuTopkMethod method, std::uint64_t k) {
        job.params = TopkParams{k, true, false};
        kernels::CpuPolicies policies;
        policies.topk.method = method;
        return method_of(policies);
    };
    EXPECT_EQ(topk(kernels::CpuTopkMethod::Chosen, 10), "blocks");
    EXPECT_EQ(topk(kernels::CpuTopkMethod::Threshold, 10), "threshold");
    EXPECT_EQ(topk(kernels::CpuTopkMethod::Blocks, 190), "blocks");
    EXPECT_EQ(topk(kernels::CpuTopkMethod::Buckets, 600), "buckets");
    EXPECT_EQ(topk(kernels::CpuTopkMethod::Buckets, 10), "blocks") << "it cannot";
    const auto quantile = [&](kernels::CpuQuantileMethod method, std::size_t count) {
        QuantileParams params;
        for (std::size_t i = 0; i < count; ++i)
            params.q.push_back(static_cast<double>(i) / static_cast<double>(count));
        job.params = params;
        kernels::CpuPolicies policies;
        policies.quantile.method = method;
        return method_of(policies);
    };
    EXPECT_EQ(quantile(kernels::CpuQuantileMethod::Chosen, 1), "brackets");
    EXPECT_EQ(quantile(kernels::CpuQuantileMethod::Sort, 1), "sort");
    EXPECT_EQ(quantile(kernels::CpuQuantileMethod::Direct, 1), "direct");
    EXPECT_EQ(quantile(kernels::CpuQuantileMethod::Brackets, 50), "sort") << "it cannot";
}

TEST(CpuMethods, ThreadsAndSharingAreThoseOfThePolicy) {
    kernels::ThreadPool pool(4);
    Job job;
    job.cols = 1 << 20;
    job.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    const std::vector<float> values(job.cols, 1.0f);
    const kernels::InputView input{reinterpret_cast<const std::byte*>(values.data()), job.cols};
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    const auto threads = [&](unsigned most, std::uint64_t share_ns) {
        kernels::CpuPolicies policies;
        policies.share = {most, share_ns};
        return run(job, plan.value(), {&input, 1}, kernels::CpuContext{&pool, policies}).report->threads;
    };
    EXPECT_EQ(threads(0, 0), 4u);
    EXPECT_EQ(threads(2, 0), 2u);
    EXPECT_EQ(threads(1, 0), 1u);
    EXPECT_EQ(threads(64, 0), 4u);
    EXPECT_EQ(threads(0, 1000000000), 1u);
    EXPECT_EQ(threads(0, 1), 4u);
}

}  // namespace
}  // namespace tegu::test
