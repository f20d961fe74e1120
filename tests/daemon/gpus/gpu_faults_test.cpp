// SPDX-License-Identifier: Apache-2.0
// A GPU without memory, one that is lost, and none: what the daemon says of it, and that the CPU goes on.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/daemon/gpus/gpu_support.h"
#include "tests/daemon/jobs/held_jobs.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;

constexpr int kSoftwareError = 70;

TEST(GpuFaults, WithoutMemoryOfTheDeviceTheCpuComputesAndSaysSo) {
    const std::string directory = make_directory();
    {
        DaemonProcess daemon(kProbe + kAuto, guarded("A", "oom:" + directory + "/file", kFast));
        RawClient client(daemon.socket());
        wait_until_probed(client);
        BufferOfOnes buffer(client, 4 << 20);
        buffer.request().inputs[0].generation = 1;
        buffer.request().backend = BackendChoice::Auto;
        ASSERT_EQ(wire::Backend::Gpu, backend_of(run_until_on_gpu(client, buffer.request())));
        make_file(directory + "/file");
        const Message reply = run(client, buffer.request());
        EXPECT_EQ(Status::Ok, reply.header.status);
        EXPECT_EQ(wire::Backend::Cpu, backend_of(reply));
        EXPECT_NE(std::string::npos, policy_of(reply).find("(not on the GPU: the device has no memory left)"))
            << policy_of(reply);
        buffer.request().backend = BackendChoice::Gpu;
        EXPECT_EQ(Status::OutOfMemory, run(client, buffer.request()).header.status);
        EXPECT_EQ(1, field(stats_of(client), "gpu_fallbacks_total"));
    }
    remove_directory(directory);
}

TEST(GpuFaults, AJobThatIsLargerThanTheArenaRunsOnTheCpu) {
    DaemonProcess daemon(kAuto + "[gpu]\narena_bytes = \"2MiB\"\n", guarded("A"));
    RawClient client(daemon.socket());
    BufferOfOnes buffer(client, 4 << 20);
    buffer.request().inputs[0].generation = 1;
    buffer.request().backend = BackendChoice::Auto;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    buffer.request().backend = BackendChoice::Gpu;
    EXPECT_EQ(Status::OutOfMemory, run(client, buffer.request()).header.status);
    buffer.request().job.cols = 1000;
    EXPECT_EQ(wire::Backend::Gpu, backend_of(run(client, buffer.request())));
}

TEST(GpuFaults, ALostDeviceEndsTheDaemonAndEveryJobIsAnswered) {
    const std::string directory = make_directory();
    {
        const HeldJobs held;
        held.hold();
        DaemonProcess daemon(kAuto + "threads = 1\n",
                             held.program(guarded("B", "lost:" + directory + "/file")));
        RawClient client(daemon.socket());
        const SlowJob work(client, kSomeWork);
        wire::JobRequest slow = work.request(0);
        slow.backend = BackendChoice::Cpu;
        const std::uint64_t on_cpu = client.send_job(slow);
        BufferOfOnes buffer(client, 1000);
        EXPECT_EQ(1000, buffer.sum(0));
        slow = work.request(1);
        slow.backend = BackendChoice::Gpu;
        const wire::CancelRequest ahead{client.send_job(slow)};
        while (field(stats_of(client), "jobs_running") != 2) ::usleep(500);
        const std::uint64_t first = client.send_job(buffer.request());
        const std::uint64_t second = client.send_job(buffer.request());
        EXPECT_EQ(4, field(stats_of(client), "jobs_in_flight"));  // both have come before the device is lost
        make_file(directory + "/file");
        (void)client.send_message(wire::MessageType::Cancel, ahead);
        for (const std::uint64_t id : {first, second, on_cpu}) {
            const Message reply = client.reply_to(id);
            EXPECT_EQ(Status::DeviceLost, reply.header.status) << error_of(reply).message;
        }
        EXPECT_EQ(kSoftwareError, daemon.wait());
        EXPECT_NE(std::string::npos, daemon.log().find("the device fell off the bus"));
    }
    remove_directory(directory);
}

void expect_cpu_only(const std::string& settings, const std::string& gpu, const std::string& health,
                     const std::string& reason) {
    DaemonProcess daemon(settings, guarded(gpu));
    RawClient client(daemon.socket());
    const Message info = info_of(client);
    EXPECT_EQ("cpu", text_field(info, "backend"));
    EXPECT_EQ("none", text_field(info, "memory_class"));
    EXPECT_EQ(health, text_field(info, "health"));
    EXPECT_EQ(reason, text_field(info, "backend_reason"));
    EXPECT_EQ(health == "degraded", daemon.log().find("no GPU runs jobs: " + reason) != std::string::npos);
    BufferOfOnes buffer(client, 4 << 20);
    buffer.request().inputs[0].generation = 1;
    buffer.request().backend = BackendChoice::Auto;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    buffer.request().backend = BackendChoice::Gpu;
    const Message refused = run(client, buffer.request());
    EXPECT_EQ(Status::Unsupported, refused.header.status);
    EXPECT_EQ("backend", error_of(refused).field);
    EXPECT_EQ("auto, cpu", error_of(refused).allowed);
    EXPECT_NE(std::string::npos, error_of(refused).message.find(reason)) << error_of(refused).message;
}

TEST(WithoutAGpu, TheCpuComputesAndTheReasonIsSaid) {
    expect_cpu_only("[executor]\nbackend = \"cpu\"\n", "A", "ok", "executor.backend is cpu");
}

TEST(WithoutAGpu, TheDaemonIsDegradedIfThereShouldBeOne) {
    expect_cpu_only(kAuto, "none", "degraded", "no NVIDIA driver");
    expect_cpu_only("[executor]\nbackend = \"gpu\"\n", "none", "degraded", "no NVIDIA driver");
    expect_cpu_only(kAuto, "unusable", "degraded",
                    "GPU 0 (guarded memory): no machine code for sm_110; there is code for sm_53");
    expect_cpu_only(kAuto + "[gpu]\ndevices = \"3\"\n", "A", "degraded", "there is no GPU 3 (gpu.devices)");
    expect_cpu_only(
        kAuto + "[gpu]\nmemory_class = \"C\"\n", "A", "degraded",
        "memory class C needs access to pageable memory, which this device does not have (gpu.memory_class)");
}

}  // namespace
}  // namespace tegu::test
