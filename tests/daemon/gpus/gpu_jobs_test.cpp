// SPDX-License-Identifier: Apache-2.0
// Jobs on a GPU, seen over the socket, in each memory class: the bytes of the CPU, the choice of what
// computes, the life of a job.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;
using wire::MessageType;

template <class Params>
wire::JobRequest request_of(const std::vector<float>& values, std::uint64_t rows, Axis axis,
                            const Params& params) {
    wire::JobRequest request = reduce_request(values, 1);
    request.job.rows = rows;
    request.job.cols = values.size() / rows;
    request.job.axis = axis;
    request.job.params = params;
    return request;
}

// A job of each operation with one input and a small result.
std::vector<wire::JobRequest> small_requests(const std::vector<float>& values) {
    TopkParams topk;
    topk.k = 20;
    TopkParams distinct = topk;
    distinct.distinct = true;
    QuantileParams quantiles;
    quantiles.q = {0, 0.25, 0.5, 1};
    HistogramParams histogram;
    FusedParams fused;
    fused.parts = {ReduceParams{kAllStatistics, false, 0}, topk, quantiles};
    return {reduce_request(values, kAllStatistics),
            request_of(values, 10, Axis::Rows, ReduceParams{kAllStatistics, false, 0}),
            request_of(values, 1, Axis::Whole, topk),
            request_of(values, 10, Axis::Rows, topk),
            request_of(values, 1, Axis::Whole, distinct),
            request_of(values, 4, Axis::Rows, quantiles),
            request_of(values, 1, Axis::Whole, histogram),
            request_of(values, 1, Axis::Whole, EntropyParams{}),
            request_of(values, 1, Axis::Whole, fused),
            request_of(values, 10, Axis::Whole, EntropyMapParams{}),
            request_of(values, 10, Axis::Whole, RowscaleParams{})};
}

TEST_P(GpuJobs, GiveTheBytesOfTheCpu) {
    RawClient client(socket());
    for (const std::size_t count : {400u, 1000u, 8000u}) {
        const std::vector<float> values = noise(count, static_cast<unsigned>(count));
        for (wire::JobRequest request : small_requests(values)) {
            request.data = bytes_of(values);
            request.backend = BackendChoice::Cpu;
            const Arrays cpu = arrays_of(run(client, request));
            request.backend = BackendChoice::Gpu;
            const Message reply = run(client, request);
            if (on_cuda() && reply.header.status == Status::Unsupported) continue;  // not there yet
            EXPECT_EQ(cpu, arrays_of(reply, nullptr, wire::Backend::Gpu));
            EXPECT_NE(std::string::npos, policy_of(reply).find("memory=" + GetParam())) << policy_of(reply);
        }
    }
}

// Where the device is faster, that is, and has the data or is to get it.
TEST_P(GpuJobs, RunThereByThemselvesIfTheyAreLarge) {
    start(kProbe + kAuto + "[gpu]\n", GetParam(), kFast);
    RawClient client(socket());
    wait_until_probed(client);
    BufferOfOnes buffer(client, 4 << 20);
    buffer.request().backend = BackendChoice::Auto;
    buffer.request().inputs[0].generation = 1;
    EXPECT_EQ(wire::Backend::Gpu, backend_of(run_until_on_gpu(client, buffer.request())));
    buffer.request().backend = BackendChoice::Cpu;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    buffer.request().backend = BackendChoice::Auto;
    buffer.request().job.cols = 1000;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    const Message stats = stats_of(client);
    EXPECT_EQ(1, field(stats, "gpu_jobs_total"));
    EXPECT_EQ(0, field(stats, "gpu_fallbacks_total"));
}

// Where nothing is copied, nobody has to promise anything for it.
TEST_P(GpuJobs, RunThereWithoutAPromiseIfNothingIsCopied) {
    if (GetParam() != "B" && GetParam() != "C") return;
    start(kProbe + kAuto + "[gpu]\n", GetParam(), kFast);
    RawClient client(socket());
    wait_until_probed(client);
    BufferOfOnes buffer(client, 4 << 20);
    buffer.request().backend = BackendChoice::Auto;
    EXPECT_EQ(wire::Backend::Gpu, backend_of(run_until_on_gpu(client, buffer.request())));
}

