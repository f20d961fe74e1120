// SPDX-License-Identifier: Apache-2.0
// Very large jobs in pieces on several GPUs: the bytes and the errors of the CPU, and no trace of the pieces
// where one fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;
using wire::MessageType;

// Whatever can be divided is.
const std::string kDivide = kAuto + "threads = 1\n[gpu]\ndevices = \"all\"\ndivide_us = 1\n";

bool is_divided(const Message& reply) {
    return policy_of(reply).find("gpus=") == 0;
}

// A buffer of noise, as any element type; floats are finite.
class Noise {
  public:
    Noise(RawClient& client, std::uint64_t bytes, ElementType type = ElementType::U8)
        : buffer_(create_buffer(client, bytes)), values_(buffer_.fd.get(), bytes) {
        std::uint32_t state = 1;
        for (std::uint64_t i = 0; i < bytes; ++i) {
            state = state * 1664525u + 1013904223u;
            std::uint8_t byte = static_cast<std::uint8_t>(state >> 24);
            if (is_float(type) && i % element_bytes(type) == element_bytes(type) - 1)
                byte &= 0xbf;  // no large exponent
            values_.as<std::uint8_t>()[i] = byte;
        }
    }
    std::uint64_t handle() const { return buffer_.handle; }
    template <class T>
    T* as() const {
        return values_.as<T>();
    }

  private:
    TestBuffer buffer_;
    SharedMemory values_;
};

wire::JobRequest request_of(const Noise& input, ElementType type, std::uint64_t rows, std::uint64_t cols,
                            Axis axis, JobParams params) {
    wire::JobRequest request;
    request.job.type = type;
    request.job.rows = rows;
    request.job.cols = cols;
    request.job.axis = axis;
    request.job.params = std::move(params);
    request.inputs[0].handle = input.handle();
    return request;
}

class DividedJobs : public GpuJobs {
  public:
    using GpuJobs::hold;
    using GpuJobs::release;

  protected:
    void SetUp() override {
        start(kDivide, GetParam() + "," + GetParam());
        if (IsSkipped()) return;
        RawClient client(socket());
        if (on_cuda() && field(info_of(client), "gpus") < 2) GTEST_SKIP() << "one GPU";
    }
    // The same as on the CPU, as a result in the reply.
    void expect_same(RawClient& client, wire::JobRequest request, bool divided) {
        request.backend = BackendChoice::Cpu;
        const Message cpu = run(client, request);
        request.backend = BackendChoice::Gpu;
        const Message gpu = run(client, request);
        ASSERT_EQ(cpu.header.status, gpu.header.status) << error_of(gpu).message;
        if (cpu.header.status != Status::Ok) {
            EXPECT_EQ(error_of(cpu).message, error_of(gpu).message);
            return;
        }
        EXPECT_EQ(divided, is_divided(gpu)) << policy_of(gpu);
        EXPECT_EQ(arrays_of(cpu), arrays_of(gpu, nullptr, wire::Backend::Gpu)) << policy_of(gpu);
    }
    // The same, in a buffer of an output: and nothing around it.
    void expect_same_in(RawClient& client, wire::JobRequest request, std::uint64_t bytes) {
        Noise one(client, bytes + 128), two(client, bytes + 128);
        request.output = {one.handle(), 64, bytes};
        request.backend = BackendChoice::Cpu;
        const Message cpu = run(client, request);
        ASSERT_EQ(Status::Ok, cpu.header.status) << error_of(cpu).message;
        request.output.handle = two.handle();
        request.backend = BackendChoice::Gpu;
        const Message gpu = run(client, request);
        ASSERT_EQ(Status::Ok, gpu.header.status) << error_of(gpu).message;
        EXPECT_TRUE(is_divided(gpu)) << policy_of(gpu);
        EXPECT_EQ(0, std::memcmp(one.as<std::byte>(), two.as<std::byte>(), bytes + 128));
    }
};

