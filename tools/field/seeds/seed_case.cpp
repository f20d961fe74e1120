// SPDX-License-Identifier: Apache-2.0
#include "tools/field/seeds/seed_case.h"

#include <algorithm>
#include <new>

#include "base/random.h"

namespace tegu::field {

constexpr const char* kWarm = "the input stays in the CPU's cache as far as it fits";

Case seed_case(const FieldJob& job, const std::string& detail, std::string method) {
    Case one;
    one.name = job.name + ", " + detail;
    one.operation = std::string(job.operation());
    one.backend = "seed";
    one.method = std::move(method);
    one.axes = job.axes;
    one.flops = job.flops;
    one.priority = job.priority;
    one.work = static_cast<double>(job.elements());
    return one;
}

void add_axis(Case& one, const char* name, std::int64_t value) {
    one.axes.emplace_back(name, value);
}
void add_axis(Case& one, const char* name, std::string value) {
    one.axes.emplace_back(name, std::move(value));
}
void remove_axis(Case& one, const std::string& name) {
    const auto end = std::remove_if(one.axes.begin(), one.axes.end(),
                                    [&](const auto& axis) { return axis.first == name; });
    one.axes.erase(end, one.axes.end());
}

void add_own_cases(PartContext& context, CaseList& cases, const FieldJob& job, bool copied, Data data) {
    const auto setup = std::make_shared<JobSetup>(context, job);
    if (setup->host_bytes() > context.memory_bytes)
        return cases.skip(job.name, "cpu", memory_reason(setup->host_bytes()));
    std::vector<Case> own = {cpu_case(setup, context.threads)};
    own.back().note = kWarm;
    add_axis(own.back(), "data", "resident");
    if (context.gpu != nullptr) {
        own.push_back(gpu_case(setup));
        remove_axis(own.back(), "data");
        add_axis(own.back(), "data", "resident");
        if (copied) own.push_back(copied_case(setup));
    }
    for (Case& one : own) {
        remove_axis(one, "cache");
        if (data == Data::Anywhere) remove_axis(one, "data");
        cases.add(std::move(one));
    }
}

void keep_wanted(const PartContext& context, CaseList& cases, std::size_t first) {
    std::vector<Case>& all = cases.cases();
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    all.erase(std::remove_if(begin, all.end(),
                             [&](const Case& one) { return !context.options.wants(one.operation); }),
              all.end());
}

std::vector<FieldJob> seed_jobs(const PartContext& context, std::vector<FieldJob> jobs) {
    if (context.options.quick) make_quick(jobs);
    return jobs;
}

Case host_case(const FieldJob& job, const std::string& detail, std::string method,
               std::function<Result<void>()> prepare, std::function<void()> run,
               std::function<bool()> is_right) {
    Case one = seed_case(job, detail, std::move(method));
    add_axis(one, "threads", 1);
    add_axis(one, "data", "resident");
    one.note = kWarm;
    one.series = detail;
    one.prepare = [prepare = std::move(prepare)](Case&) { return prepare(); };
    one.check = [run, is_right = std::move(is_right), name = one.name]() -> Result<void> {
        run();
        if (!is_right()) return wrong_result(name);
        return {};
    };
    one.run = [run](std::size_t) -> Result<void> {
        run();
        return {};
    };
    return one;
}

std::vector<float> signs(std::uint64_t n, std::uint64_t seed) {
    std::vector<float> values(n);
    LinearRandom random(seed);
    for (float& value : values) value = static_cast<float>((random() >> 33) % 3) - 1.0f;
    return values;
}

Result<void> within_memory(const std::function<void()>& make) {
    try {
        make();
    } catch (const std::bad_alloc&) {
        return make_error(Status::OutOfMemory, "the host has not the memory for it");
    }
    return {};
}

std::string memory_reason(std::uint64_t bytes) {
    return "it would take " + std::to_string(bytes >> 20) + " MiB of the host's memory";
}

Error wrong_result(const std::string& where) {
    return make_error(Status::Internal, where + ": not the result of the reference");
}

bool has_seed_gpu(const PartContext& context) {
    return context.gpu != nullptr && context.gpu->has_kernels();
}

void skip_gpu(const PartContext& context, CaseList& cases) {
    const std::string& reason = context.devices.reason;
    cases.skip("kernels of the GPU", "seed", reason.empty() ? "there is no GPU that can be used" : reason);
}

}  // namespace tegu::field
