// SPDX-License-Identifier: Apache-2.0
// Jobs of every operation behind the border of a module give the bits and the errors of the CPU. The modules
// are shared objects: one with the guarded device, one with the CUDA kernels as fibers on the host.
#include <atomic>
#include <chrono>

#include "tests/kernels/cuda/varied_job.h"
#include "tests/kernels/digests/inputs.h"
#include "tests/kernels/module/loaded_module.h"

namespace tegu::module::test {
namespace {

using testing_support::Content;

constexpr ElementType kTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

std::vector<std::vector<std::byte>> inputs_of(const Job& job, Content content) {
    std::vector<std::vector<std::byte>> inputs;
    const int count = info_of(operation_of(job)).inputs;
    for (int i = 0; i < count; ++i)
        inputs.push_back(testing_support::make_digest_input(job.type, content, {job.rows, job.cols, 0, 0},
                                                            static_cast<std::uint64_t>(i) + job.cols));
    return inputs;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    const auto* const begin = reinterpret_cast<const std::byte*>(values.data());
    return std::vector<std::byte>(begin, begin + values.size() * sizeof(T));
}

class ModuleJobs : public testing::TestWithParam<std::string> {
  protected:
    LoadedModule module_{GetParam()};
};

TEST_P(ModuleJobs, OfEveryOperationGiveTheBitsOfTheCpu) {
    const std::vector<cuda::Context> policies = tegu::test::contexts_with_policies(cuda::Context());
    std::uint64_t variant = 0, jobs = 0;
    for (const OperationInfo& operation : operation_infos())
        for (const ElementType type : kTypes)
            for (const std::uint64_t n : {1, 33, 700}) {
                const Job job = tegu::test::varied_job(operation.operation, type, n, ++variant);
                if (!kernels::plan_job(job)) continue;
                const auto inputs = inputs_of(job, static_cast<Content>(variant % 4));
                cuda::JobPolicies given;
                given.whole = &policies[variant % policies.size()].policies;
                for (std::size_t i = 0; i < cuda::kMaxPolicyParts; ++i)
                    given.parts[i] = &policies[(variant + i) % policies.size()].policies;
                ++jobs;
                EXPECT_TRUE(
                    same(run_on_cpu(job, inputs), module_.run(job, inputs, kernels::StopToken(), given)))
                    << operation.stem << ", " << element_word(type) << ", " << job.rows << " x " << job.cols
                    << ", variant " << variant;
            }
    EXPECT_GT(jobs, 200u);
}

TEST_P(ModuleJobs, InPlaceGiveTheBitsOfTheCpu) {
    for (const JobParams& params : {JobParams(AddParams()), JobParams(RowscaleParams{true})}) {
        Job job;
        job.rows = 7;
        job.cols = 40;
        job.params = params;
        job.axis = operation_of(job) == Operation::Rowscale ? Axis::Rows : Axis::Whole;
        ASSERT_TRUE(kernels::plan_job(job).value().in_place);
        const auto inputs = inputs_of(job, Content::Plain);
        const JobArrays in_place = module_.run(job, inputs, kernels::StopToken(), cuda::JobPolicies(), true);
        EXPECT_TRUE(same(run_on_cpu(job, inputs), in_place));
    }
}

TEST_P(ModuleJobs, NameTheFieldAndTheRowOfAnError) {
    Job job;
    job.type = ElementType::U64;
    job.axis = Axis::Rows;
    job.rows = 4;
    job.cols = 3;
    job.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    std::vector<std::uint64_t> values(12, 1);
    values[6] = values[7] = ~std::uint64_t{0};
    const JobArrays failed = module_.run(job, {bytes_of(values)});
    ASSERT_FALSE(failed.report.ok());
    EXPECT_EQ(2u, failed.report.error().row);
    EXPECT_EQ(Status::Overflow, failed.report.error().status);
    EXPECT_FALSE(failed.report.error().field.empty());
    EXPECT_TRUE(same(run_on_cpu(job, {bytes_of(values)}), failed));
    FusedParams fused;
    fused.parts = {TopkParams{1, true, false}, ReduceParams{statistic_bit(Statistic::Sum), false, 0}};
    job.params = fused;
    EXPECT_TRUE(same(run_on_cpu(job, {bytes_of(values)}), module_.run(job, {bytes_of(values)})));
}

// Polls of the module reach the token of the caller: what it counts, its heartbeat, and its answers.
struct Counter {
    int polls = 0, stops_after = 0, answer = 0;
};
std::int32_t count(void* of) {
    auto& counter = *static_cast<Counter*>(of);
    return ++counter.polls > counter.stops_after ? counter.answer : 0;
}

TEST_P(ModuleJobs, StopWhenTheTokenSaysSo) {
    Job job;
    job.cols = 5000;
    job.params = ReduceParams{kAllStatistics, false, 0};
    const auto inputs = inputs_of(job, Content::Plain);
    Counter never;
    EXPECT_TRUE(module_.run(job, inputs, kernels::StopToken(count, &never)).report.ok());
    EXPECT_GT(never.polls, 1);
    for (const auto& [answer, status] :
         {std::pair(1, Status::Cancelled), std::pair(2, Status::DeadlineExceeded)}) {
        Counter counter;
        counter.stops_after = never.polls - 1;  // its last poll is within the module
        counter.answer = answer;
        const JobArrays stopped = module_.run(job, inputs, kernels::StopToken(count, &counter));
        ASSERT_FALSE(stopped.report.ok());
        EXPECT_EQ(status, stopped.report.error().status) << stopped.report.error().message;
    }
}

TEST_P(ModuleJobs, BeatTheHeartOfTheCaller) {
    Job job;
    job.cols = 100;
    job.params = ReduceParams{kAllStatistics, false, 0};
    Heartbeat heartbeat;
    std::atomic<bool> cancelled{false};
    const kernels::StopToken stop(&cancelled, kernels::StopToken::Clock::time_point::max(), &heartbeat);
    EXPECT_TRUE(module_.run(job, inputs_of(job, Content::Plain), stop).report.ok());
    EXPECT_TRUE(heartbeat.take());
}

INSTANTIATE_TEST_SUITE_P(Every, ModuleJobs, testing::Values(TEGU_TEST_MODULE_NAMES),
                         [](const auto& name) { return name.param; });

// The guarded device reports what it was given.
TEST(GuardModule, GetsThePoliciesAndReportsThem) {
    LoadedModule module("guard");
    Job job;
    job.cols = 100;
    job.params = AddParams();
    cuda::Policies policies;
    policies.add.threads_per_block = 96;
    cuda::JobPolicies given;
    given.whole = &policies;
    const JobArrays done = module.run(job, inputs_of(job, Content::Plain), kernels::StopToken(), given);
    ASSERT_TRUE(done.report.ok());
    EXPECT_EQ(0u, done.report->policy.text().find("guard cpu ")) << done.report->policy.text();
    EXPECT_NE(std::string::npos, done.report->policy.text().find(" given threads_per_block=96 memory="))
        << done.report->policy.text();
    EXPECT_EQ("guard", done.report->policy.find("device"));
}

TEST(GuardModule, ListsItsKernels) {
    LoadedModule module("guard");
    const auto kernels = module.gpu().kernels();
    ASSERT_TRUE(kernels.ok());
    ASSERT_EQ(200u, kernels->size());
    EXPECT_EQ("made_up<199>", kernels->back().name);
    EXPECT_EQ(1024u, kernels->back().max_threads);
}

TEST(GuardModule, KeepsTheErrorsOfMemoryApart) {
    LoadedModule module("guard");
    const Result<std::size_t> free = module.gpu().free_bytes();
    ASSERT_TRUE(free.ok());
    const Result<void*> refused = module.gpu().allocate_managed(*free + 4096);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(Status::OutOfMemory, refused.error().status);
    const Result<void*> memory = module.gpu().allocate_managed(4096);
    ASSERT_TRUE(memory.ok());
    std::memset(*memory, 1, 4096);
    module.gpu().free_managed(*memory);
}

}  // namespace
}  // namespace tegu::module::test
