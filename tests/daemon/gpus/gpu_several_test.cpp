// SPDX-License-Identifier: Apache-2.0
// Several GPUs: jobs are spread, buffers may lie on any of them, and one that is missing or lost is told.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/daemon/gpus/gpu_support.h"
#include "tests/daemon/jobs/held_jobs.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;
using wire::MessageType;

constexpr int kSoftwareError = 70;

std::string on_devices(const std::string& devices) {
    return kAuto + "threads = 1\n[gpu]\ndevices = \"" + devices + "\"\ndivide_us = 0\n";
}

// A daemon with two guarded devices of the class, or with the GPUs of this machine, forced into it.
class SeveralGpus : public GpuJobs {
  protected:
    void SetUp() override {
        start(on_devices("all"), GetParam() + "," + GetParam());
        if (IsSkipped()) return;
        RawClient client(socket());
        if (on_cuda() && field(info_of(client), "gpus") < 2) GTEST_SKIP() << "one GPU";
    }
};

// A second job that comes late waits for the first one, which is expected to end soon: it is tried again.
TEST_P(SeveralGpus, RunJobsAtTheSameTime) {
    RawClient client(socket());
    const SlowJob work(client, kSomeWork);
    double jobs = 0, running = 0;
    for (; jobs < 40 && running < 2; jobs += 2) {
        std::vector<std::uint64_t> ids;
        hold();
        for (const std::uint64_t slot : {0, 1}) {
            wire::JobRequest slow = work.request(slot);
            slow.backend = BackendChoice::Gpu;
            ids.push_back(client.send_job(slow));
        }
        for (int i = 0; i < 3000 && running < 2; ++i) running = field(stats_of(client), "jobs_running");
        release();
        for (const std::uint64_t id : ids) EXPECT_EQ(Status::Ok, client.reply_to(id).header.status);
    }
    EXPECT_EQ(2, running);
    const Message stats = stats_of(client);
    EXPECT_EQ(jobs, field(stats, "gpu_jobs_total"));
    EXPECT_GE(field(stats, "gpu0_jobs_total"), 1);
    EXPECT_GE(field(stats, "gpu1_jobs_total"), 1);
    EXPECT_EQ(jobs, field(stats, "gpu0_jobs_total") + field(stats, "gpu1_jobs_total"));
}

TEST_P(SeveralGpus, GiveTheSameBytesWhereverABufferLies) {
    RawClient client(socket());
    BufferOfOnes buffer(client, 100000);
    const SlowJob work(client, kSomeWork);
    EXPECT_EQ(100000, buffer.sum(1));
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    // the other one is done first now, whatever it has to copy
    const std::uint64_t busy = client.send_job(slow);
    EXPECT_EQ(100000, buffer.sum(1));
    EXPECT_EQ(Status::Ok, client.reply_to(busy).header.status);
    ASSERT_EQ(Status::Ok, run(client, buffer.doubling()).header.status);
    EXPECT_EQ(200000, buffer.sum(1));
    buffer.values()[0] = 0;
    EXPECT_EQ(199998, buffer.sum(2));
    buffer.unmap();
    const wire::BufferRef reference{buffer.handle()};
    const Message frozen = client.reply_to(client.send_message(MessageType::BufferFreeze, reference));
    ASSERT_EQ(Status::Ok, frozen.header.status) << error_of(frozen).message;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(199998, buffer.sum(0));
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::BufferRelease, reference)).header.status);
}

TEST_P(SeveralGpus, AJobGoesWhereItsCopyIs) {
    if (GetParam() != "A" && GetParam() != "discrete") GTEST_SKIP() << "nothing is copied";
    RawClient client(socket());
    BufferOfOnes first(client, 1 << 20), second(client, 1 << 20);
    const auto jobs_on = [&](const char* name) { return field(stats_of(client), name); };
    for (int i = 0; i < 5; ++i) EXPECT_EQ(1 << 20, first.sum(1));
    EXPECT_EQ(5, jobs_on("gpu0_jobs_total"));
    EXPECT_EQ(0, jobs_on("gpu1_jobs_total"));
}

