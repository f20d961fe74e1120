// SPDX-License-Identifier: Apache-2.0
// JOB and CANCEL from outside: results, buffers, limits, cancel, deadlines, priorities.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "tests/daemon/daemon_process.h"
#include "tests/daemon/job_check.h"
#include "tests/daemon/jobs/held_jobs.h"
#include "tests/daemon/raw_client.h"

namespace tegu {
namespace {

using test::arrays_of;
using test::compute;
using test::error_of;
using test::Message;
using test::RawClient;
using wire::MessageType;

std::vector<float> noise(std::size_t count, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values)
        value = static_cast<float>(static_cast<int>(random() % 20001) - 10000) * 0.37f;
    return values;
}

void wait_for_field(RawClient& client, const std::string& name, double value) {
    while (test::field(client.reply_to(client.send(MessageType::Stats)), name) != value) ::usleep(500);
}

class JobsTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        held_ = std::make_unique<test::HeldJobs>();
        daemon_ =
            std::make_unique<test::DaemonProcess>("[limits]\nqueued_work_ms = 3600000\n", held_->program());
    }
    static void TearDownTestSuite() {
        daemon_.reset();
        held_.reset();
    }
    static const std::string& socket() { return daemon_->socket(); }

    // Nothing of the test before runs or is held any more.
    void SetUp() override {
        RawClient client(socket());
        wait_for_field(client, "jobs_in_flight", 0);
        wait_for_field(client, "jobs_running", 0);
        wait_for_field(client, "buffers", 0);
    }
    void TearDown() override {  // a second client's jobs are right
        held_->release();
        RawClient other(socket());
        const std::vector<float> values = noise(1000);
        const wire::JobRequest request = test::reduce_request(values, statistic_bit(Statistic::Sum));
        EXPECT_EQ(compute(request.job, request.data), arrays_of(other.reply_to(other.send_job(request))));
    }

    static Message run(RawClient& client, const wire::JobRequest& request) {
        return client.reply_to(client.send_job(request));
    }

    static void expect_error(RawClient& client, const wire::JobRequest& request, Status status,
                             const std::string& field) {
        const Message message = run(client, request);
        EXPECT_EQ(status, message.header.status) << error_of(message).message;
        EXPECT_EQ(field, error_of(message).field) << error_of(message).message;
        EXPECT_EQ(Status::Ok, client.reply_to(client.send(MessageType::Ping)).header.status)
            << "the connection lives";
    }

    static std::unique_ptr<test::HeldJobs> held_;
    static std::unique_ptr<test::DaemonProcess> daemon_;
};
std::unique_ptr<test::HeldJobs> JobsTest::held_;
std::unique_ptr<test::DaemonProcess> JobsTest::daemon_;

wire::JobRequest topk_request(const std::vector<float>& values, std::uint64_t k, bool distinct = false) {
    wire::JobRequest request = test::reduce_request(values, 1);
    TopkParams params;
    params.k = k;
    params.distinct = distinct;
    request.job.params = params;
    return request;
}

wire::JobRequest entropy_request(const std::vector<float>& values, std::uint64_t rows) {
    wire::JobRequest request = test::reduce_request(values, 1);
    request.job.rows = rows;
    request.job.cols = values.size() / rows;
    request.job.params = EntropyMapParams{};
    return request;
}

TEST_F(JobsTest, InlineResultsAreThoseOfTheKernels) {
    RawClient client(socket());
    const std::vector<float> values = noise(16000);
    std::vector<float> few = noise(900);
    for (std::size_t i = 0; i < few.size(); ++i) few[i] = static_cast<float>(i % 5);
    const std::vector<wire::JobRequest> requests{test::reduce_request(values, kAllStatistics),
                                                 topk_request(values, 100), topk_request(few, 20, true),
                                                 entropy_request(values, 100)};
    for (const wire::JobRequest& request : requests) {
        if (std::holds_alternative<EntropyMapParams>(request.job.params)) {
            EXPECT_EQ(compute(request.job, request.data), arrays_of(run(client, request)));
            continue;
        }
        wire::JobRequest rows = request;
        EXPECT_EQ(compute(request.job, request.data), arrays_of(run(client, request)));
        rows.job.rows = 10;
        rows.job.cols /= 10;
        rows.job.axis = Axis::Rows;
        EXPECT_EQ(compute(rows.job, rows.data), arrays_of(run(client, rows)));
    }
}