TEST_P(GpuJobs, AreCancelledAndOverdueLikeOthers) {
    RawClient client(socket());
    const SlowJob work(client, on_cuda() ? 4 * kSomeWork : kSomeWork);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    BufferOfOnes buffer(client, 1000), other(client, 1000);  // in place: jobs that do not run beside another
    hold();
    const std::uint64_t running = client.send_job(slow);
    const std::uint64_t waiting = client.send_job(buffer.doubling());
    const std::uint64_t late = client.send_job(other.doubling(), wire::Priority::Normal, 1000000);
    EXPECT_EQ(Status::DeadlineExceeded, client.reply_to(late).header.status);
    for (const std::uint64_t id : {waiting, running}) {
        EXPECT_EQ(
            Status::Ok,
            client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{id})).header.status);
        if (id == running) release();
        EXPECT_EQ(Status::Cancelled, client.reply_to(id).header.status);
    }
    EXPECT_EQ(1000, buffer.sum(0));
}

TEST_P(GpuJobs, BothSidesWorkAtOnce) {
    RawClient client(socket());
    const SlowJob work(client, kSomeWork);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    const std::uint64_t running = client.send_job(slow);
    wire::JobRequest beside = work.request(1);
    beside.backend = BackendChoice::Cpu;
    const std::uint64_t other = client.send_job(beside);
    EXPECT_EQ(Status::Ok, client.reply_to(running).header.status);
    EXPECT_EQ(Status::Ok, client.reply_to(other).header.status);
}

TEST_P(GpuJobs, InfoNamesTheDevice) {
    RawClient client(socket());
    const Message info = info_of(client);
    EXPECT_EQ("gpu", text_field(info, "backend"));
    EXPECT_EQ("", text_field(info, "backend_reason"));
    EXPECT_EQ("ok", text_field(info, "health"));
    EXPECT_EQ(GetParam(), text_field(info, "memory_class"));
    EXPECT_GE(field(info, "gpu_multiprocessors"), 1);
    EXPECT_GT(field(info, "gpu_memory_bytes"), 0);
    if (on_cuda()) return;
    EXPECT_EQ("guarded memory", text_field(info, "gpu_name"));
    EXPECT_EQ(53, field(info, "gpu_compute_capability"));
    EXPECT_EQ("sm_53", text_field(info, "gpu_built_for"));
}

TEST_P(GpuJobs, AStopLetsThemEnd) {
    RawClient client(socket());
    const SlowJob work(client, on_cuda() ? 4 * kSomeWork : kSomeWork / 2);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    hold();
    const std::uint64_t running = client.send_job(slow);
    while (field(stats_of(client), "jobs_running") != 1) ::usleep(500);
    daemon_->signal(SIGTERM);
    release();
    EXPECT_EQ(Status::Ok, client.reply_to(running).header.status);
    EXPECT_EQ(0, daemon_->wait());
    daemon_.reset();
}

// Whether a sum ends within some time while the kernel of another job is held.
bool ends_beside_a_held_one(RawClient& client, BufferOfOnes& buffer, wire::JobRequest slow,
                            const std::string& file) {
    const auto done = [&] { return field(stats_of(client), "gpu_jobs_total"); };
    make_file(file);
    const std::uint64_t held = client.send_job(slow);
    while (field(stats_of(client), "jobs_running") != 1) ::usleep(500);
    const double before = done();
    buffer.request().backend = BackendChoice::Gpu;
    const std::uint64_t sum = client.send_job(buffer.request());
    bool ends = false;
    for (int i = 0; i < 1000 && !ends; ++i) {
        ends = done() > before;
        if (!ends) ::usleep(500);
    }
    ::unlink(file.c_str());
    EXPECT_EQ(1000, sum_of(client.reply_to(sum)));
    EXPECT_EQ(Status::Ok, client.reply_to(held).header.status);
    return ends;
}

// With made-up times, so that it is known to be short. It may be given up after 5 ms if the machine is busy.
TEST(GpuJobsBeside, AShortOneEndsWhileALongOneIsHeld) {
    if (on_cuda()) GTEST_SKIP() << "nothing is held there";
    for (const std::string memory : {"B", "C", "discrete"}) {
        SCOPED_TRACE(memory);
        const std::string directory = make_directory(), file = directory + "/file";
        {
            DaemonProcess daemon(kProbe + kAuto, guarded(memory, "hold:" + file, kFast));
            RawClient client(daemon.socket());
            wait_until_probed(client);
            BufferOfOnes buffer(client, 1000);
            EXPECT_EQ(1000, buffer.sum(1));
            const SlowJob work(client, kSomeWork / 8);
            wire::JobRequest slow = work.request(0);
            slow.backend = BackendChoice::Gpu;
            bool ends = false;
            for (int i = 0; i < 20 && !ends; ++i) ends = ends_beside_a_held_one(client, buffer, slow, file);
            EXPECT_TRUE(ends);
        }
        remove_directory(directory);
    }
}

INSTANTIATE_TEST_SUITE_P(Memory, GpuJobs, testing::Values("A", "B", "C", "discrete"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace tegu::test
