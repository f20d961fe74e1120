// SPDX-License-Identifier: Apache-2.0
// What ends or delays a job: a daemon that is busy, deadlines, the time to wait, and cancelling.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

// As run(), of a job that is on the wire before its deadline is looked at, however late that is.
tc::Expected<tc::Result> run_late(tc::Client& client, const tc::Request& request) {
    const tc::Expected<std::uint64_t> id = client.submit(request);
    if (!id) return id.error();
    const tc::Expected<void> sent = client.flush();
    if (!sent) return sent.error();
    return client.wait(*id);
}

TEST(ClientPartials, AreRefusedIfTheDaemonIsOlder) {
    FakeServer server({[](Connection& connection) {
        connection.hello.features = wire::kAllFeatures & ~std::uint64_t{wire::kFeaturePartials};
        connection.serve();
    }});
    tc::Client client = connected(server);
    OneValue job(5);
    job.request.params.reduce.partial = 1;
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_UNSUPPORTED);
    EXPECT_EQ(result.error().field, "partial");
    job.request.params.reduce.partial = 0;
    EXPECT_TRUE(client.run(job.request).ok());
}

TEST(ClientBusy, IsRetriedAfterTheHint) {
    constexpr std::uint64_t kHint = 20 * kMillisecond;
    FakeServer server({[](Connection& connection) {
        connection.greet();
        int refusals = 3;
        while (std::optional<Request> request = connection.read())
            if (refusals-- > 0)
                connection.fail(*request, Status::Busy, kHint);
            else
                connection.answer(*request);
    }});
    tc::Client client = connected(server);
    OneValue job(5);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->number(kSum), 5.0);
    EXPECT_GE(result->timing().round_trip_ns, 3 * kHint);
}

TEST(ClientBusy, IsTheCallersIfSwitchedOff) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read())
            connection.fail(*request, Status::Busy, 7 * kMillisecond);
    }});
    tc::Options options = options_for(server);
    options.busy_retry = false;
    tc::Client client = connected(server, options);
    OneValue job(5);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_BUSY);
    EXPECT_EQ(result.error().retry_after_ns, 7 * kMillisecond);
    EXPECT_TRUE(result.error().retryable());
}

TEST(ClientBusy, IsTheCallersIfTheHintIsBeyondTheDeadline) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read())
            connection.fail(*request, Status::Busy, UINT64_MAX);
    }});
    tc::Client client = connected(server);
    OneValue job(5);
    tc::Expected<tc::Result> result = client.run(job.request.deadline(60000 * kMillisecond));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_BUSY);
}

TEST(ClientBusy, ABufferIsAskedForAgain) {
    constexpr std::uint64_t kHint = 20 * kMillisecond;
    for (const bool retry : {true, false}) {
        FakeServer server({[](Connection& connection) {
            connection.greet();
            int refusals = 3;
            while (std::optional<Request> request = connection.read())
                if (request->header.type == wire::MessageType::BufferCreate && refusals-- > 0)
                    connection.fail(*request, Status::Busy, kHint);
                else
                    connection.answer(*request);
        }});
        tc::Options options = options_for(server);
        options.busy_retry = retry;
        tc::Client client = connected(server, options);
        const auto begin = std::chrono::steady_clock::now();
        tc::Expected<tc::Buffer> buffer = client.create_buffer(4096);
        EXPECT_EQ(retry, buffer.ok());
        if (retry)
            EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::nanoseconds(3 * kHint));
        else
            EXPECT_EQ(TEGU_BUSY, buffer.error().status);
    }
}

TEST(ClientDeadline, IsEnforcedHereAndTheLateReplyIgnored) {
    std::atomic<int> cancels{0};
    FakeServer server({[&cancels](Connection& connection) {
        connection.greet();
        std::optional<Request> late;
        while (std::optional<Request> request = connection.read()) {
            if (request->header.type == wire::MessageType::Cancel) ++cancels;
            if (!late && request->header.type == wire::MessageType::Job) {
                EXPECT_GT(request->header.deadline_ns, 0u);
                EXPECT_LE(request->header.deadline_ns, 100 * kMillisecond);
                late = std::move(request);
                continue;
            }
            if (late && request->header.type == wire::MessageType::Job) connection.answer(*late);
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    OneValue job(5);
    const tc::Expected<tc::Result> result = run_late(client, job.request.deadline(100 * kMillisecond));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_DEADLINE_EXCEEDED);
    for (int i = 0; i < 3; ++i) expect_works(client);
    EXPECT_EQ(cancels, 1);
    EXPECT_EQ(client.reconnects(), 0u);
}

TEST(ClientDeadline, HoldsWhileTheDaemonIsAway) {
    auto server = std::make_unique<FakeServer>(std::vector<FakeServer::Script>{[](Connection& connection) {
        connection.greet();
        connection.read();
    }});
    tc::Client client = connected(*server);
    OneValue job(5);
    const std::uint64_t id = *client.submit(job.request.deadline(100 * kMillisecond));
    ASSERT_TRUE(client.flush().ok());
    server.reset();
    tc::Expected<tc::Result> result = client.wait(id);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_DEADLINE_EXCEEDED);
}

TEST(ClientDeadline, TimeToWaitEndsAndTheJobGoesOn) {
    std::atomic<bool> go{false};
    FakeServer server({[&go](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    const std::uint64_t id = *client.submit(OneValue(8).request);
    for (const int timeout_ms : {0, 1, 20}) {
        EXPECT_EQ(client.wait(id, timeout_ms).error().status, TEGU_DEADLINE_EXCEEDED);
        EXPECT_EQ(client.wait_any(timeout_ms).id, 0u);
    }
    go = true;
    EXPECT_EQ(client.wait(id)->number(kSum), 8.0);
    EXPECT_EQ(client.wait(id, 0).error().status, TEGU_NOT_FOUND);
}

TEST(ClientDeadline, AConnectionOnWhichNothingIsAnsweredIsGivenUp) {
    FakeServer server({[](Connection& connection) {
                           connection.hello.max_jobs_in_flight = 2;
                           connection.greet();
                           while (connection.read()) continue;
                       },
                       serve});
    tc::Client client = connected(server);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(run_late(client, OneValue(i).request.deadline(100 * kMillisecond)).error().status,
                  TEGU_DEADLINE_EXCEEDED);
    expect_works(client);
    EXPECT_EQ(client.reconnects(), 1u);
}

TEST(ClientCancel, OfAJobOnTheWire) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        std::optional<Request> job;
        while (std::optional<Request> request = connection.read()) {
            if (request->header.type == wire::MessageType::Job && !job) {
                job = std::move(request);
                continue;
            }
            if (request->header.type == wire::MessageType::Cancel) {
                EXPECT_EQ(wire::decode_cancel_request(request->body)->target_id, job->header.request_id);
                connection.fail(*job, Status::Cancelled);
            }
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    const std::uint64_t id = *client.submit(OneValue(8).request);
    ASSERT_TRUE(client.flush().ok());
    ASSERT_TRUE(client.cancel(id).ok());
    ASSERT_TRUE(client.cancel(id).ok());
    EXPECT_EQ(client.wait(id).error().status, TEGU_CANCELLED);
    EXPECT_EQ(client.cancel(id).error().status, TEGU_NOT_FOUND);
    expect_works(client);
}

TEST(ClientCancel, OfAJobThatWasNotSent) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    const std::uint64_t id = *client.submit(OneValue(8).request);
    ASSERT_TRUE(client.cancel(id).ok());
    EXPECT_EQ(client.wait(id).error().status, TEGU_CANCELLED);
    expect_works(client);
}

}  // namespace
}  // namespace tegu::test