TEST_F(JobsTest, ResultsFromBuffersIntoBuffersAreThoseOfTheKernels) {
    RawClient client(socket());
    const std::vector<float> values = noise(1 << 20);
    const test::TestBuffer input = test::create_buffer(client, values.size() * sizeof(float) + 64);
    const test::TestBuffer output = test::create_buffer(client, values.size() * sizeof(float) + 4096);
    {
        const test::SharedMemory memory(input.fd.get(), input.bytes);
        std::memcpy(memory.as<char>() + 64, values.data(), values.size() * sizeof(float));
    }
    const test::SharedMemory result(output.fd.get(), output.bytes);
    for (wire::JobRequest request : {test::reduce_request(values, kAllStatistics), topk_request(values, 5000),
                                     entropy_request(values, 1024)}) {
        const Bytes data = request.data;
        request.inputs[0].handle = input.handle;
        request.inputs[0].offset_bytes = 64;
        request.inputs[0].generation = 3;
        request.output = {output.handle, 1024, output.bytes - 1024};
        request.data = {};
        EXPECT_EQ(compute(request.job, data), arrays_of(run(client, request), result.as<std::byte>() + 1024));
    }
    const Message stats = client.reply_to(client.send(MessageType::Stats));
    EXPECT_GT(test::field(stats, "operation_entropy_map_ok_total"), 0);
    EXPECT_GT(test::field(stats, "operation_entropy_map_compute_ns_total"), 0);
}

TEST_F(JobsTest, PipelinedJobsAreEachAnsweredOnce) {
    RawClient client(socket());
    const std::vector<float> values = noise(5000);
    std::vector<std::uint64_t> ids;
    std::vector<wire::JobRequest> requests;
    for (std::size_t i = 0; i < 300; ++i) {
        std::vector<float> part(values.begin() + static_cast<std::ptrdiff_t>(i),
                                values.begin() + static_cast<std::ptrdiff_t>(1024 + 7 * i));
        wire::JobRequest request =
            test::reduce_request(part, statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Std));
        ids.push_back(client.send_job(request));
        request.data =
            Bytes(reinterpret_cast<const std::byte*>(values.data() + i), part.size() * sizeof(float));
        requests.push_back(request);
    }
    for (std::size_t i = ids.size(); i-- > 0;)
        EXPECT_EQ(compute(requests[i].job, requests[i].data), arrays_of(client.reply_to(ids[i]))) << i;
}

