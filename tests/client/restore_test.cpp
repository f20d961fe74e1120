// SPDX-License-Identifier: Apache-2.0
// Between a lost connection and the next one that is ready: jobs are submitted, buffers are freed and refused
// meanwhile, and still every job is sent once and with the handles of the connection that it goes over.
#include <future>
#include <map>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

tc::Request sum_of(const tc::Buffer& buffer) {
    tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
    request.input(buffer, TEGU_F32, 1, 16);
    return request;
}

// Lets the client do what it can without waiting, until `happened`.
void step_until(tc::Client& client, std::uint64_t id, std::future<void> happened) {
    while (happened.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
        EXPECT_EQ(client.wait(id, 0).error().status, TEGU_DEADLINE_EXCEEDED);
}

TEST(ClientRestore, AJobThatIsSubmittedWhileBuffersAreRegisteredAgain) {
    std::promise<void> asked, submitted;
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           if (std::optional<Request> request = connection.read())
                               connection.answer(*request);
                           connection.read();  // lost under the first job
                       },
                       [&](Connection& connection) {
                           connection.greet();
                           std::optional<Request> request = connection.read();
                           ASSERT_TRUE(request && request->header.type == wire::MessageType::BufferRegister);
                           asked.set_value();
                           submitted.get_future().wait();
                           connection.answer(*request);
                           while ((request = connection.read())) connection.answer(*request);
                       }});
    tc::Client client = connected(server);
    tc::Buffer buffer = std::move(*client.create_buffer(4096));
    buffer.as<float>()[3] = 8;
    const std::uint64_t first = *client.submit(sum_of(buffer));
    step_until(client, first, asked.get_future());
    const std::uint64_t second = *client.submit(sum_of(buffer));
    submitted.set_value();
    for (const std::uint64_t id : {first, second}) {
        tc::Expected<tc::Result> result = client.wait(id);
        ASSERT_TRUE(result.ok()) << result.error().word() << " " << result.error().message;
        EXPECT_EQ(result->number(kSum), 8.0);
    }
}

// The input of the middle job is freed and its output is refused: it ends while the batch that it stands in
// is being put together, and with it the last share of a buffer. The jobs before it are sent once all the
// same.
TEST(ClientRestore, ABufferThatEndsWhileJobsAreBeingSent) {
    std::map<std::uint64_t, int> sent;
    std::size_t released = 0;
    {
        FakeServer server({[](Connection& connection) {
                               connection.greet();
                               for (int i = 0; i < 2; ++i)
                                   if (std::optional<Request> request = connection.read())
                                       connection.answer(*request);
                               connection.read();
                           },
                           [&](Connection& connection) {
                               connection.greet();
                               int registered = 0;
                               while (std::optional<Request> request = connection.read()) {
                                   if (request->header.type == wire::MessageType::Job)
                                       ++sent[request->header.request_id];
                                   if (request->header.type == wire::MessageType::BufferRegister &&
                                       ++registered == 2)
                                       connection.fail(*request, Status::OverQuota);
                                   else
                                       connection.answer(*request);
                               }
                               released = connection.released;
                           }});
        tc::Client client = connected(server);
        tc::Buffer input = std::move(*client.create_buffer(4096)),
                   output = std::move(*client.create_buffer(4096));
        input.as<float>()[0] = 1;  // not sparse: it will be registered
        OneValue one(1), two(2);
        const std::uint64_t first = *client.submit(one.request);
        tc::Request refused = sum_of(input);
        refused.into(output);
        const std::uint64_t second = *client.submit(refused), third = *client.submit(two.request);
        input = tc::Buffer();
        EXPECT_EQ(client.wait(first)->number(kSum), 1.0);
        EXPECT_EQ(client.wait(second).error().status, TEGU_OVER_QUOTA);
        EXPECT_EQ(client.wait(third)->number(kSum), 2.0);
        EXPECT_TRUE(client.flush().ok());
    }
    EXPECT_EQ(sent.size(), 2u);
    for (const auto& job : sent)
        EXPECT_EQ(job.second, 1) << "job " << job.first << " was sent more than once";
    EXPECT_EQ(released, 1u);
}

}  // namespace
}  // namespace tegu::test
