// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs that somebody else rewrites while a job runs, as a client can at any time: the result
// may be anything, but nothing beyond the arrays is touched, the device is not lost, and the next job on
// quiet memory is right.
#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/patterns.h"
#include "tests/kernels/cuda/varied_job.h"

namespace tegu::test {
namespace {

constexpr std::size_t kGuard = 4096;
constexpr std::byte kGuardByte{0xc7};

std::size_t padded(std::size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

// [guard, array, guard]: the array is rewritten while a job runs.
class GuardedArray {
  public:
    GuardedArray(SharedKind kind, std::size_t bytes, std::size_t offset)
        : begin_(kGuard + offset), end_(begin_ + bytes), memory_(kind, padded(end_ + kGuard), kGuardByte) {}
    std::byte* data() const { return memory_.data() + begin_; }
    void start() { memory_.start(begin_, end_); }
    testing::AssertionResult stopped_intact() {
        memory_.stop();
        const std::vector<std::byte> now = memory_.download();
        for (std::size_t i = 0; i < now.size(); ++i)
            if ((i < begin_ || i >= end_) && now[i] != kGuardByte)
                return testing::AssertionFailure()
                       << "a byte was written " << (i < begin_ ? begin_ - i : i - end_)
                       << (i < begin_ ? " before" : " behind") << " the array";
        return testing::AssertionSuccess();
    }

  private:
    std::size_t begin_, end_;
    SharedBytes memory_;
};

struct ScribbleCase {
    Operation operation;
    SharedKind kind;
};

class Scribble : public testing::TestWithParam<ScribbleCase> {
  protected:
    void SetUp() override {
        const char* why_not = "";
        const cuda::Context* context = test_context(&why_not);
        if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
        if (!has_kind(GetParam().kind)) GTEST_SKIP() << "no such memory here";
        contexts_ = contexts_with_policies(*context);
    }
    // Input 0 is rewritten, or the outputs; on a host one array at a time.
    testing::AssertionResult survives(const cuda::Context& context, const Job& job, bool scribble_outputs) {
        const kernels::JobPlan plan = *kernels::plan_job(job);
        const std::size_t bytes = job.rows * job.cols * element_bytes(job.type);
        std::vector<std::unique_ptr<GuardedArray>> arrays;
        std::vector<kernels::InputView> inputs;
        std::vector<kernels::OutputView> outputs;
        for (int i = 0; i < info_of(GetParam().operation).inputs; ++i) {
            arrays.push_back(std::make_unique<GuardedArray>(GetParam().kind, bytes, element_bytes(job.type)));
            inputs.push_back({arrays.back()->data(), job.cols});
        }
        for (const ArraySpec& spec : plan.outputs) {
            arrays.push_back(std::make_unique<GuardedArray>(GetParam().kind, array_bytes(spec), 0));
            outputs.push_back({arrays.back()->data()});
        }
        GuardedArray& rewritten = *arrays[scribble_outputs ? inputs.size() : 0];
        rewritten.start();
        for (int i = 0; i < 3; ++i) {
            const Result<kernels::RunReport> report =
                run_on_device(job, inputs, outputs, context, kernels::StopToken());
            if (!report && report.error().status != Status::Overflow &&
                report.error().status != Status::BadRange)
                return testing::AssertionFailure() << report.error().message;
            for (std::size_t k = 0; report && k < outputs.size(); ++k)
                if (report->filled_columns[k] > plan.outputs[k].cols)
                    return testing::AssertionFailure() << report->filled_columns[k] << " columns filled";
        }
        for (const auto& array : arrays) {
            const testing::AssertionResult intact = array->stopped_intact();
            if (!intact) return intact;
        }
        return testing::AssertionSuccess();
    }
    std::vector<cuda::Context> contexts_;
};

TEST_P(Scribble, LeavesNoBoundsAndTheNextJobIsRight) {
    const Operation operation = GetParam().operation;
    const bool is_slow = largest_test_elements() < 100000;
    std::uint64_t variant = 0, jobs = 0;
    for (const std::uint64_t n :
         is_slow ? std::vector<std::uint64_t>{200, 700} : std::vector<std::uint64_t>{3000, 200000}) {
        for (const ElementType type : {ElementType::U8, ElementType::I16, ElementType::U64, ElementType::F16,
                                       ElementType::F32, ElementType::F64}) {
            for (unsigned turn = 0; turn < (is_slow ? 2u : 4u); ++turn) {
                const Job job = varied_job(operation, type, n, ++variant);
                if (!kernels::plan_job(job)) continue;
                ++jobs;
                set_thread_order(variant);
                const cuda::Context& context = contexts_[variant % contexts_.size()];
                ASSERT_TRUE(survives(context, job, variant % 5 == 4))
                    << element_word(type) << ", " << job.rows << " x " << job.cols << ", variant " << variant;
                std::vector<TestInput> quiet;
                for (int i = 0; i < info_of(operation).inputs; ++i)
                    quiet.push_back(
                        make_pattern(type, Pattern::Uniform, {job.rows, job.cols, 0, 0}, variant));
                ASSERT_TRUE(same_on_both(context, job, quiet))
                    << element_word(type) << ", quiet after variant " << variant;
            }
        }
    }
    EXPECT_GT(jobs, 0u);
}

std::vector<ScribbleCase> all_cases() {
    std::vector<ScribbleCase> all;
    for (const SharedKind kind : {SharedKind::Device, SharedKind::Managed, SharedKind::Registered}) {
#define TEGU_X(number, Name, stem, inputs, sentence) all.push_back({Operation::Name, kind});
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return all;
}

std::string name_of(const testing::TestParamInfo<ScribbleCase>& each) {
    const char* const kinds[] = {"device", "managed", "registered"};
    return std::string(info_of(each.param.operation).stem) + "_" + kinds[static_cast<int>(each.param.kind)];
}
INSTANTIATE_TEST_SUITE_P(Every, Scribble, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace tegu::test
