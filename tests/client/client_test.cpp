// SPDX-License-Identifier: Apache-2.0
// The library against a server that does what a daemon should not, or that dies. Every test ends with a right result on the
// same client wherever one is still possible.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

TEST(ClientConnect, NobodyListensSaysSo) {
    tc::Options options;
    options.socket_path = "/tmp/tegu-no-such-socket";
    tc::Expected<tc::Client> client = tc::Client::connect(options);
    ASSERT_FALSE(client.ok());
    EXPECT_EQ(client.error().status, TEGU_UNAVAILABLE);
    EXPECT_EQ(client.error().exit_code(), 69);
    EXPECT_NE(client.error().message.find("/tmp/tegu-no-such-socket"), std::string::npos);
}

TEST(ClientConnect, PathTooLongNamesTheField) {
    tc::Options options;
    options.socket_path = "/" + std::string(200, 'x');
    tc::Expected<tc::Client> client = tc::Client::connect(options);
    ASSERT_FALSE(client.ok());
    EXPECT_EQ(client.error().status, TEGU_BAD_REQUEST);
    EXPECT_EQ(client.error().field, "socket_path");
}

TEST(ClientConnect, HelloRefusedIsPassedOn) {
    FakeServer server({[](Connection& connection) {
        std::optional<Request> request = connection.read();
        if (request) connection.fail(*request, Status::Denied);
    }});
    tc::Options options = options_for(server);
    options.connect_ms = 5000;  // not used up: a refusal is final
    tc::Expected<tc::Client> client = tc::Client::connect(options);
    ASSERT_FALSE(client.ok());
    EXPECT_EQ(client.error().status, TEGU_DENIED);
    EXPECT_EQ(client.error().field, "a_field");
    EXPECT_EQ(client.error().allowed, "1..2");
    EXPECT_EQ(server.connections(), 1u);
}

TEST(ClientConnect, VersionThatNobodyKnowsIsRefused) {
    FakeServer server({[](Connection& connection) {
        connection.hello.version = 9;
        connection.greet();
        connection.read();
    }});
    tc::Expected<tc::Client> client = tc::Client::connect(options_for(server));
    ASSERT_FALSE(client.ok());
    EXPECT_EQ(client.error().status, TEGU_BAD_VERSION);
    EXPECT_EQ(client.error().field, "version");
}

TEST(ClientConnect, WaitsForADaemonThatRefusesAtFirst) {
    FakeServer server({[](Connection& connection) { connection.drop(); },
                       [](Connection& connection) {
                           std::optional<Request> request = connection.read();
                           if (request) connection.fail(*request, Status::OverQuota);
                       },
                       serve});
    tc::Options options = options_for(server);
    options.connect_ms = 20000;
    tc::Client client = connected(server, options);
    expect_works(client);
    EXPECT_EQ(server.connections(), 3u);
    EXPECT_EQ(client.reconnects(), 0u);
}

TEST(ClientConnect, AnotherUidIsDenied) {
    FakeServer server({serve});
    tc::Options options = options_for(server);
    options.server_uid = static_cast<std::int64_t>(geteuid()) + 1;
    tc::Expected<tc::Client> client = tc::Client::connect(options);
    ASSERT_FALSE(client.ok());
    EXPECT_EQ(client.error().status, TEGU_DENIED);
    EXPECT_EQ(client.error().field, "server_uid");
    options.server_uid = geteuid();
    EXPECT_TRUE(tc::Client::connect(options).ok());
}

TEST(ClientStream, TruncatedReplyIsReplayed) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           std::optional<Request> request = connection.read();
                           if (!request) return;
                           std::vector<std::byte> bytes = connection.computed(*request);
                           bytes.resize(bytes.size() / 2);
                           connection.send(bytes);
                       },
                       serve});
    tc::Client client = connected(server);
    expect_works(client);
    EXPECT_EQ(client.reconnects(), 1u);
}

TEST(ClientStream, GarbageIsReplayedElsewhere) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           connection.read();
                           connection.send_text(std::string(5000, 'x'));
                           connection.read();
                       },
                       serve});
    tc::Client client = connected(server);
    expect_works(client);
    EXPECT_EQ(client.reconnects(), 1u);
}

TEST(ClientStream, ReplyOneByteAtATime) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read())
            for (const std::byte byte : connection.computed(*request)) connection.send({byte});
    }});
    tc::Client client = connected(server);
    for (int i = 0; i < 20; ++i) expect_works(client);
    EXPECT_EQ(client.reconnects(), 0u);
}