TEST_F(JobsTest, SeveralClientsAndAnExecutorThatIsBusy) {
    RawClient slow(socket());
    const test::SlowJob work(slow, test::kSomeWork / 2);
    const std::uint64_t first = slow.send_job(work.request(0));
    const std::uint64_t second = slow.send_job(work.request(1));
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 3; ++seed)
        threads.emplace_back([seed] {
            RawClient client(socket());
            for (unsigned i = 0; i < 50; ++i) {
                const std::vector<float> values = noise(1 + i * 97, seed);
                const wire::JobRequest request = test::reduce_request(
                    values, kAllStatistics & ~statistic_bit(Statistic::Var) & ~statistic_bit(Statistic::Std));
                EXPECT_EQ(compute(request.job, request.data), arrays_of(run(client, request)));
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Status::Ok, slow.reply_to(first).header.status);
    EXPECT_EQ(Status::Ok, slow.reply_to(second).header.status);
}

TEST_F(JobsTest, ErrorsNameTheField) {
    RawClient client(socket());
    const std::vector<float> values = noise(100);
    const test::TestBuffer buffer = test::create_buffer(client, 4096);
    const wire::JobRequest good = test::reduce_request(values, statistic_bit(Statistic::Sum));
    wire::JobRequest request = good;
    request.backend = wire::BackendChoice::Gpu;
    expect_error(client, request, Status::Unsupported, "backend");
    expect_error(client, topk_request(values, 101), Status::BadRange, "k");
    expect_error(client, topk_request(values, 0), Status::BadRange, "k");

    request = good;
    request.data = {};
    request.inputs[0].handle = 12345;
    expect_error(client, request, Status::NotFound, "inputs[0].handle");
    request.inputs[0].handle = buffer.handle;
    request.inputs[0].offset_bytes = 4096 - 100 * 4 + 4;
    expect_error(client, request, Status::BadRange, "inputs[0].offset_bytes");
    request.inputs[0].offset_bytes = UINT64_MAX - 3;
    expect_error(client, request, Status::BadRange, "inputs[0].offset_bytes");
    request.inputs[0].offset_bytes = 2;
    expect_error(client, request, Status::BadRange, "inputs[0].offset_bytes");
    request.inputs[0].offset_bytes = 0;
    request.job.rows = 2;
    request.job.cols = 50;
    request.inputs[0].row_stride = 49;
    expect_error(client, request, Status::BadRange, "inputs[0].row_stride");
    request.inputs[0].row_stride = UINT64_MAX / 2;
    expect_error(client, request, Status::BadRange, "inputs[0].offset_bytes");
    request.inputs[0].row_stride = 0;
    request.inputs[0].generation = 9;
    EXPECT_EQ(Status::Ok, run(client, request).header.status);
    request.inputs[0].generation = 8;
    expect_error(client, request, Status::BadRange, "inputs[0].generation");

    request = topk_request(values, 100);
    request.output = {777, 0, 4096};
    expect_error(client, request, Status::NotFound, "output.handle");
    request.output = {buffer.handle, 64, 4096};
    expect_error(client, request, Status::BadRange, "output.offset_bytes");
    request.output = {buffer.handle, 0, 100};
    expect_error(client, request, Status::TooLarge, "output.capacity_bytes");
    request.output = {buffer.handle, 0, 4096};
    request.data = {};
    request.inputs[0].handle = buffer.handle;
    expect_error(client, request, Status::BadRange, "output.offset_bytes");
}

TEST_F(JobsTest, AResultTooLargeForAReplySaysHowLargeItIs) {
    RawClient client(socket());
    const std::uint64_t count = 100000;
    const test::TestBuffer buffer = test::create_buffer(client, count * 4);
    wire::JobRequest request = topk_request({}, 20000);
    request.job.cols = count;
    request.inputs[0].handle = buffer.handle;
    const Message message = run(client, request);
    EXPECT_EQ(Status::TooLarge, message.header.status);
    EXPECT_GE(std::strtoull(error_of(message).allowed.c_str(), nullptr, 10), 20000u * 12u);
}

TEST_F(JobsTest, OutputsNeedABufferThatMayBeWritten) {
    RawClient client(socket());
    const std::vector<float> values = noise(100);
    const Fd fd = test::make_client_memfd(8192);
    const Message registered = client.reply_to(client.send_message(
        MessageType::BufferRegister, wire::BufferRegisterRequest{8192, wire::Access::Read}, fd.get()));
    wire::JobRequest request = topk_request(values, 10);
    request.output = {wire::decode_buffer_reply(registered.body)->handle, 0, 8192};
    expect_error(client, request, Status::Denied, "output.handle");
    const test::TestBuffer frozen = test::create_buffer(client, 8192);
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::BufferFreeze, wire::BufferRef{frozen.handle}))
                  .header.status);
    request.output.handle = frozen.handle;
    expect_error(client, request, Status::Denied, "output.handle");
}

