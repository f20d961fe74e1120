// SPDX-License-Identifier: Apache-2.0
// S4 on the GPU: the ten versions with and without transfers, several GPUs, and tegu's own kernels.
#include "tools/field/seeds/entropy_map/cases.h"
#include "tools/field/seeds/entropy_map/entropy.h"
#include "tools/field/seeds/entropy_map/many_gpus.h"
#include "tools/field/seeds/kernels/textures.h"
#include "tools/field/seeds/seed_gpu.h"

namespace tegu::field {
namespace {

using seeds::WindowVersion;

constexpr unsigned kThreads = 256;  // of a block, where the block size does not vary

struct VersionInfo {
    WindowVersion version;
    const char *word, *title;
};
constexpr VersionInfo kVersions[] = {
#define TEGU_X(Name, word, title) {WindowVersion::Name, word, title},
    TEGU_WINDOW_VERSIONS(TEGU_X)
#undef TEGU_X
};

class WindowRun {
  public:
    WindowRun(PartContext& context, std::shared_ptr<WindowValues> values, WindowVersion version,
              unsigned threads, bool copies)
        : context_(context),
          lab_(*context.gpu),
          values_(std::move(values)),
          version_(version),
          threads_(threads),
          copies_(copies) {}

    Result<void> prepare(Case& one) {
        Result<void> done = describe_kernel(lab_, seeds::window_entropy_kernel(version_, threads_), one);
        if (done) done = values_->make();
        if (!done) return done;
        DeviceArrays arrays(context_);
        out_ = arrays.make(4 * values_->pixels());
        logs_ = arrays.make(seeds::kWindowLogs * sizeof(double));
        x_ = copies_ ? arrays.copy(values_->x().data(), values_->x_bytes())
                     : arrays.copies(values_->x().data(), values_->x_bytes(), 1);
        done = arrays.result();
        if (done && copies_) done = within_memory([&] { found_.resize(values_->pixels()); });
        if (done) done = upload_logs();
        return done ? make_textures() : done;
    }
    Result<void> run(std::size_t turn) {
        if (!copies_) return launch(turn);
        device::Gpu& gpu = lab_.gpu();
        Result<void> done = gpu.copy(x_[0], values_->x().data(), values_->x_bytes(), lab_.stream());
        if (done) done = launch(0);
        if (done) done = gpu.copy(found_.data(), out_.data(), 4 * values_->pixels(), lab_.stream());
        return done ? lab_.synchronize() : done;
    }
    Result<void> check(const std::string& name) {
        Result<void> done = run(0);
        if (!done) return done;
        if (!copies_)
            return expect_values(lab_, out_, values_->expected().data(), values_->pixels(), kWindowError,
                                 name);
        if (!values_->is_map(found_)) return wrong_result(name);
        return {};
    }

  private:
    Result<void> upload_logs() {
        double logs[seeds::kWindowLogs];
        for (unsigned n = 0; n < seeds::kWindowLogs; ++n) logs[n] = seeds::window_log(n);
        return logs_.upload(logs, sizeof logs);
    }
    Result<void> make_textures() {
        if (version_ == WindowVersion::TextureTable)
            return keep(seeds::Texture::of_numbers(logs_.as<double>(), seeds::kWindowLogs));
        for (std::size_t i = 0; version_ == WindowVersion::TextureInput && i < x_.count(); ++i) {
            Result<void> done = keep(seeds::Texture::of_image(
                static_cast<const float*>(x_[i]), values_->side(), values_->side(), values_->row_stride()));
            if (!done) return done;
        }
        return {};
    }
    Result<void> keep(Result<seeds::Texture> texture) {
        if (!texture) return std::move(texture).error();
        textures_.push_back(std::move(*texture));
        return {};
    }
    Result<void> launch(std::size_t turn) {
        const seeds::TextureHandle texture =
            textures_.empty() ? 0 : textures_[turn % textures_.size()].handle();
        const seeds::WindowImage image{static_cast<const float*>(x_[turn]),
                                       values_->side(),
                                       values_->side(),
                                       values_->row_stride(),
                                       out_.as<float>(),
                                       logs_.as<double>(),
                                       texture,
                                       texture};
        return cuda::check_cuda(launch_window_entropy(version_, image, threads_, lab_.stream()), "entropy");
    }

