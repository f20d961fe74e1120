// SPDX-License-Identifier: Apache-2.0
// Output of a run: keys of tables, lines of progress, and the jobs of a check.
#include "tools/tune/run/results.h"

#include <gtest/gtest.h>

#include "tools/tune/run/progress.h"
#include "tools/tune/run/table_check.h"

namespace tegu::tune {
namespace {

TEST(Results, KeysAreMadeOfTheDevicesName) {
    const auto key = [](const char* name, unsigned capability, unsigned multiprocessors, unsigned threads) {
        TuningDevice device;
        device.name = name;
        device.compute_capability = capability;
        device.multiprocessors = multiprocessors;
        device.cpu_threads = threads;
        return table_key(device);
    };
    EXPECT_EQ(key("NVIDIA H200", 90, 132, 0), "nvidia-h200-132");
    EXPECT_EQ(key("NVIDIA Jetson Orin Nano Developer Kit", 87, 8, 0), "jetson-orin-nano-developer-kit-8");
    EXPECT_EQ(key("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.7GHz", 0, 0, 16),
              "intel-xeon-platinum-8481c-2-7ghz-16");
    EXPECT_EQ(key("", 0, 0, 4), "unknown-4");
}

TEST(Progress, LineHasShareBestAndTimeLeft) {
    ProgressState state;
    state.steps = 246;
    state.done = 92;
    state.rows = 18;
    state.best_id = "cuda/topk-w4-n1M-k32";
    state.best_share = 0.142;
    state.seconds_left = 372;
    state.at_work = "cuda/add-f32-n8M";
    EXPECT_EQ(progress_text(state, 200),
              " 37 %  92 of 246  18 rows, best cuda/topk-w4-n1M-k32 -14.2 %  6 min left  cuda/add-f32-n8M");
    EXPECT_EQ(progress_text(state, 20).size(), 20u);
    EXPECT_EQ(progress_text(ProgressState(), 80), "100 %  0 of 0  0 rows  0 s left");
}

TEST(TableCheck, MeasuresAJobBetweenThoseOfTheTuner) {
    for (const TuneClass& one : tune_classes(TuningBackend::Cuda, "topk", ClassLimits())) {
        if (one.samples.size() < 2) continue;
        const std::optional<SampleJob> made = between(one, one.samples[0], one.samples[1]);
        if (!made) continue;
        EXPECT_TRUE(tuning::holds(one.jobs, tuning::class_of(made->job))) << one.id;
        for (const SampleJob& sample : one.samples)
            EXPECT_NE(sample.job.rows * sample.job.cols, made->job.rows * made->job.cols) << one.id;
    }
}

}  // namespace
}  // namespace tegu::tune
