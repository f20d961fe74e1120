// SPDX-License-Identifier: Apache-2.0
// Every message but JOB, from outside.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "tests/daemon/daemon_process.h"
#include "tests/daemon/job_check.h"
#include "tests/daemon/raw_client.h"

namespace tegu {
namespace {

using test::error_of;
using test::Message;
using test::RawClient;
using wire::MessageType;

class SessionTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        daemon_ = std::make_unique<test::DaemonProcess>(
            "executor.backend = \"cpu\"\n[timeouts]\nframe_ms = 600000\n");
    }
    static void TearDownTestSuite() { daemon_.reset(); }
    static const std::string& socket() { return daemon_->socket(); }

    // A second client is served rightly, whatever the first one did.
    void TearDown() override {
        RawClient other(socket());
        EXPECT_EQ(Status::Ok, other.reply_to(other.send(MessageType::Ping)).header.status);
    }

    // The daemon says what is wrong in an event, and closes.
    static void expect_framing_error(RawClient& client, Status status, const std::string& field) {
        std::optional<Message> message = client.receive();
        while (message && message->header.type != MessageType::Event) message = client.receive();
        ASSERT_TRUE(message.has_value());
        EXPECT_EQ(status, message->header.status);
        EXPECT_EQ(0u, message->header.request_id);
        EXPECT_EQ(field, error_of(*message).field);
        EXPECT_TRUE(client.at_end());
    }

    static std::unique_ptr<test::DaemonProcess> daemon_;
};
std::unique_ptr<test::DaemonProcess> SessionTest::daemon_;

TEST_F(SessionTest, HelloAgreesOnVersionFeaturesAndLimits) {
    RawClient client(socket());
    EXPECT_EQ(1, client.hello.version);
    EXPECT_EQ(wire::kAllFeatures, client.hello.features);
    EXPECT_GT(client.hello.session, 0u);
    EXPECT_EQ(64u, client.hello.max_jobs_in_flight);
    EXPECT_EQ(256u, client.hello.max_buffers);
    const Message again = client.reply_to(client.send_message(MessageType::Hello, wire::HelloRequest{}));
    EXPECT_EQ(Status::BadRequest, again.header.status);
}

TEST_F(SessionTest, NoVersionInCommonIsAnsweredAndTheConnectionEnds) {
    RawClient client(socket(), false);
    wire::HelloRequest request;
    request.version_min = 7;
    request.version_max = 9;
    const Message message = client.reply_to(client.send_message(MessageType::Hello, request));
    EXPECT_EQ(Status::BadVersion, message.header.status);
    EXPECT_EQ("1..1", error_of(message).allowed);
    EXPECT_TRUE(client.at_end());
}

TEST_F(SessionTest, SomethingElseThanHelloFirstIsAFramingError) {
    RawClient client(socket(), false);
    client.send(MessageType::Ping);
    expect_framing_error(client, Status::BadRequest, "type");
}

// The limit is short once the other client is there, which may be slow.
TEST_F(SessionTest, NoHelloInTimeEndsTheConnection) {
    const test::DaemonProcess daemon;
    RawClient greeted(daemon.socket());
    daemon.write_settings("[timeouts]\nhello_ms = 500\n");
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("settings read again"));
    RawClient client(daemon.socket(), false);
    expect_framing_error(client, Status::DeadlineExceeded, "timeouts.hello_ms");
    EXPECT_EQ(Status::Ok, greeted.reply_to(greeted.send(MessageType::Ping)).header.status);
}

// Other messages are sent whole.
TEST_F(SessionTest, AMessageThatIsNotCompletedInTimeEndsTheConnection) {
    const test::DaemonProcess daemon("[timeouts]\nframe_ms = 500\n");
    RawClient client(daemon.socket());
    wire::ByteBuffer bytes;
    wire::FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = 5;
    header.body_bytes = 100;
    wire::encode_header(header, bytes);
    client.send_bytes(bytes.data(), bytes.size());
    expect_framing_error(client, Status::DeadlineExceeded, "timeouts.frame_ms");
    RawClient other(daemon.socket());
    EXPECT_EQ(Status::Ok, other.reply_to(other.send(MessageType::Ping)).header.status);
}

