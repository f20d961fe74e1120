// SPDX-License-Identifier: Apache-2.0
// Jobs on a GPU, seen over the socket: on the guarded device in strict mode, so that whatever touches memory which the GPU owns ends
// the daemon and fails the test. With $TEGU_TEST_CUDA set the same jobs go to tegud itself and the GPU of this machine, in each memory
// class that it can be forced into; skipped without one.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>

#include "tests/daemon/daemon_process.h"
#include "tests/daemon/job_check.h"
#include "tests/daemon/raw_client.h"

namespace tegu {
namespace {

using test::Arrays;
using test::arrays_of;
using test::error_of;
using test::Message;
using test::RawClient;
using wire::BackendChoice;
using wire::MessageType;

constexpr int kSoftwareError = 70;

test::DaemonProgram guarded(const std::string& gpu, const std::string& fault = "") {
    return {"tests/guard_tegud", {"TEGU_TEST_GPU=" + gpu, "TEGU_TEST_FAULT=" + fault}};
}

std::vector<float> noise(std::size_t count, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 20001) - 10000) * 0.37f;
    return values;
}

Message run(RawClient& client, const wire::JobRequest& request) {
    return client.reply_to(client.send_job(request));
}

std::string policy_of(const Message& message) {
    const Result<wire::JobReply> reply = wire::decode_job_reply(message.body);
    return reply ? std::string(reply->policy) : error_of(message).message;
}

wire::Backend backend_of(const Message& message) {
    const Result<wire::JobReply> reply = wire::decode_job_reply(message.body);
    return reply ? reply->backend : wire::Backend::None;
}

template <class Params>
wire::JobRequest request_of(const std::vector<float>& values, std::uint64_t rows, Axis axis, const Params& params) {
    wire::JobRequest request = test::reduce_request(values, 1);
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
    return {test::reduce_request(values, kAllStatistics),
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

const std::string kAuto = "[executor]\nbackend = \"auto\"\n";

bool on_cuda() {
    return std::getenv("TEGU_TEST_CUDA") != nullptr;
}

class GpuJobs : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        const std::string forced = kAuto + "[gpu]\nmemory_class = \"" + GetParam() + "\"\n";
        daemon_ = on_cuda() ? std::make_unique<test::DaemonProcess>(forced, test::DaemonProgram{"bin/tegud", {}})
                            : std::make_unique<test::DaemonProcess>(kAuto, guarded(GetParam()));
        RawClient client(socket());
        const Message info = client.reply_to(client.send(MessageType::Info));
        if (test::text_field(info, "backend") == "gpu") return;
        ASSERT_TRUE(on_cuda());
        GTEST_SKIP() << test::text_field(info, "backend_reason");
    }
    // The daemon lives, and its CPU computes.
    void TearDown() override {
        if (daemon_ == nullptr) return;
        RawClient other(socket());
        wire::JobRequest request = test::reduce_request(noise(100), statistic_bit(Statistic::Count));
        const std::vector<float> values = noise(100);
        request.data = test::bytes_of(values);
        EXPECT_EQ(Status::Ok, run(other, request).header.status);
    }
    const std::string& socket() const { return daemon_->socket(); }
    std::unique_ptr<test::DaemonProcess> daemon_;
};