TEST_P(SeveralGpus, InfoNamesThem) {
    RawClient client(socket());
    const Message info = info_of(client);
    EXPECT_EQ("gpu", text_field(info, "backend"));
    EXPECT_EQ("ok", text_field(info, "health"));
    EXPECT_GE(field(info, "gpus"), 2);
    EXPECT_EQ(0, field(info, "gpu_index"));
    EXPECT_EQ(1, field(info, "gpu1_index"));
    EXPECT_NE("", text_field(info, "gpu1_name"));
    EXPECT_GT(field(info, "gpu1_memory_bytes"), 0);
}

INSTANTIATE_TEST_SUITE_P(Memory, SeveralGpus, testing::Values("A", "B", "C", "discrete"),
                         [](const auto& each) { return each.param; });

Message info_with(const std::string& settings, const DaemonProgram& program, std::string* log = nullptr) {
    DaemonProcess daemon(settings, program);
    RawClient client(daemon.socket());
    Message info = info_of(client);
    BufferOfOnes buffer(client, 5000);
    EXPECT_EQ(5000, buffer.sum(0));
    if (log != nullptr) *log = daemon.log();
    return info;
}

TEST(SeveralGpusOfWhich, OneIsMissing) {
    std::string log;
    const Message info = info_with(on_devices("1,3"), guarded("A,A"), &log);
    EXPECT_EQ(1, field(info, "gpus"));
    EXPECT_EQ(1, field(info, "gpu_index"));
    EXPECT_EQ("degraded", text_field(info, "health"));
    EXPECT_EQ("there is no GPU 3 (gpu.devices)", text_field(info, "backend_reason"));
    EXPECT_NE(std::string::npos, log.find("not all GPUs run jobs: there is no GPU 3 (gpu.devices)")) << log;
}

TEST(SeveralGpusOfWhich, OneCannotBeUsed) {
    const Message info = info_with(on_devices("all"), guarded("unusable,A,A"));
    EXPECT_EQ(2, field(info, "gpus"));
    EXPECT_EQ(1, field(info, "gpu_index"));
    EXPECT_EQ("ok", text_field(info, "health"));
    EXPECT_EQ("", text_field(info, "backend_reason"));
}

TEST(SeveralGpusOfWhich, OneDoesNotOpen) {
    const Message info = info_with(on_devices("all"), guarded("B,B", "open0:/"));
    EXPECT_EQ(1, field(info, "gpus"));
    EXPECT_EQ(1, field(info, "gpu_index"));
    EXPECT_EQ("degraded", text_field(info, "health"));
    EXPECT_EQ("GPU 0 (guarded memory): it does not answer", text_field(info, "backend_reason"));
}

TEST(SeveralGpusOfWhich, TheFirstAloneRunsJobsByDefault) {
    const Message info = info_with(kAuto, guarded("B,B"));
    EXPECT_EQ(1, field(info, "gpus"));
    EXPECT_EQ(0, field(info, "gpu_index"));
}

TEST(SeveralGpusOfWhich, OneThatIsLostEndsTheDaemon) {
    const std::string directory = make_directory();
    {
        const HeldJobs held;
        held.hold();
        DaemonProcess daemon(on_devices("all"), held.program(guarded("B,B", "lost1:" + directory + "/file")));
        RawClient client(daemon.socket());
        const SlowJob work(client, kSomeWork);
        wire::JobRequest slow = work.request(0);
        slow.backend = BackendChoice::Gpu;
        const std::uint64_t on_first = client.send_job(slow);
        BufferOfOnes buffer(client, 1000);
        EXPECT_EQ(1000, buffer.sum(0));
        make_file(directory + "/file");
        const std::uint64_t on_second = client.send_job(buffer.request());
        for (const std::uint64_t id : {on_second, on_first}) {
            const Message reply = client.reply_to(id);
            EXPECT_EQ(Status::DeviceLost, reply.header.status) << error_of(reply).message;
        }
        EXPECT_EQ(kSoftwareError, daemon.wait());
        EXPECT_NE(std::string::npos, daemon.log().find("the device fell off the bus"));
    }
    remove_directory(directory);
}

}  // namespace
}  // namespace tegu::test