TEST_P(DividedJobs, GiveTheBytesOfTheCpu) {
    RawClient client(socket());
    constexpr std::uint64_t kRows = 301, kCols = 500;
    const Noise bytes(client, kRows * kCols * 4), floats(client, kRows * kCols * 4, ElementType::F32);
    EntropyMapParams map;
    map.window_rows = 63;
    for (const Border border : {Border::Clip, Border::Mirror}) {
        map.border = border;
        map.has_range = false;
        const wire::JobRequest image = request_of(bytes, ElementType::U8, kRows, kCols, Axis::Whole, map);
        expect_same_in(client, image, kRows * kCols * 4);
        map.has_range = true;
        map.lo = -2;
        map.hi = 2;
        expect_same_in(client, request_of(floats, ElementType::F32, kRows, kCols, Axis::Whole, map),
                       kRows * kCols * 4);
    }
    expect_same(client, request_of(bytes, ElementType::U8, 80, 100, Axis::Whole, map), true);
    const ReduceParams all{kAllStatistics, false, 0};
    expect_same(client, request_of(floats, ElementType::F32, kRows, kCols, Axis::Rows, all), true);
    expect_same(client, request_of(bytes, ElementType::I16, kRows, kCols, Axis::Rows, all), true);
    expect_same(client, request_of(bytes, ElementType::U8, 2, 100 * kCols, Axis::Rows, all), true);
}

TEST_P(DividedJobs, OfAWholeArrayGiveTheBytesOfTheCpu) {
    RawClient client(socket());
    constexpr std::uint64_t kCount = (1 << 20) + 77;
    const Noise bytes(client, kCount * 4), floats(client, kCount * 4, ElementType::F32);
    StatisticSet joined = kAllStatistics;
    for (const Statistic statistic : {Statistic::L2, Statistic::Var, Statistic::Std})
        joined &= ~statistic_bit(statistic);
    for (const bool skip_nans : {false, true}) {
        const ReduceParams params{joined, skip_nans, 0};
        expect_same(client, request_of(floats, ElementType::F32, 1, kCount, Axis::Whole, params), true);
        expect_same(client, request_of(bytes, ElementType::I32, 1, kCount, Axis::Whole, params), true);
        expect_same(client, request_of(bytes, ElementType::U8, 4, kCount, Axis::Whole, params), true);
    }
    floats.as<std::uint32_t>()[kCount - 5] = 0x7fc00000;  // NaN
    expect_same(client,
                request_of(floats, ElementType::F32, 1, kCount, Axis::Whole, ReduceParams{joined, false, 0}),
                true);
}

TEST_P(DividedJobs, WhatCannotBeDividedIsWhole) {
    RawClient client(socket());
    const Noise floats(client, 1 << 20, ElementType::F32);
    const ReduceParams all{kAllStatistics, false, 0};
    TopkParams topk;
    topk.k = 10;
    expect_same(client, request_of(floats, ElementType::F32, 1, 1 << 18, Axis::Whole, all), false);
    expect_same(client, request_of(floats, ElementType::F32, 64, 100, Axis::Whole, EntropyMapParams{}),
                false);
    expect_same(client, request_of(floats, ElementType::F32, 1, 1 << 18, Axis::Whole, topk), false);
}

TEST_P(DividedJobs, AnErrorOfTheDataIsThatOfTheWhole) {
    RawClient client(socket());
    const Noise sums(client, 8 * 300 * 100);
    for (std::uint64_t i = 0; i < 300 * 100; ++i) sums.as<std::uint64_t>()[i] = 1;
    for (std::uint64_t i = 0; i < 3; ++i) sums.as<std::uint64_t>()[250 * 100 + i] = std::uint64_t{1} << 62;
    const ReduceParams sum{statistic_bit(Statistic::Sum), false, 0};
    expect_same(client, request_of(sums, ElementType::U64, 300, 100, Axis::Rows, sum), true);
    sums.as<std::uint64_t>()[250 * 100 + 4] = std::uint64_t{1} << 63;
    wire::JobRequest request = request_of(sums, ElementType::U64, 300, 100, Axis::Rows, sum);
    request.backend = BackendChoice::Gpu;
    const Message reply = run(client, request);
    EXPECT_EQ(Status::Overflow, reply.header.status);
    EXPECT_NE(std::string::npos, error_of(reply).message.find("250")) << error_of(reply).message;
    expect_same(client, request, true);
    expect_same(client, request_of(sums, ElementType::U64, 200, 100, Axis::Rows, sum), true);
}

