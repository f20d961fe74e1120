// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cuda/compare_backends.h"

#include <algorithm>
#include <memory>

#include "kernels/operation_cuda.h"

namespace tegu::test {
namespace {

// The bytes of a result, array after array; of each row the filled columns alone.
struct Outcome {
    Result<kernels::RunReport> report;
    std::vector<std::vector<std::byte>> arrays;
};

std::vector<std::byte> filled_part(const ArraySpec& spec, const std::byte* data, std::uint64_t filled) {
    if (filled == spec.cols) return std::vector<std::byte>(data, data + array_bytes(spec));
    std::vector<std::byte> part;
    const std::size_t bytes = element_bytes(spec.type);
    for (std::uint64_t row = 0; row < spec.rows; ++row) {
        const std::byte* begin = data + row * spec.cols * bytes;
        part.insert(part.end(), begin, begin + filled * bytes);
    }
    return part;
}

Outcome run_on_cpu(const Job& job, const kernels::JobPlan& plan, const std::vector<TestInput>& inputs) {
    std::vector<kernels::InputView> views;
    for (const TestInput& input : inputs)
        views.push_back({input.bytes.data() + input.offset, input.row_stride});
    std::vector<std::vector<std::uint64_t>> memory;  // aligned for every type
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan.outputs) {
        memory.emplace_back(array_bytes(spec) / 8 + 1);
        outputs.push_back({reinterpret_cast<std::byte*>(memory.back().data())});
    }
    Outcome outcome{kernels::run_job(job, views, outputs, nullptr, kernels::StopToken()), {}};
    if (outcome.report)
        for (std::size_t i = 0; i < outputs.size(); ++i)
            outcome.arrays.push_back(
                filled_part(plan.outputs[i], outputs[i].data, outcome.report->filled_columns[i]));
    return outcome;
}

// The inputs on the device. A job's outputs are fresh memory each time.
class DeviceInputs {
  public:
    explicit DeviceInputs(const std::vector<TestInput>& inputs) : inputs_(inputs) {
        for (const TestInput& input : inputs) {
            memory_.push_back(std::make_unique<DeviceBytes>(input.bytes));
            views_.push_back({memory_.back()->data() + input.offset, input.row_stride});
        }
    }
    testing::AssertionResult run(const cuda::Context& context, const Job& job, const kernels::JobPlan& plan,
                                 Outcome* outcome) const {
        std::vector<std::unique_ptr<DeviceBytes>> memory;
        std::vector<kernels::OutputView> outputs;
        for (const ArraySpec& spec : plan.outputs) {
            memory.push_back(std::make_unique<DeviceBytes>(array_bytes(spec)));
            outputs.push_back({memory.back()->data()});
        }
        outcome->report = run_on_device(job, views_, outputs, context, kernels::StopToken());
        if (!outcome->report) return testing::AssertionSuccess();
        if (outcome->report->filled_columns.size() != outputs.size())
            return testing::AssertionFailure()
                   << outcome->report->filled_columns.size() << " filled columns reported for "
                   << outputs.size() << " arrays";
        for (std::size_t i = 0; i < outputs.size(); ++i)
            outcome->arrays.push_back(filled_part(plan.outputs[i], memory[i]->download().data(),
                                                  outcome->report->filled_columns[i]));
        return testing::AssertionSuccess();
    }
    testing::AssertionResult unchanged() const {
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (memory_[i]->download() != inputs_[i].bytes)
                return testing::AssertionFailure() << "input " << i << " was changed";
        return testing::AssertionSuccess();
    }

