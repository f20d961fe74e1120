// SPDX-License-Identifier: Apache-2.0
// The structs of a request: sizes of older and newer callers, and what the library itself refuses.
#include <cstring>

#include "tests/client/memory_util.h"

namespace tegu::test {
namespace {

TEST(ClientRequest, WrongRequestsNameTheField) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    const float x[4] = {1, 1, 1, 1};
    const auto field_of = [&client](const tegu_request& request) {
        tc::Expected<tc::Result> result = client.run(request);
        return result.ok() ? std::string("(accepted)") : result.error().field;
    };
    tc::Request good = tc::Request::reduce(x, 4, TEGU_STAT_SUM);
    tc::Request bad = good;
    bad.operation = 99;
    EXPECT_EQ(field_of(bad), "operation");
    bad = good;
    bad.type = 12;
    EXPECT_EQ(field_of(bad), "type");
    bad = good;
    bad.rows = bad.cols = std::uint64_t{1} << 32;
    EXPECT_EQ(field_of(bad), "rows");
    bad = good;
    bad.inputs[0].data = nullptr;
    EXPECT_EQ(field_of(bad), "inputs[0].data");
    bad = good;
    bad.inputs[0].offset_bytes = 4;
    EXPECT_EQ(field_of(bad), "inputs[0].offset_bytes");
    bad = good;
    bad.reserved[3] = 1;
    EXPECT_EQ(field_of(bad), "request.reserved");
    bad = good;
    bad.params.reserved[40] = 1;
    EXPECT_EQ(field_of(bad), "params.reserved");
    bad = good;
    bad.size = 8;
    EXPECT_EQ(field_of(bad), "request.size");
    bad = good;
    bad.cols = std::uint64_t{1} << 40;
    EXPECT_EQ(field_of(bad), "rows");  // larger than the daemon takes
    EXPECT_EQ(field_of(good), "(accepted)");
}

TEST(ClientRequestSize, OlderAndNewerCallers) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    const float x[4] = {1, 1, 1, 1};
    struct Newer {
        tegu_request known;
        std::uint64_t appended;
    } newer{tc::Request::reduce(x, 4, TEGU_STAT_SUM), 0};
    newer.known.size = sizeof newer;
    EXPECT_EQ(client.run(newer.known)->number(kSum), 4.0);
    newer.appended = 1;
    tc::Expected<tc::Result> refused = client.run(newer.known);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().status, TEGU_UNSUPPORTED);

    tegu_request older = tc::Request::reduce(x, 4, TEGU_STAT_SUM);
    older.size = offsetof(tegu_request, output);
    std::memset(&older.output, 0xff, sizeof older - older.size);  // not the caller's to set
    EXPECT_EQ(client.run(older)->number(kSum), 4.0);

    struct NewerOptions {
        tegu_options known;
        std::uint64_t appended;
    } options;
    tegu_options_init(&options.known, sizeof options);
    EXPECT_EQ(options.known.size, sizeof options);
    EXPECT_EQ(options.appended, 0u);
    options.known.socket_path = server.path().c_str();
    options.appended = 1;
    tegu_client* raw = nullptr;
    tegu_error error;
    EXPECT_EQ(tegu_connect(&options.known, &raw, &error), TEGU_UNSUPPORTED);
    EXPECT_STREQ(error.field, "options");

    FakeServer another({serve});
    tegu_options_init(&options.known, sizeof options.known);
    EXPECT_EQ(options.known.spin_us, 50u);
    options.known.socket_path = another.path().c_str();
    options.known.spin_us = 10001;
    EXPECT_EQ(tegu_connect(&options.known, &raw, &error), TEGU_BAD_REQUEST);
    EXPECT_STREQ(error.field, "spin_us");
    options.known.size = offsetof(tegu_options, spin_us);
    ASSERT_EQ(tegu_connect(&options.known, &raw, &error), TEGU_OK) << error.message;
    tegu_close(raw);
}

}  // namespace
}  // namespace tegu::test