TEST_P(DividedJobs, AreCancelledAndOverdueLikeOthers) {
    if (on_cuda()) GTEST_SKIP() << "too fast to be stopped on purpose";
    RawClient client(socket());
    const SlowJob work(client, 2 * kSomeWork);
    wire::JobRequest slow = work.request(0);
    slow.backend = BackendChoice::Gpu;
    hold();
    const std::uint64_t cancelled = client.send_job(slow);
    while (field(stats_of(client), "jobs_running") != 2) ::usleep(500);
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{cancelled}))
                  .header.status);
    release();
    EXPECT_EQ(Status::Cancelled, client.reply_to(cancelled).header.status);
    const std::uint64_t late = client.send_job(slow, wire::Priority::Normal, 20'000'000);
    EXPECT_EQ(Status::DeadlineExceeded, client.reply_to(late).header.status);
    {
        RawClient leaves(socket());
        const SlowJob left(leaves, kSomeWork);
        slow = left.request(0);
        slow.backend = BackendChoice::Gpu;
        hold();
        (void)leaves.send_job(slow);
        while (field(stats_of(client), "jobs_running") != 2) ::usleep(500);
    }
    release();
    while (field(stats_of(client), "jobs_in_flight") != 0) ::usleep(500);
    BufferOfOnes buffer(client, 100000);
    EXPECT_EQ(100000, buffer.sum(0));
    EXPECT_EQ(0, field(stats_of(client), "gpu_fallbacks_total"));
}

// A job of which each GPU has several pieces, and on each GPU a held one that overtakes those that wait.
class Overtaken {
  public:
    Overtaken(RawClient& client, const DividedJobs& test)
        : client_(client), test_(test), zeros_(create_buffer(client, kBytes)), work_(client, kSomeWork) {}
    // Returns the id of the divided one, which `of` sends.
    std::uint64_t send(RawClient& of, std::uint64_t handle, std::uint64_t deadline_ns = 0) {
        wire::JobRequest request;
        request.backend = BackendChoice::Gpu;
        request.job.type = ElementType::F32;
        request.job.rows = 1;
        request.job.cols = kBytes / 4;
        request.job.params =
            ReduceParams{statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Argmax), false, 0};
        request.inputs[0].handle = handle;
        test_.hold();
        const std::uint64_t divided = of.send_job(request, wire::Priority::Normal, deadline_ns);
        for (const std::uint64_t slot : {0, 1}) {
            wire::JobRequest slow = work_.request(slot);
            slow.backend = BackendChoice::Gpu;
            blockers_.push_back(client_.send_job(slow, wire::Priority::High));
        }
        return divided;
    }
    std::uint64_t handle() const { return zeros_.handle; }
    void expect_blockers_in_flight() {
        for (const std::uint64_t blocker : blockers_) {
            const wire::CancelRequest cancel{blocker};
            EXPECT_EQ(Status::Ok,
                      client_.reply_to(client_.send_message(MessageType::Cancel, cancel)).header.status);
        }
        test_.release();
        for (const std::uint64_t blocker : blockers_)
            EXPECT_EQ(Status::Cancelled, client_.reply_to(blocker).header.status);
        blockers_.clear();
    }
    static constexpr std::uint64_t kBytes = 1 << 26;

  private:
    RawClient& client_;
    const DividedJobs& test_;
    TestBuffer zeros_;
    SlowJob work_;
    std::vector<std::uint64_t> blockers_;
};

