// SPDX-License-Identifier: Apache-2.0
// What the tests of the library share: a client on a fake server, and a job that shows whether it works.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "client/tegu.hpp"
#include "tests/client/fake_server.h"

namespace tegu::test {

namespace tc = tegu::client;

constexpr std::uint8_t kSum = tc::role_of(TEGU_STAT_SUM);
constexpr std::uint64_t kMillisecond = 1000000;

inline tc::Options options_for(const FakeServer& server) {
    tc::Options options;
    options.socket_path = server.path();
    options.name = "client_test";
    options.connect_ms = 60000;  // for a machine that is busy
    return options;
}

inline tc::Client connected(const FakeServer& server, tc::Options options) {
    options.socket_path = server.path();
    tc::Expected<tc::Client> client = tc::Client::connect(options);
    if (!client) {
        ADD_FAILURE() << client.error().message;
        std::abort();
    }
    return std::move(*client);
}
inline tc::Client connected(const FakeServer& server) {
    return connected(server, options_for(server));
}

inline void serve(Connection& connection) {
    connection.serve();
}

// The sum of one small job is right: the client works.
inline void expect_works(tc::Client& client) {
    const float x[3] = {1, 2, 4};
    tc::Expected<tc::Result> result = client.run(tc::Request::reduce(x, 3, TEGU_STAT_SUM));
    ASSERT_TRUE(result.ok()) << result.error().word() << " " << result.error().message;
    EXPECT_EQ(result->number(kSum), 7.0);
}

// A job whose sum is `value`.
struct OneValue {
    explicit OneValue(double number)
        : value(number), request(tc::Request::reduce(&value, 1, TEGU_STAT_SUM)) {}
    double value;
    tc::Request request;
};

}  // namespace tegu::test