TEST_P(GpuJobs, GiveTheBytesOfTheCpu) {
    RawClient client(socket());
    for (const std::size_t count : {400u, 1000u, 8000u}) {
        const std::vector<float> values = noise(count, static_cast<unsigned>(count));
        for (wire::JobRequest request : small_requests(values)) {
            request.data = test::bytes_of(values);
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

// Inputs and output in buffers, and errors that come from the data.
TEST_P(GpuJobs, WorkOnBuffers) {
    RawClient client(socket());
    constexpr std::uint64_t kCount = 50000;
    const test::TestBuffer x = test::create_buffer(client, kCount * 4), y = test::create_buffer(client, kCount * 4),
                           z = test::create_buffer(client, kCount * 4 + 64);
    const test::SharedMemory xs(x.fd.get(), x.bytes), ys(y.fd.get(), y.bytes), zs(z.fd.get(), z.bytes);
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

class BufferOfOnes {
  public:
    BufferOfOnes(RawClient& client, std::uint64_t count)
        : client_(client), buffer_(test::create_buffer(client, count * 4)), values_(buffer_.fd.get(), count * 4) {
        request_.job.type = ElementType::I32;
        request_.job.cols = count;
        request_.job.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
        request_.backend = BackendChoice::Gpu;
        request_.inputs[0].handle = buffer_.handle;
        for (std::uint64_t i = 0; i < count; ++i) values()[i] = 1;
    }
    std::int32_t* values() const { return values_.as<std::int32_t>(); }
    void unmap() { values_.unmap(); }
    std::uint64_t handle() const { return buffer_.handle; }
    wire::JobRequest& request() { return request_; }
    std::int64_t sum(std::uint64_t generation, BackendChoice backend = BackendChoice::Gpu) {
        request_.inputs[0].generation = generation;
        request_.backend = backend;
        const Arrays arrays = arrays_of(run(client_, request_), nullptr,
                                        backend == BackendChoice::Cpu ? wire::Backend::Cpu : wire::Backend::Gpu);
        std::int64_t value = -1;
        if (arrays.size() == 1 && arrays[0].size() == 8) std::memcpy(&value, arrays[0].data(), 8);
        return value;
    }

  private:
    RawClient& client_;
    test::TestBuffer buffer_;
    test::SharedMemory values_;
    wire::JobRequest request_;
};

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
    wire::JobRequest twice = buffer.request();
    twice.job.params = AddParams{};
    twice.backend = BackendChoice::Cpu;
    twice.inputs[1] = twice.inputs[0];
    twice.output = {buffer.handle(), 0, 4000};
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
        for (int i = 0; i < 2000 && left != 0; ++i) {
            left = test::field(client.reply_to(client.send(MessageType::Stats)), name);
            ::usleep(5000);
        }
        EXPECT_EQ(0, left) << name;
    }
}

TEST_P(GpuJobs, HoldNoMoreAfterManyThanAfterOne) {
    RawClient client(socket());
    const auto held = [&] { return test::field(client.reply_to(client.send(MessageType::Stats)), "gpu_arena_bytes"); };
    double first = 0;
    for (int round = 0; round < 30; ++round) {
        BufferOfOnes buffer(client, 100000);
        EXPECT_EQ(100000, buffer.sum(1));
        EXPECT_EQ(100000, buffer.sum(0));
        const wire::BufferRef reference{buffer.handle()};
        ASSERT_EQ(Status::Ok,
                  client.reply_to(client.send_message(MessageType::BufferRelease, reference)).header.status);
        if (round == 0) first = held();
    }
    EXPECT_EQ(first, held());
}

TEST_P(GpuJobs, BuffersThatTheGpuUsedCanBeFrozen) {
    RawClient client(socket());
    BufferOfOnes buffer(client, 5000);
    EXPECT_EQ(5000, buffer.sum(1));
    wire::JobRequest twice = buffer.request();  // through a writable mapping, which stands in the way of a seal
    twice.job.params = AddParams{};
    twice.inputs[1] = twice.inputs[0];
    twice.output = {buffer.handle(), 0, 20000};
    ASSERT_EQ(Status::Ok, run(client, twice).header.status);
    EXPECT_EQ(10000, buffer.sum(1));
    buffer.values()[0] = 3;
    buffer.unmap();
    const wire::BufferRef reference{buffer.handle()};
    const Message frozen = client.reply_to(client.send_message(MessageType::BufferFreeze, reference));
    ASSERT_EQ(Status::Ok, frozen.header.status) << error_of(frozen).message;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(10001, buffer.sum(0));
}

TEST_P(GpuJobs, RunThereByThemselvesIfTheyAreLarge) {
    RawClient client(socket());
    BufferOfOnes buffer(client, 4 << 20);
    buffer.request().backend = BackendChoice::Auto;
    EXPECT_EQ(wire::Backend::Gpu, backend_of(run(client, buffer.request())));
    buffer.request().backend = BackendChoice::Cpu;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    buffer.request().backend = BackendChoice::Auto;
    buffer.request().job.cols = 1000;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    const Message stats = client.reply_to(client.send(MessageType::Stats));
    EXPECT_EQ(1, test::field(stats, "gpu_jobs_total"));
    EXPECT_EQ(0, test::field(stats, "gpu_fallbacks_total"));
}

TEST_P(GpuJobs, AreCancelledAndOverdueLikeOthers) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    const std::uint64_t running = client.send_job(slow);
    BufferOfOnes buffer(client, 1000);
    const std::uint64_t waiting = client.send_job(buffer.request());
    const std::uint64_t late = client.send_job(buffer.request(), wire::Priority::Normal, 1000000);
    EXPECT_EQ(Status::DeadlineExceeded, client.reply_to(late).header.status);
    for (const std::uint64_t id : {waiting, running}) {
        EXPECT_EQ(Status::Ok,
                  client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{id})).header.status);
        EXPECT_EQ(Status::Cancelled, client.reply_to(id).header.status);
    }
    EXPECT_EQ(1000, buffer.sum(0));
}