TEST_F(SessionTest, BytesThatAreNoHeaderEndTheConnection) {
    RawClient client(socket());
    const std::string text = "GET / HTTP/1.1\r\nHost: localhost:1234\r\n\r\n";
    client.send_bytes(text.data(), text.size());
    expect_framing_error(client, Status::BadRequest, "magic");
}

TEST_F(SessionTest, ABodyTooLongEndsTheConnection) {
    RawClient client(socket());
    wire::ByteBuffer bytes;
    wire::FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = 5;
    header.body_bytes = wire::kMaxBodyBytes + 1;
    wire::encode_header(header, bytes);
    client.send_bytes(bytes.data(), bytes.size());
    expect_framing_error(client, Status::TooLarge, "body_bytes");
}

TEST_F(SessionTest, PingEchoesAnyBodyHoweverItIsCut) {
    RawClient client(socket());
    wire::ByteBuffer body(wire::kMaxBodyBytes);
    for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<std::byte>(i * 7);
    EXPECT_EQ(body, client.reply_to(client.send(MessageType::Ping, body)).body);
    EXPECT_TRUE(client.reply_to(client.send(MessageType::Ping)).body.empty());
    wire::ByteBuffer bytes;
    for (std::uint64_t id = 1000; id < 1010; ++id) {
        wire::FrameHeader header;
        header.type = MessageType::Ping;
        header.request_id = id;
        const std::size_t start = wire::begin_frame(bytes);
        bytes.resize(bytes.size() + 13, static_cast<std::byte>(id));
        wire::end_frame(header, start, bytes);
    }
    for (std::size_t at = 0; at < bytes.size(); at += 7)
        client.send_bytes(bytes.data() + at, std::min<std::size_t>(7, bytes.size() - at));
    for (std::uint64_t id = 1000; id < 1010; ++id) {
        const Message message = client.reply_to(id);
        EXPECT_EQ(wire::ByteBuffer(13, static_cast<std::byte>(id)), message.body);
    }
}

TEST_F(SessionTest, AnUnknownMessageIsUnsupportedAndTheConnectionLives) {
    RawClient client(socket());
    const Message message = client.reply_to(client.send(static_cast<MessageType>(99)));
    EXPECT_EQ(Status::Unsupported, message.header.status);
    EXPECT_EQ("type", error_of(message).field);
    EXPECT_EQ(Status::Ok, client.reply_to(client.send(MessageType::Ping)).header.status);
}

TEST_F(SessionTest, SurplusBodiesAreRefused) {
    RawClient client(socket());
    const wire::ByteBuffer body(1);
    for (const MessageType type : {MessageType::Info, MessageType::Stats, MessageType::BufferList})
        EXPECT_EQ(Status::BadRequest, client.reply_to(client.send(type, body)).header.status);
}

TEST_F(SessionTest, InfoSaysWhatTheDaemonIs) {
    RawClient client(socket());
    const Message info = client.reply_to(client.send(MessageType::Info));
    EXPECT_EQ("cpu", test::text_field(info, "backend"));
    EXPECT_EQ("none", test::text_field(info, "memory_class"));
    EXPECT_EQ(kernels::cpu_isa(), test::text_field(info, "cpu_isa"));
    EXPECT_EQ(socket(), test::text_field(info, "socket"));
    EXPECT_EQ(daemon_->pid(), static_cast<pid_t>(test::field(info, "pid")));
    EXPECT_EQ(64, test::field(info, "limit_jobs_in_flight_per_connection"));
    EXPECT_GE(test::field(info, "uptime_seconds"), 0);
    EXPECT_GE(test::field(info, "executor_threads"), 1);
}

