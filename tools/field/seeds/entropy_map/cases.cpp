// SPDX-License-Identifier: Apache-2.0
// S4 on the CPU: the author's versions over threads, and tegu's own kernel.
#include "tools/field/seeds/entropy_map/cases.h"

#include <cmath>

#include "base/random.h"
#include "tools/field/seeds/entropy_map/entropy_cpu.h"
#include "tools/field/seeds/kernels/textures.h"
#include "tools/field/seeds/seeds.h"

namespace tegu::field {
namespace {

using seeds::CpuWindowVersion;

constexpr std::uint64_t kSides[] = {2560, 400, 10240};

struct VersionInfo {
    CpuWindowVersion version;
    const char *word, *title;
};
constexpr VersionInfo kVersions[] = {
#define TEGU_X(Name, word, title) {CpuWindowVersion::Name, word, title},
    TEGU_CPU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};

std::vector<FieldJob> describe_entropy_map(const PartContext& context) {
    std::vector<FieldJob> jobs;
    for (const std::uint64_t side : kSides) {
        FieldJob job = image_job(ElementType::F32, side, 5, 16, side == 2560 ? 0 : side == 400 ? 1 : 2);
        EntropyMapParams& params = std::get<EntropyMapParams>(job.job.params);
        params.base = LogBase::E;
        params.has_range = true;
        params.hi = 1;
        jobs.push_back(std::move(job));
    }
    return seed_jobs(context, std::move(jobs));
}

struct CpuMap {
    std::vector<float> x;  // dense
    std::vector<float> map;
};

Result<void> make_dense(const WindowValues& values, CpuMap& to) {
    return within_memory([&] {
        to.x.clear();
        for (std::uint64_t row = 0; row < values.side(); ++row) {
            const float* const from = values.x().data() + row * values.row_stride();
            to.x.insert(to.x.end(), from, from + values.side());
        }
        to.map.resize(values.pixels());
    });
}

Case version_on_cpu(PartContext& context, const FieldJob& job, const std::shared_ptr<WindowValues>& values,
                    const VersionInfo& info, unsigned threads, const std::string& detail) {
    Case one = seed_case(job, detail, std::string(info.word) + " " + info.title);
    add_axis(one, "threads", threads);
    add_axis(one, "data", "resident");
    one.bytes = 8 * values->pixels();
    one.series = detail;
    const auto map = std::make_shared<CpuMap>();
    one.prepare = [values, map](Case&) {
        Result<void> done = values->make();
        return done ? make_dense(*values, *map) : done;
    };
    one.run = [&context, values, map, version = info.version, threads](std::size_t) -> Result<void> {
        context.pool.limit(threads);
        Result<void> done = within_memory([&] {
            window_entropy_on_cpu(version, map->x.data(), values->side(), values->side(), map->map.data(),
                                  context.pool);
        });
        context.pool.limit(context.threads);
        return done;
    };
    one.check = [values, map, run = one.run, name = one.name]() -> Result<void> {
        Result<void> done = run(0);
        if (done && !values->is_map(map->map)) return wrong_result(name);
        return done;
    };
    return one;
}

void add_versions(PartContext& context, CaseList& cases, const FieldJob& job,
                  const std::shared_ptr<WindowValues>& values) {
    for (const VersionInfo& info : kVersions)
        cases.add(version_on_cpu(context, job, values, info, context.threads,
                                 std::string(info.word) + " on all threads"));
    if (job.priority != 0) return;
    for (unsigned threads = 1; threads < context.threads; threads *= 2)
        for (const VersionInfo& info : kVersions) {
            Case one = version_on_cpu(context, job, values, info, threads,
                                      std::string(info.word) + " on threads=" + std::to_string(threads));
            one.priority = 2;
            cases.add(std::move(one));
        }
}

// Adds the case of a small image, which v14 computes in another way.
void add_small_image(PartContext& context, CaseList& cases, const FieldJob& job,
                     const std::shared_ptr<WindowValues>& values) {
    if (values->pixels() >= kPixelsForGpu) return;
    Case one = version_on_cpu(context, job, values,
                              {CpuWindowVersion::Mixed, "v14", "several GPUs, or the CPU for a small image"},
                              context.threads, "v14");
    one.note = "fewer than " + std::to_string(kPixelsForGpu) + " pixels: v12 on the CPU";
    cases.add(std::move(one));
}

}  // namespace

WindowValues::WindowValues(PartContext& context, std::uint32_t side)
    : context_(context), side_(side), row_stride_(seeds::texture_row_stride(side)) {}

Result<void> WindowValues::make() {
    if (!expected_.empty()) return {};
    return within_memory([&] {
        std::vector<float> dense(pixels());
        LinearRandom random(4);
        for (float& pixel : dense) pixel = static_cast<float>(random() >> 60);
        x_.assign(row_stride_ * side_, 0);
        for (std::uint64_t row = 0; row < side_; ++row)
            std::copy_n(dense.data() + row * side_, side_, x_.data() + row * row_stride_);
        std::vector<float> map(pixels());
        window_entropy_on_cpu(CpuWindowVersion::Table, dense.data(), side_, side_, map.data(), context_.pool);
        expected_ = std::move(map);
    });
}

bool WindowValues::is_map(const std::vector<float>& found) const {
    if (found.size() != expected_.size()) return false;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!(std::fabs(static_cast<double>(found[i]) - static_cast<double>(expected_[i])) <= kWindowError))
            return false;
    return true;
}

void add_s4_cases(PartContext& context, CaseList& cases) {
    const std::size_t first = cases.cases().size();
    for (const FieldJob& job : describe_entropy_map(context)) {
        const auto values = std::make_shared<WindowValues>(context, static_cast<std::uint32_t>(job.job.cols));
        const std::uint64_t bytes = values->host_bytes() + 4 * values->pixels();
        if (bytes > context.memory_bytes) {
            cases.skip(job.name, "seed", memory_reason(bytes));
            continue;
        }
        add_versions(context, cases, job, values);
        add_small_image(context, cases, job, values);
        add_own_cases(context, cases, job, true);
        if (has_seed_gpu(context)) add_s4_gpu_cases(context, cases, job, values);
    }
    if (!has_seed_gpu(context)) skip_gpu(context, cases);
    keep_wanted(context, cases, first);
}

}  // namespace tegu::field
