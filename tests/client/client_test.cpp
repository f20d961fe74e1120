// SPDX-License-Identifier: Apache-2.0
// The connection to a server that does what a daemon should not: greetings, streams, calls, and a fork. Every
// test ends with a right result on the same client wherever one is still possible.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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
    options.connect_ms = 60000;  // not used up: a refusal is final
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
    options.connect_ms = 60000;
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
