// SPDX-License-Identifier: Apache-2.0
// Buffers of clients and a GPU, in each memory class: read, written, changed behind its back, frozen and
// released.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;
using wire::MessageType;

// Inputs and output in buffers, and errors that come from the data.
TEST_P(GpuJobs, WorkOnBuffers) {
    RawClient client(socket());
    constexpr std::uint64_t kCount = 50000;
    const TestBuffer x = create_buffer(client, kCount * 4), y = create_buffer(client, kCount * 4),
                     z = create_buffer(client, kCount * 4 + 64);
    const SharedMemory xs(x.fd.get(), x.bytes), ys(y.fd.get(), y.bytes), zs(z.fd.get(), z.bytes);
    for (std::uint64_t i = 0; i < kCount; ++i) {
        xs.as<std::int32_t>()[i] = static_cast<std::int32_t>(i);
        ys.as<std::int32_t>()[i] = static_cast<std::int32_t>(3 * i);
    }
    wire::JobRequest request;
    request.job.type = ElementType::I32;
    request.job.cols = kCount;
    request.job.params = AddParams{};
    request.backend = BackendChoice::Gpu;
    request.inputs[0].handle = x.handle;
    request.inputs[1].handle = y.handle;
    request.output = {z.handle, 64, kCount * 4};
    const Message sum = run(client, request);
    ASSERT_EQ(Status::Ok, sum.header.status) << error_of(sum).message;
    EXPECT_EQ(wire::Backend::Gpu, backend_of(sum));
    for (std::uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(4 * i, zs.as<std::uint32_t>()[16 + i]) << i;
    EXPECT_EQ(0u, zs.as<std::uint32_t>()[15]);

    request.output = {x.handle, 0, kCount * 4};  // in place
    ASSERT_EQ(Status::Ok, run(client, request).header.status);
    ASSERT_EQ(Status::Ok, run(client, request).header.status);
    for (std::uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(7 * i, xs.as<std::uint32_t>()[i]) << i;

    xs.as<std::int32_t>()[77] = INT32_MAX;
    request.output = {z.handle, 64, kCount * 4};
    const Message overflow = run(client, request);
    EXPECT_EQ(Status::Overflow, overflow.header.status) << error_of(overflow).message;
}

TEST_P(GpuJobs, SeeWhatChangedSinceTheLastJob) {
    RawClient client(socket());
    BufferOfOnes buffer(client, 20000);
    EXPECT_EQ(20000, buffer.sum(0));
    buffer.values()[19999] = 5;
    EXPECT_EQ(20004, buffer.sum(0));
    EXPECT_EQ(20004, buffer.sum(1));
    buffer.values()[0] = 0;
    EXPECT_EQ(20003, buffer.sum(2));
    EXPECT_EQ(20003, buffer.sum(2));
    buffer.values()[0] = 1;
    EXPECT_EQ(20004, buffer.sum(0)) << "without a generation it is read again";
}

TEST_P(GpuJobs, SeeWhatJobsOnTheCpuWrote) {
    RawClient client(socket());
    BufferOfOnes buffer(client, 1000);
    EXPECT_EQ(1000, buffer.sum(1));
    wire::JobRequest twice = buffer.doubling();
    twice.backend = BackendChoice::Cpu;
    ASSERT_EQ(Status::Ok, run(client, twice).header.status);
    EXPECT_EQ(2000, buffer.sum(1));
    EXPECT_EQ(2000, buffer.sum(1, BackendChoice::Cpu));
}

TEST_P(GpuJobs, BuffersEndAfterTheGpuHasLetGo) {
    RawClient client(socket());
    for (const std::uint64_t count : {1000u, 1000000u}) {
        for (int i = 0; i < 5; ++i) {
            BufferOfOnes buffer(client, count);
            EXPECT_EQ(static_cast<std::int64_t>(count), buffer.sum(1));
            const std::uint64_t job = client.send_job(buffer.request());
            const std::uint64_t release =
                client.send_message(MessageType::BufferRelease, wire::BufferRef{buffer.handle()});
            EXPECT_EQ(Status::Ok, client.reply_to(job).header.status);
            EXPECT_EQ(Status::Ok, client.reply_to(release).header.status);
        }
    }
    {
        RawClient leaves(socket());
        BufferOfOnes buffer(leaves, 1000);
        EXPECT_EQ(1000, buffer.sum(1));
    }
    for (const char* name : {"buffer_bytes", "gpu_buffers", "gpu_arena_used_bytes"}) {
        double left = 1;
        for (int i = 0; i < 12000 && left != 0; ++i) {
            left = field(stats_of(client), name);
            ::usleep(5000);
        }
        EXPECT_EQ(0, left) << name;
    }
}

TEST_P(GpuJobs, HoldNoMoreAfterManyThanAfterOne) {
    RawClient client(socket());
    const auto held = [&] { return field(stats_of(client), "gpu_arena_bytes"); };
    wait_until_probed(client);
    double before = -1;  // until the samples that the daemon times have had their memory
    for (int i = 0; i < 100 && held() != before; ++i) {
        before = held();
        ::usleep(300000);
    }
    {  // as much small memory as any job here takes
        BufferOfOnes small(client, 5000);
        ASSERT_EQ(Status::Ok, run(client, small.doubling()).header.status);
        const wire::BufferRef reference{small.handle()};
        ASSERT_EQ(Status::Ok,
                  client.reply_to(client.send_message(MessageType::BufferRelease, reference)).header.status);
    }
    std::vector<double> seen;  // after each round
    for (int round = 0; round < 30; ++round) {
        BufferOfOnes buffer(client, 100000);
        EXPECT_EQ(100000, buffer.sum(1));
        EXPECT_EQ(100000, buffer.sum(0));
        const wire::BufferRef reference{buffer.handle()};
        ASSERT_EQ(Status::Ok,
                  client.reply_to(client.send_message(MessageType::BufferRelease, reference)).header.status);
        seen.push_back(held());
    }
    EXPECT_EQ(seen.front(), seen.back()) << testing::PrintToString(seen);
}

TEST_P(GpuJobs, BuffersThatTheGpuUsedCanBeFrozen) {
    RawClient client(socket());
    BufferOfOnes buffer(client, 5000);
    EXPECT_EQ(5000, buffer.sum(1));
    // Through a writable mapping, which stands in the way of a seal.
    ASSERT_EQ(Status::Ok, run(client, buffer.doubling()).header.status);
    EXPECT_EQ(10000, buffer.sum(1));
    buffer.values()[0] = 3;
    buffer.unmap();
    const wire::BufferRef reference{buffer.handle()};
    const Message frozen = client.reply_to(client.send_message(MessageType::BufferFreeze, reference));
    ASSERT_EQ(Status::Ok, frozen.header.status) << error_of(frozen).message;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(10001, buffer.sum(0));
}

// Where only writable mappings can be registered, a reader uses one that a job before it wrote through. A
// freeze takes that mapping away while the reader waits, and what is mapped there next is another client's.
TEST(GpuBuffers, ReadersThatWaitDuringAFreezeReadTheirOwnBytes) {
    if (on_cuda()) GTEST_SKIP() << "the guarded device refuses read-only mappings at will";
    DaemonProcess daemon(kAuto + "threads = 1\n", guarded("B", "readonly:/"));
    RawClient client(daemon.socket());
    constexpr std::uint64_t kCount = 1 << 20;
    BufferOfOnes buffer(client, kCount);
    ASSERT_EQ(Status::Ok, run(client, buffer.doubling()).header.status);
    EXPECT_EQ(2 * kCount, static_cast<std::uint64_t>(buffer.sum(0)));
    buffer.unmap();
    const SlowJob work(client, kSomeWork);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    const std::uint64_t before = client.send_job(slow);  // the freeze begins when it ends,
    for (Message stats = stats_of(client);
         field(stats, "jobs_running") != 1 && field(stats, "jobs_in_flight") != 0; stats = stats_of(client))
        ::usleep(500);
    slow = work.request(1);
    slow.backend = BackendChoice::Gpu;
    const std::uint64_t between = client.send_job(slow);  // and is over before this one does
    const std::uint64_t waits = client.send_job(buffer.request());
    const std::uint64_t frozen =
        client.send_message(MessageType::BufferFreeze, wire::BufferRef{buffer.handle()});
    EXPECT_EQ(Status::Ok, client.reply_to(frozen).header.status);
    RawClient stranger(daemon.socket());
    BufferOfOnes others(stranger, kCount, 7);
    wire::JobRequest doubled = others.doubling();
    doubled.backend = BackendChoice::Cpu;
    EXPECT_EQ(Status::Ok, run(stranger, doubled).header.status);
    EXPECT_EQ(2 * kCount, static_cast<std::uint64_t>(sum_of(client.reply_to(waits))));
    EXPECT_EQ(2 * kCount, static_cast<std::uint64_t>(buffer.sum(0)));
    for (const std::uint64_t id : {before, between}) EXPECT_EQ(Status::Ok, client.reply_to(id).header.status);
}

}  // namespace
}  // namespace tegu::test