// Of a daemon without other clients, whose requests would count.
TEST_F(SessionTest, StatsCountRequestsAndRefusals) {
    const test::DaemonProcess daemon;
    RawClient client(daemon.socket());
    const Message before = client.reply_to(client.send(MessageType::Stats));
    (void)client.reply_to(client.send(static_cast<MessageType>(99)));
    const Message after = client.reply_to(client.send(MessageType::Stats));
    EXPECT_EQ(test::field(before, "requests_total") + 2, test::field(after, "requests_total"));
    const double refused = std::max(0.0, test::field(before, "refused_unsupported_total"));
    EXPECT_EQ(refused + 1, test::field(after, "refused_unsupported_total"));
    EXPECT_GT(test::field(after, "bytes_received_total"), test::field(before, "bytes_received_total"));
}

TEST_F(SessionTest, BuffersNeedTheFeature) {
    RawClient client(socket(), false);
    wire::HelloRequest hello;
    hello.features = 0;
    EXPECT_EQ(Status::Ok, client.reply_to(client.send_message(MessageType::Hello, hello)).header.status);
    const Message made =
        client.reply_to(client.send_message(MessageType::BufferCreate, wire::BufferCreateRequest{4096}));
    EXPECT_EQ(Status::Unsupported, made.header.status);
    wire::JobRequest request = test::reduce_request({1, 2}, statistic_bit(Statistic::Sum));
    request.inputs[0].handle = 1;
    request.data = {};
    const Message job = client.reply_to(client.send_job(request));
    EXPECT_EQ(Status::Unsupported, job.header.status);
    EXPECT_EQ("features", error_of(job).field);
}

TEST_F(SessionTest, BuffersAreMadeListedFrozenAndReleased) {
    RawClient client(socket());
    // The list is that of all connections of this user; those of tests before may still be ending.
    while (test::field(client.reply_to(client.send(MessageType::Stats)), "buffers") != 0) ::usleep(500);
    const std::uint64_t bytes = 9 * 1024 * 1024;  // made in more than one step
    test::TestBuffer buffer = test::create_buffer(client, bytes);
    ASSERT_NE(0u, buffer.handle);
    {
        const test::SharedMemory memory(buffer.fd.get(), bytes);
        EXPECT_EQ(0, memory.as<char>()[bytes - 1]);
        const Message busy =
            client.reply_to(client.send_message(MessageType::BufferFreeze, wire::BufferRef{buffer.handle}));
        EXPECT_EQ(Status::BadDescriptor, busy.header.status) << "it is mapped for writing here";
    }
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::BufferFreeze, wire::BufferRef{buffer.handle}))
                  .header.status);
    const Message listed = client.reply_to(client.send(MessageType::BufferList));
    Result<std::vector<wire::BufferInfo>> list = wire::decode_buffer_list(listed.body);
    ASSERT_TRUE(list.ok());
    ASSERT_EQ(1u, list->size());
    EXPECT_EQ(buffer.handle, (*list)[0].handle);
    EXPECT_EQ(bytes, (*list)[0].bytes);
    EXPECT_EQ(static_cast<std::uint32_t>(::getpid()), (*list)[0].pid);
    EXPECT_TRUE((*list)[0].frozen && (*list)[0].created_by_daemon);
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::BufferRelease, wire::BufferRef{buffer.handle}))
                  .header.status);
    const Message gone =
        client.reply_to(client.send_message(MessageType::BufferRelease, wire::BufferRef{buffer.handle}));
    EXPECT_EQ(Status::NotFound, gone.header.status);
    EXPECT_EQ("handle", error_of(gone).field);
}

TEST_F(SessionTest, HandlesOfAnotherConnectionNameNothing) {
    RawClient owner(socket()), stranger(socket());
    const test::TestBuffer buffer = test::create_buffer(owner, 4096);
    for (const MessageType type : {MessageType::BufferFreeze, MessageType::BufferRelease})
        EXPECT_EQ(
            Status::NotFound,
            stranger.reply_to(stranger.send_message(type, wire::BufferRef{buffer.handle})).header.status);
    EXPECT_EQ(Status::Ok,
              owner.reply_to(owner.send_message(MessageType::BufferRelease, wire::BufferRef{buffer.handle}))
                  .header.status);
}