TEST_P(GpuJobs, BothSidesWorkAtOnce) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork);
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
    const Message info = client.reply_to(client.send(MessageType::Info));
    EXPECT_EQ("gpu", test::text_field(info, "backend"));
    EXPECT_EQ("", test::text_field(info, "backend_reason"));
    EXPECT_EQ("ok", test::text_field(info, "health"));
    EXPECT_EQ(GetParam(), test::text_field(info, "memory_class"));
    EXPECT_GE(test::field(info, "gpu_multiprocessors"), 1);
    EXPECT_GT(test::field(info, "gpu_memory_bytes"), 0);
    if (on_cuda()) return;
    EXPECT_EQ("guarded memory", test::text_field(info, "gpu_name"));
    EXPECT_EQ(53, test::field(info, "gpu_compute_capability"));
    EXPECT_EQ("sm_53", test::text_field(info, "gpu_built_for"));
}

TEST_P(GpuJobs, AStopLetsThemEnd) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    const std::uint64_t running = client.send_job(slow);
    while (test::field(client.reply_to(client.send(MessageType::Stats)), "jobs_running") != 1) ::usleep(500);
    daemon_->signal(SIGTERM);
    EXPECT_EQ(Status::Ok, client.reply_to(running).header.status);
    EXPECT_EQ(0, daemon_->wait());
    daemon_.reset();
}

INSTANTIATE_TEST_SUITE_P(Memory, GpuJobs, testing::Values("A", "B", "C", "discrete"),
                         [](const auto& each) { return each.param; });

void make_file(const std::string& path) {
    std::ofstream(path) << "now";
}

TEST(GpuFaults, WithoutMemoryOfTheDeviceTheCpuComputesAndSaysSo) {
    const std::string directory = test::make_directory();
    {
        test::DaemonProcess daemon(kAuto, guarded("A", "oom:" + directory + "/file"));
        RawClient client(daemon.socket());
        BufferOfOnes buffer(client, 4 << 20);
        make_file(directory + "/file");
        buffer.request().backend = BackendChoice::Auto;
        const Message reply = run(client, buffer.request());
        EXPECT_EQ(Status::Ok, reply.header.status);
        EXPECT_EQ(wire::Backend::Cpu, backend_of(reply));
        EXPECT_NE(std::string::npos, policy_of(reply).find("(not on the GPU: the device has no memory left)"))
            << policy_of(reply);
        buffer.request().backend = BackendChoice::Gpu;
        EXPECT_EQ(Status::OutOfMemory, run(client, buffer.request()).header.status);
        EXPECT_EQ(1, test::field(client.reply_to(client.send(MessageType::Stats)), "gpu_fallbacks_total"));
    }
    test::remove_directory(directory);
}