TEST_F(JobsTest, ABufferThatAJobWritesIsBusyForOthersThatConflict) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held_->hold();
    const std::uint64_t first = client.send_job(work.request(0));
    const Message conflict = run(client, work.request(0));
    EXPECT_EQ(Status::Busy, conflict.header.status);
    EXPECT_EQ("output.offset_bytes", error_of(conflict).field);
    EXPECT_GT(error_of(conflict).retry_after_ns, 0u);
    const std::uint64_t beside = client.send_job(work.request(1));  // reads the same input, writes elsewhere
    held_->release();
    EXPECT_EQ(Status::Ok, client.reply_to(first).header.status);
    EXPECT_EQ(Status::Ok, client.reply_to(beside).header.status);
    EXPECT_EQ(Status::Ok, run(client, work.request(0)).header.status);
}

TEST_F(JobsTest, AReleasedBufferLivesUntilItsJobsEnd) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    const wire::JobRequest request = work.request(0);
    held_->hold();
    const std::uint64_t id = client.send_job(request);
    for (const std::uint64_t handle : {request.inputs[0].handle, request.output.handle})
        EXPECT_EQ(Status::Ok,
                  client.reply_to(client.send_message(MessageType::BufferRelease, wire::BufferRef{handle}))
                      .header.status);
    held_->release();
    EXPECT_EQ(Status::Ok, client.reply_to(id).header.status);
}

TEST_F(JobsTest, CancelTakesWaitingJobsOutAndStopsRunningOnes) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held_->hold();
    const std::uint64_t running = client.send_job(work.request(0));
    wait_for_field(client, "jobs_running", 1);
    const std::uint64_t waiting = client.send_job(work.request(1));
    const Message duplicate = client.reply_to(client.send(MessageType::Stats));
    EXPECT_EQ(2, test::field(duplicate, "jobs_in_flight"));
    const Message waited =
        client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{waiting}));
    ASSERT_EQ(Status::Ok, waited.header.status);
    EXPECT_FALSE(wire::decode_cancel_reply(waited.body)->was_running);
    EXPECT_EQ(Status::Cancelled, client.reply_to(waiting).header.status);
    const Message ran =
        client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{running}));
    ASSERT_EQ(Status::Ok, ran.header.status);
    EXPECT_TRUE(wire::decode_cancel_reply(ran.body)->was_running);
    EXPECT_EQ(Status::Cancelled, client.reply_to(running).header.status);
    const Message unknown =
        client.reply_to(client.send_message(MessageType::Cancel, wire::CancelRequest{running}));
    EXPECT_EQ(Status::NotFound, unknown.header.status);
    EXPECT_EQ("target_id", error_of(unknown).field);
}

TEST_F(JobsTest, ARequestIdInUseIsRefusedAndTheFirstJobIsAnswered) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held_->hold();
    wire::FrameHeader header;
    header.type = MessageType::Job;
    header.priority = wire::Priority::Normal;
    header.request_id = 4711;
    wire::ByteBuffer body;
    wire::encode(work.request(0), body);
    client.send(header, body);
    client.send(header, body);
    EXPECT_EQ(Status::DuplicateId, client.reply_to(4711).header.status);
    held_->release();
    EXPECT_EQ(Status::Ok, client.reply_to(4711).header.status);
}

TEST_F(JobsTest, DeadlinesEndJobsThatWaitAndJobsThatRun) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held_->hold();
    const std::uint64_t running = client.send_job(work.request(0), wire::Priority::Normal, 20'000'000);
    const std::uint64_t waiting = client.send_job(work.request(1), wire::Priority::Normal, 1'000'000);
    EXPECT_EQ(Status::DeadlineExceeded, client.reply_to(waiting).header.status);
    EXPECT_EQ(Status::DeadlineExceeded, client.reply_to(running).header.status);
    const std::vector<float> values = noise(100);
    const std::uint64_t small = client.send_job(test::reduce_request(values, 1), wire::Priority::Normal, 1);
    EXPECT_EQ(Status::DeadlineExceeded, client.reply_to(small).header.status);
    const std::uint64_t relaxed =
        client.send_job(test::reduce_request(values, 1), wire::Priority::Normal, UINT64_MAX);
    EXPECT_EQ(Status::Ok, client.reply_to(relaxed).header.status);
}