TEST(ClientStream, AnswersToNothingAreIgnored) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            Request other{request->header, request->body, Fd()};
            for (const std::uint64_t id : {std::uint64_t{1}, request->header.request_id + 1, UINT64_MAX}) {
                other.header.request_id = id;
                connection.answer(other);
                connection.fail(other, Status::Internal);
            }
            other.header = request->header;
            other.header.type = wire::MessageType::Ping;
            connection.reply_empty(other);  // the right id, the wrong type
            connection.answer(*request);
            connection.answer(*request);  // twice
        }
    }});
    tc::Client client = connected(server);
    for (int i = 0; i < 20; ++i) expect_works(client);
    ASSERT_TRUE(client.ping().ok());
    EXPECT_EQ(client.reconnects(), 0u);
}

TEST(ClientStream, ReplyThatCannotBeReadFailsOnlyItsJob) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        bool first = true;
        while (std::optional<Request> request = connection.read()) {
            if (first)
                connection.reply(*request, wire::CancelReply{true});  // a body that is no result
            else
                connection.answer(*request);
            first = false;
        }
    }});
    tc::Client client = connected(server);
    OneValue job(3);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_INTERNAL);
    expect_works(client);
}

TEST(ClientJobs, RepliesInReverseOrder) {
    constexpr int kJobs = 50;
    FakeServer server({[](Connection& connection) {
        connection.greet();
        std::vector<std::vector<std::byte>> replies;
        while (std::optional<Request> request = connection.read()) {
            replies.push_back(connection.computed(*request));
            if (replies.size() != kJobs) continue;
            for (auto reply = replies.rbegin(); reply != replies.rend(); ++reply) connection.send(*reply);
            replies.clear();
        }
    }});
    tc::Client client = connected(server);
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < kJobs; ++i) ids.push_back(*client.submit(OneValue(i).request));
    for (int i = 0; i < kJobs; ++i) EXPECT_EQ(client.wait(ids[static_cast<std::size_t>(i)])->number(kSum), i);
    std::vector<std::uint64_t> again, done;
    for (int i = 0; i < kJobs; ++i) again.push_back(*client.submit(OneValue(i).request));
    for (int i = 0; i < kJobs; ++i) done.push_back(client.wait_any().id);
    EXPECT_TRUE(std::is_permutation(again.begin(), again.end(), done.begin()));
    const tc::Done none = client.wait_any();
    EXPECT_EQ(none.id, 0u);
    EXPECT_EQ(none.result.error().status, TEGU_NOT_FOUND);
}

TEST(ClientJobs, NoMoreOnTheWireThanAllowed) {
    std::atomic<std::size_t> most{0};
    FakeServer server({[&most](Connection& connection) {
        connection.hello.max_jobs_in_flight = 4;
        connection.greet();
        std::vector<Request> held;
        while (std::optional<Request> request = connection.read()) {
            held.push_back(std::move(*request));
            most = std::max(most.load(), held.size());
            if (held.size() < 4) continue;
            for (const Request& one : held) connection.answer(one);
            held.clear();
        }
    }});
    tc::Client client = connected(server);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(client.submit(OneValue(i).request).ok());
    double total = 0;
    for (int i = 0; i < 1000; ++i) total += client.wait_any().result->number(kSum).value_or(-1e9);
    EXPECT_EQ(total, 999.0 * 1000 / 2);
    EXPECT_EQ(most, 4u);
}

TEST(ClientJobs, ASocketThatIsFullTakesTheRestLater) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    const std::vector<std::uint8_t> x(60001, 1);
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 100; ++i)
        ids.push_back(*client.submit(tc::Request::reduce(x.data(), x.size() - i, TEGU_STAT_SUM)));
    for (std::size_t i = 0; i < ids.size(); ++i)
        EXPECT_EQ(client.wait(ids[i])->number(kSum), static_cast<double>(x.size() - i));
}

TEST(ClientJobs, SignalsDoNotDisturb) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    static std::atomic<int> signals{0};
    struct sigaction action {};
    action.sa_handler = [](int) { ++signals; };  // without SA_RESTART: every wait is interrupted
    struct sigaction before;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    std::atomic<bool> stop{false};
    const pthread_t self = pthread_self();
    std::thread sender([&stop, self] {
        while (!stop) {
            pthread_kill(self, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(client.run(OneValue(i).request.deadline(10000 * kMillisecond))->number(kSum), i);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(client.run(OneValue(i).request)->number(kSum), i);
    stop = true;
    sender.join();
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_GT(signals, 0);
    EXPECT_EQ(client.reconnects(), 0u);
}

TEST(ClientJobs, LostMidJobIsReplayedInOrder) {
    std::vector<double> order;
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           std::vector<Request> held;
                           for (int i = 0; i < 20; ++i) held.push_back(std::move(*connection.read()));
                           for (const int i : {3, 11, 19}) connection.answer(held[static_cast<std::size_t>(i)]);
                       },
                       [&order](Connection& connection) {
                           connection.greet();
                           while (std::optional<Request> request = connection.read()) {
                               double value;
                               std::memcpy(&value, wire::decode_job_request(request->body)->data.data(), sizeof value);
                               order.push_back(value);
                               connection.answer(*request);
                           }
                       }});
    {
        tc::Client client = connected(server);
        std::vector<std::uint64_t> ids;
        for (int i = 0; i < 20; ++i) ids.push_back(*client.submit(OneValue(i).request));
        for (int i = 0; i < 20; ++i) EXPECT_EQ(client.wait(ids[static_cast<std::size_t>(i)])->number(kSum), i);
        EXPECT_EQ(client.reconnects(), 1u);
    }
    std::vector<double> expected;
    for (int i = 0; i < 20; ++i)
        if (i != 3 && i != 11 && i != 19) expected.push_back(i);
    EXPECT_EQ(order, expected);
}

