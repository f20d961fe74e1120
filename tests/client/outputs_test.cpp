// SPDX-License-Identifier: Apache-2.0
// Results that lie in a buffer, of the library or of the caller.
#include "tests/client/memory_util.h"

namespace tegu::test {
namespace {

TEST(ClientOutputs, LargeOnesUseBuffersAgainAndOutliveTheClient) {
    const std::vector<std::uint8_t> image(400 * 300);
    Seen seen;
    tc::Result kept;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        for (int i = 0; i < 20; ++i) {
            tc::Expected<tc::Result> result = client.run(map_request(image, 400, 300));
            ASSERT_TRUE(result.ok()) << result.error().message;
            expect_map(*result, 400, 300);
            EXPECT_EQ(result->backend(), TEGU_BACKEND_CPU);
            EXPECT_STREQ(result->policy(), "fake policy=1");
            EXPECT_EQ(result->timing().compute_ns, 3u);
            kept = std::move(*result);
        }
    }
    expect_map(kept, 400, 300);
    EXPECT_LE(seen.registered, 3u);  // one input, two outputs: one is kept while the next is made
}

TEST(ClientOutputs, ResultsThatAreKeptDoNotUseUpTheDaemon) {
    const std::vector<std::uint8_t> image(400 * 300);
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        std::vector<tc::Result> kept;
        for (int i = 0; i < 40; ++i) kept.push_back(std::move(*client.run(map_request(image, 400, 300))));
        for (const tc::Result& result : kept) expect_map(result, 400, 300);
        kept.clear();
        expect_works(client);
    }
    EXPECT_GE(seen.released, 20u);
}

TEST(ClientOutputs, IntoABufferOfTheCaller) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    const std::vector<std::uint8_t> image(20 * 10);
    tc::Buffer output = std::move(*client.create_buffer(4096));
    tc::Expected<tc::Result> result = client.run(map_request(image, 20, 10).into(output, 128));
    ASSERT_TRUE(result.ok()) << result.error().message;
    expect_map(*result, 20, 10);
    EXPECT_EQ(result->array(0).data, output.as<std::byte>() + 128);
    EXPECT_EQ(client.run(map_request(image, 20, 10).into(output, 8192)).error().field, "output_offset_bytes");
}

TEST(ClientOutputs, AnArrayBeyondTheOutputIsRefused) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            if (request->header.type != wire::MessageType::Job) {
                connection.answer(*request);
                continue;
            }
            wire::JobReply reply;
            reply.in_output = true;
            reply.arrays.push_back({{ArrayRole::Map, ElementType::F32, 1u << 20, 1u << 20}, 64});
            connection.reply(*request, reply);
        }
    }});
    tc::Client client = connected(server);
    const std::vector<std::uint8_t> large(400 * 300), small(4);
    tc::Expected<tc::Result> beyond = client.run(map_request(large, 400, 300));
    ASSERT_FALSE(beyond.ok());
    EXPECT_EQ(beyond.error().status, TEGU_INTERNAL);
    tc::Expected<tc::Result> nowhere = client.run(map_request(small, 2, 2));  // the job gave no output
    ASSERT_FALSE(nowhere.ok());
    EXPECT_EQ(nowhere.error().status, TEGU_INTERNAL);
}

}  // namespace
}  // namespace tegu::test
