// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/reference.h"

#include <cstring>

namespace tegu::tune {
namespace {

std::uint64_t filled(const std::vector<std::uint64_t>& columns, std::size_t output, const ArraySpec& spec) {
    return output < columns.size() ? columns[output] : spec.cols;
}

// The index of the first different element in the first `cols` of each row; spec's size if all are equal.
std::uint64_t first_difference(const ArraySpec& spec, std::uint64_t cols, const std::byte* a,
                               const std::byte* b) {
    const std::uint64_t bytes = element_bytes(spec.type);
    if (cols == spec.cols && std::memcmp(a, b, array_bytes(spec)) == 0) return spec.rows * spec.cols;
    for (std::uint64_t row = 0; row < spec.rows; ++row)
        for (std::uint64_t col = 0; col < cols; ++col) {
            const std::uint64_t i = row * spec.cols + col;
            if (std::memcmp(a + i * bytes, b + i * bytes, bytes) != 0) return i;
        }
    return spec.rows * spec.cols;
}

Result<std::shared_ptr<Reference>> place_inputs(const SampleJob& sample, HostData& data) {
    auto made = std::make_shared<Reference>();
    made->job = sample.job;
    Result<kernels::JobPlan> plan = kernels::plan_job(sample.job);
    if (!plan) return std::move(plan).error();
    made->plan = std::move(*plan);
    const int inputs = info_of(operation_of(sample.job)).inputs;
    for (int i = 0; i < inputs; ++i)
        made->inputs.push_back(data.get(sample.job.type, sample.content, static_cast<unsigned>(i),
                                        sample.job.rows * sample.job.cols));
    return made;
}

}  // namespace

Result<std::shared_ptr<const Reference>> make_reference(const SampleJob& sample, HostData& data,
                                                        kernels::ThreadPool& pool,
                                                        const kernels::StopToken& stop) {
    Result<std::shared_ptr<Reference>> made = place_inputs(sample, data);
    if (!made) return std::move(made).error();
    Reference& reference = **made;
    std::vector<kernels::InputView> inputs;
    for (const HostArray& input : reference.inputs) inputs.push_back({input.get(), sample.job.cols});
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : reference.plan.outputs) {
        reference.outputs.emplace_back(array_bytes(spec));
        outputs.push_back({reference.outputs.back().data()});
    }
    Result<kernels::RunReport> report = kernels::run_job(sample.job, inputs, outputs, &pool, stop);
    if (!report) return std::move(report).error();
    reference.filled_columns = std::move(report->filled_columns);
    return std::shared_ptr<const Reference>(std::move(*made));
}

Result<std::shared_ptr<const Reference>> make_unknown_reference(const SampleJob& sample, HostData& data) {
    Result<std::shared_ptr<Reference>> made = place_inputs(sample, data);
    if (!made) return std::move(made).error();
    return std::shared_ptr<const Reference>(std::move(*made));
}

std::string difference(const Reference& reference, const std::vector<const std::byte*>& outputs,
                       const kernels::RunReport& report) {
    for (std::size_t o = 0; o < reference.plan.outputs.size(); ++o) {
        const ArraySpec& spec = reference.plan.outputs[o];
        const std::string name(array_role_word(spec.role));
        const std::uint64_t cols = filled(reference.filled_columns, o, spec);
        if (filled(report.filled_columns, o, spec) != cols) return name + ": another number of results";
        const std::uint64_t index = first_difference(spec, cols, reference.outputs[o].data(), outputs[o]);
        if (index != spec.rows * spec.cols) return name + ": element " + std::to_string(index) + " differs";
    }
    return "";
}

}  // namespace tegu::tune