TEST_F(JobsTest, HighPriorityOvertakes) {
    RawClient client(socket());
    const test::SlowJob work(client, test::kSomeWork / 4);
    held_->hold();
    const std::uint64_t running = client.send_job(work.request(0), wire::Priority::Low);
    // only then is it before the others, and it is there until all wait
    wait_for_field(client, "jobs_running", 1);
    const std::uint64_t low = client.send_job(work.request(1), wire::Priority::Low);
    const std::uint64_t normal = client.send_job(work.request(2), wire::Priority::Normal);
    const std::uint64_t high = client.send_job(work.request(3), wire::Priority::High);
    wait_for_field(client, "jobs_waiting", 3);
    held_->release();
    std::vector<std::uint64_t> order;
    for (int i = 0; i < 4; ++i) order.push_back(client.receive()->header.request_id);
    EXPECT_EQ((std::vector<std::uint64_t>{running, high, normal, low}), order);
}

TEST_F(JobsTest, AClientThatDiesMidJobLeavesNothingBehind) {
    {
        RawClient client(socket());
        const test::SlowJob work(client, test::kSomeWork / 2);
        held_->hold();
        for (std::uint64_t slot = 0; slot < 3; ++slot) client.send_job(work.request(slot));
        EXPECT_EQ(3, test::field(client.reply_to(client.send(MessageType::Stats)), "jobs_in_flight"));
    }
    RawClient other(socket());
    for (int i = 0; i < 12000; ++i) {
        const Message stats = other.reply_to(other.send(MessageType::Stats));
        if (test::field(stats, "jobs_in_flight") == 0 && test::field(stats, "buffers") == 0) return;
        ::usleep(5000);
    }
    FAIL() << "jobs or buffers of a dead client are still there";
}

TEST(JobLimits, QuotasAndABusyQueue) {
    const test::HeldJobs held;
    held.hold();
    const test::DaemonProcess daemon(
        "[limits]\nqueued_work_ms = 3600000\njobs_in_flight_per_connection = 3\njobs_per_uid = "
        "4\nqueued_jobs = "
        "2\nbuffers_per_connection = "
        "2\nconnections_per_uid = 2\n",
        held.program());
    RawClient client(daemon.socket());
    EXPECT_EQ(3u, client.hello.max_jobs_in_flight);
    const test::SlowJob work(client, test::kSomeWork / 2);
    const std::uint64_t first = client.send_job(work.request(0));
    // The executor takes the first before the others come.
    wait_for_field(client, "jobs_running", 1);
    client.send_job(work.request(1));
    client.send_job(work.request(2));
    const Message busy = client.reply_to(client.send_job(work.request(3)));
    EXPECT_EQ(Status::Busy, busy.header.status);
    EXPECT_EQ("limits.queued_jobs", error_of(busy).field);
    EXPECT_GE(error_of(busy).retry_after_ns, 1'000'000u);
    EXPECT_LE(error_of(busy).retry_after_ns, 1'000'000'000u);
    const Message buffers =
        client.reply_to(client.send_message(MessageType::BufferCreate, wire::BufferCreateRequest{4096}));
    EXPECT_EQ(Status::OverQuota, buffers.header.status);
    EXPECT_EQ("limits.buffers_per_connection", error_of(buffers).field);
    RawClient second(daemon.socket());
    RawClient third(daemon.socket(), false);
    const std::optional<Message> refused = third.receive();
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(MessageType::Event, refused->header.type);
    EXPECT_EQ(Status::OverQuota, refused->header.status);
    EXPECT_EQ("limits.connections_per_uid", error_of(*refused).field);
    EXPECT_TRUE(third.at_end());
    client.send_message(MessageType::Cancel, wire::CancelRequest{first});
    EXPECT_EQ(Status::Cancelled, client.reply_to(first).header.status);
}

}  // namespace
}  // namespace tegu