TEST(ClientJobs, ShuttingDownMovesToTheSuccessor) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           connection.event(Status::ShuttingDown);
                           while (std::optional<Request> request = connection.read())
                               connection.fail(*request, Status::ShuttingDown);
                       },
                       [](Connection& connection) {
                           connection.greet();
                           while (std::optional<Request> request = connection.read())
                               connection.fail(*request, Status::DeviceLost);
                       },
                       serve});
    tc::Client client = connected(server);
    expect_works(client);
    EXPECT_EQ(client.reconnects(), 2u);
}

TEST(ClientJobs, WithoutReconnectTheFirstLossIsTheCallers) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           connection.read();
                       },
                       serve});
    tc::Options options = options_for(server);
    options.reconnect_ms = 0;
    tc::Client client = connected(server, options);
    OneValue job(1);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_UNAVAILABLE);
    expect_works(client);  // the next job tries once
}

TEST(ClientJobs, AJobThatKillsEveryConnectionEnds) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        connection.read();
    }});
    tc::Options options = options_for(server);
    options.reconnect_ms = 20000;
    tc::Client client = connected(server, options);
    OneValue job(1);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_UNAVAILABLE);
    EXPECT_NE(result.error().message.find("10 times"), std::string::npos) << result.error().message;
    EXPECT_EQ(server.connections(), 10u);
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
        while (std::optional<Request> request = connection.read()) connection.fail(*request, Status::Busy, UINT64_MAX);
    }});
    tc::Client client = connected(server);
    OneValue job(5);
    tc::Expected<tc::Result> result = client.run(job.request.deadline(1000 * kMillisecond));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_BUSY);
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
                EXPECT_LE(request->header.deadline_ns, 30 * kMillisecond);
                late = std::move(request);
                continue;
            }
            if (late && request->header.type == wire::MessageType::Job) connection.answer(*late);
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    OneValue job(5);
    tc::Expected<tc::Result> result = client.run(job.request.deadline(30 * kMillisecond));
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
        EXPECT_EQ(client.run(OneValue(i).request.deadline(20 * kMillisecond)).error().status, TEGU_DEADLINE_EXCEEDED);
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

TEST(ClientProcess, AChildMayNotUseIt) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    const pid_t child = fork();
    if (child == 0) {
        const tegu_status status = client.ping().error().status;
        tc::Client(std::move(client));  // closing is allowed
        _exit(status == TEGU_BAD_REQUEST ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect_works(client);
}

TEST(ClientCalls, PingInfoStats) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    EXPECT_GT(*client.ping(), 0u);
    for (const auto& fields : {client.info(), client.stats()}) {
        ASSERT_TRUE(fields.ok());
        ASSERT_EQ(fields->size(), 3u);
        EXPECT_EQ((*fields)[0].name, "jobs_total");
        EXPECT_EQ(std::get<double>((*fields)[1].value), 0.5);
        EXPECT_EQ(std::get<std::string>((*fields)[2].value), "fake");
    }
}

TEST(ClientCalls, AreRepeatedAfterALoss) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           connection.read();
                       },
                       serve});
    tc::Client client = connected(server);
    EXPECT_TRUE(client.ping().ok());
    EXPECT_EQ(client.reconnects(), 1u);
}

TEST(ClientCalls, DescriptorThatWasPromisedAndNotSent) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           std::optional<Request> request = connection.read();
                           wire::FrameHeader header = request->header;
                           header.reply = true;
                           header.descriptors = 1;
                           wire::ByteBuffer out;
                           wire::encode_frame(header, wire::BufferReply{1, 4096}, out);
                           connection.send(out);
                           connection.read();
                       },
                       serve});
    tc::Client client = connected(server);
    EXPECT_TRUE(client.create_buffer(4096).ok());  // from the second connection
    EXPECT_EQ(client.reconnects(), 1u);
}

}  // namespace
}  // namespace tegu::test
