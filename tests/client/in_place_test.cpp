// SPDX-License-Identifier: Apache-2.0
// A job whose output stands in the place of its input is no pure function of it: it is sent once. Any other
// job with an output is sent again.
#include "tests/client/memory_util.h"

namespace tegu::test {
namespace {

constexpr std::uint64_t kFloats = 16;

// Not sparse, so that it can be registered again.
tc::Buffer filled_buffer(tc::Client& client) {
    tc::Buffer buffer = std::move(*client.create_buffer(4096));
    buffer.as<float>()[0] = 1;
    return buffer;
}

// x + y where x stands, or at `offset_bytes`.
tc::Request add_into(const tc::Buffer& buffer, const float* y, std::uint64_t offset_bytes) {
    tc::Request request(TEGU_ADD);
    request.input(buffer, TEGU_F32, 1, kFloats).second_input(y).into(buffer, offset_bytes);
    return request;
}

// Takes a buffer, then drops the connection when the first job has come.
void lose_a_job(Connection& connection) {
    connection.greet();
    while (std::optional<Request> request = connection.read()) {
        if (request->header.type == wire::MessageType::Job) return;
        connection.answer(*request);
    }
}

FakeServer::Script refuse_with(Status status) {
    return [status](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read())
            if (request->header.type == wire::MessageType::Job && connection.jobs++ == 0)
                connection.fail(*request, status, kMillisecond);
            else
                connection.answer(*request);
    };
}

TEST(ClientInPlace, AJobUnderWhichTheConnectionIsLostIsNotSentAgain) {
    const float y[kFloats] = {};
    FakeServer server({lose_a_job, serve});
    tc::Client client = connected(server);
    tc::Buffer buffer = filled_buffer(client);
    tc::Expected<tc::Result> result = client.run(add_into(buffer, y, 0));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_IO);
    EXPECT_FALSE(result.error().retryable());
    EXPECT_EQ(result.error().field, "output");
    expect_works(client);
}

TEST(ClientInPlace, AJobWithItsOutputElsewhereIsSentAgain) {
    const float y[kFloats] = {};
    for (const Status status : {Status::Ok, Status::ShuttingDown, Status::DeviceLost, Status::Busy}) {
        FakeServer server(
            {status == Status::Ok ? FakeServer::Script(lose_a_job) : refuse_with(status), serve});
        tc::Client client = connected(server);
        tc::Buffer buffer = filled_buffer(client);
        tc::Expected<tc::Result> result = client.run(add_into(buffer, y, 1024));
        EXPECT_TRUE(result.ok()) << result.error().message;
    }
}

TEST(ClientInPlace, AnAnswerThatLeavesItOpenWhetherItBeganIsTheCallers) {
    const float y[kFloats] = {};
    for (const Status status : {Status::ShuttingDown, Status::DeviceLost}) {
        FakeServer server({refuse_with(status), serve});
        tc::Client client = connected(server);
        tc::Buffer buffer = filled_buffer(client);
        tc::Expected<tc::Result> result = client.run(add_into(buffer, y, 0));
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().status, TEGU_IO);
        expect_works(client);
    }
}

TEST(ClientInPlace, BusyMeansThatItDidNotBegin) {
    const float y[kFloats] = {};
    FakeServer server({refuse_with(Status::Busy)});
    tc::Client client = connected(server);
    tc::Buffer buffer = filled_buffer(client);
    tc::Expected<tc::Result> result = client.run(add_into(buffer, y, 0));
    EXPECT_TRUE(result.ok()) << result.error().message;
}

TEST(ClientInPlace, TheSecondInputCountsAsWell) {
    const float x[kFloats] = {};
    FakeServer server({lose_a_job, serve});
    tc::Client client = connected(server);
    tc::Buffer buffer = filled_buffer(client);
    tc::Request request(TEGU_ADD);
    request.input(x, TEGU_F32, 1, kFloats).second_input(buffer, 128).into(buffer, 128);
    EXPECT_EQ(client.run(request).error().status, TEGU_IO);
}

TEST(ClientInPlace, AJobThatWritesRaisesTheGenerationOfABufferThatHasOne) {
    const float y[kFloats] = {};
    FakeServer server({serve});
    tc::Client client = connected(server);
    tc::Buffer buffer = filled_buffer(client);
    ASSERT_TRUE(client.run(add_into(buffer, y, 0)).ok());
    EXPECT_EQ(buffer.generation(), 0u);
    buffer.commit();
    ASSERT_TRUE(client.run(add_into(buffer, y, 0)).ok());
    EXPECT_EQ(buffer.generation(), 2u);
    ASSERT_TRUE(client.run(buffer_sum(buffer, kFloats)).ok());
    EXPECT_EQ(buffer.generation(), 2u);
}

}  // namespace
}  // namespace tegu::test