TEST_F(SessionTest, RegisteringChecksTheDescriptor) {
    RawClient client(socket());
    const Fd good = test::make_client_memfd(4096), sparse = test::make_client_memfd(1 << 20, true, false);
    const wire::BufferRegisterRequest request{4096, wire::Access::Read};
    EXPECT_EQ(
        Status::Ok,
        client.reply_to(client.send_message(MessageType::BufferRegister, request, good.get())).header.status);
    const Message refused =
        client.reply_to(client.send_message(MessageType::BufferRegister, request, sparse.get()));
    EXPECT_EQ(Status::BadDescriptor, refused.header.status);
    EXPECT_EQ("descriptor", error_of(refused).field);
    const Message missing = client.reply_to(client.send_message(MessageType::BufferRegister, request));
    EXPECT_EQ(Status::BadDescriptor, missing.header.status);
    EXPECT_EQ("descriptors", error_of(missing).field);
    const Message on_ping = client.reply_to(client.send(MessageType::Ping, {}, good.get()));
    EXPECT_EQ(Status::BadDescriptor, on_ping.header.status);
}

TEST_F(SessionTest, DescriptorsThatNoHeaderNamesEndTheConnection) {
    RawClient client(socket());
    const Fd fd = test::make_client_memfd(4096);
    wire::ByteBuffer bytes;
    wire::FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = 5;
    wire::encode_header(header, bytes);
    client.send_bytes(bytes.data(), bytes.size(), fd.get());
    expect_framing_error(client, Status::BadDescriptor, "descriptors");
}

TEST_F(SessionTest, ANamedDescriptorThatDoesNotComeEndsTheConnection) {
    RawClient client(socket());
    wire::FrameHeader header;
    header.type = MessageType::BufferRegister;
    header.descriptors = 1;
    wire::ByteBuffer body;
    wire::encode(wire::BufferRegisterRequest{4096, wire::Access::Read}, body);
    client.send(header, body);
    expect_framing_error(client, Status::BadDescriptor, "descriptors");
}

TEST_F(SessionTest, AClientThatShutsDownItsSideIsStillAnswered) {
    RawClient client(socket());
    const std::uint64_t first = client.send(MessageType::Ping, wire::ByteBuffer(10));
    const std::uint64_t second =
        client.send_job(test::reduce_request({1, 2, 3}, statistic_bit(Statistic::Sum)));
    ASSERT_EQ(0, ::shutdown(client.socket(), SHUT_WR));
    EXPECT_EQ(10u, client.reply_to(first).body.size());
    EXPECT_EQ(Status::Ok, client.reply_to(second).header.status);
    EXPECT_TRUE(client.at_end());
}

TEST_F(SessionTest, AClientThatDoesNotReadIsNotReadFromAndLosesNothing) {
    RawClient client(socket());
    const wire::ByteBuffer body(60000);
    timeval patience{0, 200000};  // the daemon stops reading: sending blocks
    ASSERT_EQ(0, ::setsockopt(client.socket(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience));
    wire::ByteBuffer frame;
    wire::FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = 1;
    const std::size_t start = wire::begin_frame(frame);
    frame.insert(frame.end(), body.begin(), body.end());
    wire::end_frame(header, start, frame);
    unsigned sent = 0;
    std::size_t rest = 0;
    while (sent < 1000) {
        const ssize_t bytes = ::send(client.socket(), frame.data(), frame.size(), MSG_NOSIGNAL);
        ASSERT_NE(0, bytes);
        if (bytes < 0) break;
        rest = frame.size() - static_cast<std::size_t>(bytes);
        ++sent;
        if (rest > 0) break;
    }
    ASSERT_LT(sent, 1000u) << "the daemon read without end";
    if (rest > 0) --sent;
    for (unsigned i = 0; i < sent; ++i) {
        const std::optional<Message> message = client.receive();
        ASSERT_TRUE(message.has_value()) << i << " of " << sent;
        EXPECT_EQ(body.size(), message->body.size());
    }
}

}  // namespace
}  // namespace tegu