TEST_P(DividedJobs, EndWhileTheirPiecesWait) {
    if (on_cuda()) GTEST_SKIP() << "too fast to be stopped on purpose";
    RawClient client(socket());
    Overtaken jobs(client, *this);
    const std::uint64_t cancelled = jobs.send(client, jobs.handle());
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{cancelled}))
                  .header.status);
    EXPECT_EQ(Status::Cancelled, client.reply_to(cancelled).header.status);
    jobs.expect_blockers_in_flight();
    EXPECT_EQ(Status::DeadlineExceeded,
              client.reply_to(jobs.send(client, jobs.handle(), 20'000'000)).header.status);
    jobs.expect_blockers_in_flight();
    {
        RawClient leaves(socket());
        (void)jobs.send(leaves, create_buffer(leaves, Overtaken::kBytes).handle);
        (void)stats_of(leaves);  // it has come
    }
    while (field(stats_of(client), "jobs_in_flight") > 2) ::usleep(500);
    jobs.expect_blockers_in_flight();
    EXPECT_EQ(0, field(stats_of(client), "jobs_waiting"));
}

INSTANTIATE_TEST_SUITE_P(Memory, DividedJobs, testing::Values("A", "B", "C", "discrete"),
                         [](const auto& each) { return each.param; });

// Sums of rows of ones; whether they are right, and what ran them.
Message sums_of_rows(const std::string& socket, BackendChoice backend) {
    RawClient client(socket);
    wait_until_probed(client);
    BufferOfOnes buffer(client, 1 << 20);
    wire::JobRequest request = buffer.request();
    request.job.axis = Axis::Rows;
    request.job.rows = 1 << 10;
    request.job.cols = 1 << 10;
    request.backend = backend;
    request.inputs[0].generation = 1;
    Message reply = run(client, request);
    EXPECT_EQ(Status::Ok, reply.header.status) << error_of(reply).message;
    const Arrays arrays = arrays_of(reply, nullptr, backend_of(reply));
    EXPECT_EQ(8u << 10, arrays.at(0).size());
    for (std::size_t row = 0; row < 1 << 10; ++row) {
        std::int64_t sum = 0;
        std::memcpy(&sum, arrays[0].data() + row * 8, 8);
        EXPECT_EQ(1 << 10, sum) << row;
    }
    return reply;
}

TEST(DividedJobsFail, OnOneGpuAndRunOnTheOther) {
    DaemonProcess daemon(kDivide, guarded("A,A", "oom1:/"));
    const Message reply = sums_of_rows(daemon.socket(), BackendChoice::Gpu);
    EXPECT_FALSE(is_divided(reply)) << policy_of(reply);
    EXPECT_EQ(wire::Backend::Gpu, backend_of(reply));
}

TEST(DividedJobsFail, OnAllGpusAndRunOnTheCpu) {
    DaemonProcess daemon(kProbe + kDivide, guarded("B,B", "oom:/", kFast));
    const Message reply = sums_of_rows(daemon.socket(), BackendChoice::Auto);
    EXPECT_EQ(wire::Backend::Cpu, backend_of(reply));
    EXPECT_NE(std::string::npos, policy_of(reply).find("not on the GPU")) << policy_of(reply);
}

TEST(DividedJobsFail, WithTheDeviceThatIsLost) {
    DaemonProcess daemon(kDivide, guarded("B,B", "lost1:/"));
    RawClient client(daemon.socket());
    BufferOfOnes buffer(client, 1 << 20);
    const Message reply = run(client, buffer.request());
    EXPECT_EQ(Status::DeviceLost, reply.header.status) << error_of(reply).message;
    EXPECT_EQ(70, daemon.wait());
}

}  // namespace
}  // namespace tegu::test
