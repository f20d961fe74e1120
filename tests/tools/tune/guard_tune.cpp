// SPDX-License-Identifier: Apache-2.0
// tegu-tune with the guarded device in place of a GPU. Its clock is made up: a run takes what its policy
// says, so that a search has something to find, and finds the same every time. $TEGU_TEST_TUNE: words with
// commas between them:
//   wrong   add with waves = 8 gives a wrong result
//   wrong_default   add with its default policy does
//   lost    the device is lost at the 200th run
//   lost_late   it is lost at the 40th run behind the first wrong result
//   none    there is no device
//   hold    a job of add says "held" on stderr, and lasts until the program is interrupted or killed
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "kernels/device/guard_gpu.h"
#include "tools/tune/command_line.h"
#include "tools/tune/measure/interrupts.h"
#include "tools/tune/measure/stopwatch.h"

namespace tegu {
namespace {

double g_clock_us = 0;
unsigned g_runs = 0;
unsigned g_behind_wrong = 0;  // runs since the first wrong result

bool has_word(const char* word) {
    const char* const text = std::getenv("TEGU_TEST_TUNE");
    return text != nullptr &&
           ("," + std::string(text) + ",").find("," + std::string(word) + ",") != std::string::npos;
}

void hold() {
    std::fputs("held\n", stderr);
    while (!tune::interrupts()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// The default of add has 1000 waves, and 512 threads a block: 0.7 of its time is to be had.
double time_us(const cuda::Policies& policies) {
    const double waves = policies.add.waves == 8 ? 0.6 : policies.add.waves == 32 ? 0.7 : 1;
    const double tiles = policies.reduce.tiles_per_warp == 4 ? 0.9 : 1;
    return 400 * waves * tiles;
}

class TunableGpu final : public device::GuardGpu {
  public:
    using GuardGpu::GuardGpu;
    Result<kernels::RunReport> run(const cuda::JobRun& run, device::Stream stream,
                                   const cuda::JobPolicies& policies) override {
        if (has_word("hold") && operation_of(run.job) == Operation::Add) hold();
        if (has_word("lost") && ++g_runs == 200)
            fail_next(make_error(Status::DeviceLost, "the device fell off the bus"));
        Result<kernels::RunReport> report = GuardGpu::run(run, stream, policies);
        const cuda::Policies chosen = policies.whole == nullptr ? cuda::Policies() : *policies.whole;
        g_clock_us += time_us(chosen);
        const bool is_wrong = (has_word("wrong") && chosen.add.waves == 8) ||
                              (has_word("wrong_default") && chosen.add == cuda::Policies().add);
        g_behind_wrong += g_behind_wrong != 0 || is_wrong ? 1 : 0;
        if (has_word("lost_late") && g_behind_wrong == 40)
            fail_next(make_error(Status::DeviceLost, "the device fell off the bus"));
        if (!report || !is_wrong || operation_of(run.job) != Operation::Add) return report;
        const char damage = 0x33;
        Result<void> damaged = copy(run.outputs[0].data + 3, &damage, 1, stream);
        if (damaged) damaged = synchronize(stream);
        if (!damaged) return std::move(damaged).error();
        return report;
    }
};

class MadeUpStopwatch final : public tune::Stopwatch {
  public:
    Result<void> start(device::Stream) override {
        begin_ = g_clock_us;
        return {};
    }
    Result<double> stop(device::Stream) override { return g_clock_us - begin_; }

  private:
    double begin_ = 0;
};

}  // namespace

namespace device {

Span<const unsigned> built_architectures() {
    static constexpr unsigned kBuilt[] = {53};
    return kBuilt;
}

bool may_have_gpus(const ModuleSearch&) {
    return true;
}

DeviceList probe_devices(const ModuleSearch&) {
    if (has_word("none")) return {{}, "no NVIDIA driver"};
    return {{guard_device(GuardOptions())}, ""};
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits&) {
    return std::unique_ptr<Gpu>(std::make_unique<TunableGpu>(device, GuardOptions()));
}

}  // namespace device

namespace tune {

Result<std::unique_ptr<Stopwatch>> make_stopwatch(device::Gpu&) {
    return std::unique_ptr<Stopwatch>(std::make_unique<MadeUpStopwatch>());
}

}  // namespace tune
}  // namespace tegu

int main(int argc, char** argv) {
    return tegu::tune::run_command_line(argc, argv);
}