  private:
    const std::vector<TestInput>& inputs_;
    std::vector<std::unique_ptr<DeviceBytes>> memory_;
    std::vector<kernels::InputView> views_;
};

testing::AssertionResult same_errors(const Error& cpu, const Error& gpu) {
    if (cpu.status == gpu.status && cpu.field == gpu.field && cpu.allowed == gpu.allowed &&
        cpu.message == gpu.message)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "CPU error: " << cpu.message << " (field " << cpu.field
                                       << ", allowed " << cpu.allowed << "), GPU error: " << gpu.message
                                       << " (field " << gpu.field << ", allowed " << gpu.allowed << ")";
}

std::string hex(const std::byte* bytes, std::size_t count) {
    const char* const digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = count; i-- > 0;) {
        text += digits[std::to_integer<unsigned>(bytes[i]) >> 4];
        text += digits[std::to_integer<unsigned>(bytes[i]) & 15];
    }
    return text;
}

testing::AssertionResult same_outcomes(const kernels::JobPlan& plan, const Outcome& cpu, const Outcome& gpu) {
    if (!cpu.report || !gpu.report) {
        if (!cpu.report && !gpu.report) return same_errors(cpu.report.error(), gpu.report.error());
        return testing::AssertionFailure()
               << (cpu.report ? "only the GPU fails: " + gpu.report.error().message
                              : "only the CPU fails: " + cpu.report.error().message);
    }
    for (std::size_t i = 0; i < cpu.arrays.size(); ++i) {
        const ArraySpec& spec = plan.outputs[i];
        const std::string role(array_role_word(spec.role));
        if (cpu.report->filled_columns[i] != gpu.report->filled_columns[i])
            return testing::AssertionFailure()
                   << role << ": " << cpu.report->filled_columns[i] << " columns on the CPU, "
                   << gpu.report->filled_columns[i] << " on the GPU";
        const auto differ = std::mismatch(cpu.arrays[i].begin(), cpu.arrays[i].end(), gpu.arrays[i].begin());
        if (differ.first == cpu.arrays[i].end()) continue;
        const std::size_t bytes = element_bytes(spec.type);
        const auto at = static_cast<std::size_t>(differ.first - cpu.arrays[i].begin()) / bytes;
        return testing::AssertionFailure()
               << role << " differs at entry " << at << ": CPU 0x"
               << hex(cpu.arrays[i].data() + at * bytes, bytes) << ", GPU 0x"
               << hex(gpu.arrays[i].data() + at * bytes, bytes) << " (" << gpu.report->policy.text() << ")";
    }
    return testing::AssertionSuccess();
}

// Of a test's jobs one in $TEGU_TEST_ONE_IN is to be run; all of one that looks at a workspace of its own.
bool is_left_out(const cuda::Context& context) {
    const char* why_not = "";
    if (context.workspace != test_context(&why_not)->workspace) return false;
    static const std::uint64_t one_in = number_in_environment("TEGU_TEST_ONE_IN");
    static const testing::TestInfo* test = nullptr;
    static std::uint64_t jobs = 0;
    const testing::TestInfo* now = testing::UnitTest::GetInstance()->current_test_info();
    if (now != test) jobs = 0;
    test = now;
    return one_in > 1 && jobs++ % one_in != 0;
}

}  // namespace

testing::AssertionResult same_on_both(const std::vector<cuda::Context>& contexts, const Job& job,
                                      const std::vector<TestInput>& inputs) {
    if (is_left_out(contexts[0])) return testing::AssertionSuccess();
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) return testing::AssertionFailure() << "no plan: " << plan.error().message;
    const Outcome cpu = run_on_cpu(job, *plan, inputs);
    const DeviceInputs device(inputs);
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        Outcome gpu{kernels::RunReport{}, {}};
        testing::AssertionResult same = device.run(contexts[i], job, *plan, &gpu);
        if (same) same = same_outcomes(*plan, cpu, gpu);
        if (!same) return same << (contexts.size() > 1 ? ", policies " + std::to_string(i) : "");
    }
    return device.unchanged();
}

testing::AssertionResult same_on_both(const cuda::Context& context, const Job& job,
                                      const std::vector<TestInput>& inputs) {
    return same_on_both(std::vector<cuda::Context>{context}, job, inputs);
}

}  // namespace tegu::test