    PartContext& context_;
    GpuLab& lab_;
    const std::shared_ptr<WindowValues> values_;
    const WindowVersion version_;
    const unsigned threads_;
    const bool copies_;
    DeviceInputs x_;
    DeviceArray out_, logs_;
    std::vector<seeds::Texture> textures_;  // of the table, or of each of x_
    std::vector<float> found_;
};

Case version_case(PartContext& context, const FieldJob& job, const std::shared_ptr<WindowValues>& values,
                  const VersionInfo& info, unsigned threads, bool copies) {
    const std::string data = copies ? "copied" : "resident";
    Case one = seed_case(job, std::string(info.word) + ", " + data + ", blocks of " + std::to_string(threads),
                         std::string(info.word) + " " + info.title);
    add_axis(one, "threads_per_block", threads);
    add_axis(one, "data", data);
    one.bytes = 8 * values->pixels();
    one.clock = copies ? Clock::Wall : Clock::Stream;
    one.series = std::string(info.word) + data;
    if (copies && one.priority == 0) one.priority = 1;
    const auto run = std::make_shared<WindowRun>(context, values, info.version, threads, copies);
    one.prepare = [run](Case& self) { return run->prepare(self); };
    one.check = [run, name = one.name] { return run->check(name); };
    one.run = [run](std::size_t turn) { return run->run(turn); };
    return one;
}

// --- several GPUs

struct ManyRun {
    std::unique_ptr<ManyGpus> gpus;
    std::vector<float> found;
};

std::vector<device::DeviceInfo> usable_devices(const PartContext& context) {
    std::vector<device::DeviceInfo> usable;
    for (const device::DeviceInfo& device : context.devices.devices)
        if (device.unusable.empty()) usable.push_back(device);
    return usable;
}

Result<void> open_all(const std::vector<device::DeviceInfo>& devices, std::uint32_t side, ManyRun& run) {
    std::vector<std::unique_ptr<GpuLab>> labs;
    for (const device::DeviceInfo& device : devices) {
        Result<std::unique_ptr<GpuLab>> lab = GpuLab::open(device);
        if (!lab) return std::move(lab).error();
        labs.push_back(std::move(*lab));
    }
    Result<std::unique_ptr<ManyGpus>> made = ManyGpus::create(std::move(labs), side, side, kThreads);
    if (!made) return std::move(made).error();
    run.gpus = std::move(*made);
    return within_memory([&] { run.found.resize(std::size_t{side} * side); });
}

void add_many_gpus(PartContext& context, CaseList& cases, const FieldJob& job,
                   const std::shared_ptr<WindowValues>& values) {
    if (values->pixels() < kPixelsForGpu) return;  // the CPU takes it: cases.cpp
    const std::vector<device::DeviceInfo> devices = usable_devices(context);
    if (devices.size() < 2) {
        cases.skip(job.name + ", v14", "seed",
                   "it takes two GPUs or more; this board has " + std::to_string(devices.size()));
        return;
    }
    Case one = seed_case(job, "v14", "v14 several GPUs, or the CPU for a small image");
    add_axis(one, "threads_per_block", kThreads);
    add_axis(one, "data", "copied");
    one.bytes = 8 * values->pixels();
    one.note = std::to_string(devices.size()) + " GPUs";
    const auto run = std::make_shared<ManyRun>();
    one.prepare = [run, values, devices, lab = context.gpu](Case&) {
        Result<void> done = values->make();
        if (done) done = open_all(devices, values->side(), *run);
        Result<void> used = lab->gpu().use();
        return done ? used : done;
    };
    one.run = [run, values, lab = context.gpu](std::size_t) {
        Result<void> done = run->gpus->run(values->x().data(), values->row_stride(), run->found.data());
        Result<void> used = lab->gpu().use();
        return done ? used : done;
    };
    one.check = [run, values, again = one.run, name = one.name]() -> Result<void> {
        Result<void> done = again(0);
        if (done && !values->is_map(run->found)) return wrong_result(name);
        return done;
    };
    cases.add(std::move(one));
}

}  // namespace

void add_s4_gpu_cases(PartContext& context, CaseList& cases, const FieldJob& job,
                      const std::shared_ptr<WindowValues>& values) {
    for (const bool copies : {false, true})
        for (const VersionInfo& info : kVersions)
            cases.add(version_case(context, job, values, info, kThreads, copies));
    for (const unsigned threads : {64u, 128u, 512u})
        for (const VersionInfo& info : kVersions) {
            if (job.priority != 0) continue;
            Case one = version_case(context, job, values, info, threads, false);
            one.priority = 2;
            cases.add(std::move(one));
        }
    add_many_gpus(context, cases, job, values);
}

}  // namespace tegu::field