TEST(GpuFaults, AJobThatIsLargerThanTheArenaRunsOnTheCpu) {
    test::DaemonProcess daemon(kAuto + "[gpu]\narena_bytes = \"2MiB\"\n", guarded("A"));
    RawClient client(daemon.socket());
    BufferOfOnes buffer(client, 4 << 20);
    buffer.request().backend = BackendChoice::Auto;
    EXPECT_EQ(wire::Backend::Cpu, backend_of(run(client, buffer.request())));
    buffer.request().backend = BackendChoice::Gpu;
    EXPECT_EQ(Status::OutOfMemory, run(client, buffer.request()).header.status);
    buffer.request().job.cols = 1000;
    EXPECT_EQ(wire::Backend::Gpu, backend_of(run(client, buffer.request())));
}

TEST(GpuFaults, ALostDeviceEndsTheDaemonAndEveryJobIsAnswered) {
    const std::string directory = test::make_directory();
    {
        test::DaemonProcess daemon(kAuto + "threads = 1\n", guarded("B", "lost:" + directory + "/file"));
        RawClient client(daemon.socket());
        const test::SlowJob work(client, test::kSomeWork);
        wire::JobRequest slow = work.request(0);
        slow.backend = BackendChoice::Cpu;
        const std::uint64_t on_cpu = client.send_job(slow);
        BufferOfOnes buffer(client, 1000);
        EXPECT_EQ(1000, buffer.sum(0));
        make_file(directory + "/file");
        const std::uint64_t first = client.send_job(buffer.request());
        const std::uint64_t second = client.send_job(buffer.request());
        for (const std::uint64_t id : {first, second, on_cpu}) {
            const Message reply = client.reply_to(id);
            EXPECT_EQ(Status::DeviceLost, reply.header.status) << error_of(reply).message;
        }
        EXPECT_EQ(kSoftwareError, daemon.wait());
        EXPECT_NE(std::string::npos, daemon.log().find("the device fell off the bus"));
    }
    test::remove_directory(directory);
}

void expect_cpu_only(const std::string& settings, const std::string& gpu, const std::string& health,
                     const std::string& reason) {
    test::DaemonProcess daemon(settings, guarded(gpu));
    RawClient client(daemon.socket());
    const Message info = client.reply_to(client.send(MessageType::Info));
    EXPECT_EQ("cpu", test::text_field(info, "backend"));
    EXPECT_EQ("none", test::text_field(info, "memory_class"));
    EXPECT_EQ(health, test::text_field(info, "health"));
    EXPECT_EQ(reason, test::text_field(info, "backend_reason"));
    EXPECT_EQ(health == "degraded", daemon.log().find("no GPU runs jobs: " + reason) != std::string::npos);
    BufferOfOnes buffer(client, 4 << 20);
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
    expect_cpu_only(kAuto, "none", "ok", "no NVIDIA driver");
    expect_cpu_only("", "A", "ok", "executor.backend is cpu");
}

TEST(WithoutAGpu, TheDaemonIsDegradedIfThereShouldBeOne) {
    expect_cpu_only("[executor]\nbackend = \"gpu\"\n", "none", "degraded", "no NVIDIA driver");
    expect_cpu_only(kAuto, "unusable", "degraded",
                    "GPU 0 (guarded memory): no machine code for sm_110 in this program, which was built for sm_53");
    expect_cpu_only(kAuto + "[gpu]\ndevice = 3\n", "A", "degraded", "there is no GPU 3 (gpu.device)");
    expect_cpu_only(
        kAuto + "[gpu]\nmemory_class = \"C\"\n", "A", "degraded",
        "memory class C needs access to pageable memory, which this device does not have (gpu.memory_class)");
}

}  // namespace
}  // namespace tegu
