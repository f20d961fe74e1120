// SPDX-License-Identifier: Apache-2.0
// Inputs in memory of the caller: what travels in a message, what in a buffer of the library, and how often
// one is registered.
#include "tests/client/memory_util.h"

namespace tegu::test {
namespace {

TEST(ClientInputs, LargeOnesUseOneBufferAgainAndAgain) {
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        for (int i = 0; i < 20; ++i) {
            const std::vector<float> x = ramp(kLarge, static_cast<float>(i));
            tc::Expected<tc::Result> result =
                client.run(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM));
            ASSERT_TRUE(result.ok()) << result.error().message;
            EXPECT_EQ(result->number(kSum), sum_of(x));
        }
    }
    EXPECT_EQ(seen.registered, 1u);
}

TEST(ClientInputs, AtTheLimitOfAMessage) {
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        for (const std::size_t bytes : {0, 1, 65535, 65536, 65537}) {
            const std::vector<std::uint8_t> x(bytes, 1);
            tc::Expected<tc::Result> result =
                client.run(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM));
            ASSERT_TRUE(result.ok()) << bytes << ": " << result.error().message;
            EXPECT_EQ(result->number(kSum), static_cast<double>(bytes));
        }
    }
    EXPECT_EQ(seen.registered, 1u);
}

TEST(ClientInputs, ManyLargeOnesInFlightShareABoundedPool) {
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        std::vector<float> x(kLarge);
        std::vector<std::pair<std::uint64_t, double>> jobs;
        for (int i = 0; i < 100; ++i) {
            x = ramp(kLarge, static_cast<float>(i));
            jobs.emplace_back(*client.submit(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM)),
                              sum_of(x));
        }
        for (const auto& [id, sum] : jobs) EXPECT_EQ(client.wait(id)->number(kSum), sum);
    }
    EXPECT_LE(seen.registered, 16u);
}

TEST(ClientInputs, GrowingOnesAreRegisteredSeldom) {
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        for (std::size_t n = 100000; n < 1000000; n += 10000) {
            const std::vector<std::uint8_t> x(n, 1);
            EXPECT_EQ(client.run(tc::Request::reduce(x.data(), n, TEGU_STAT_SUM))->number(kSum),
                      static_cast<double>(n));
        }
    }
    EXPECT_LE(seen.registered, 10u);
    EXPECT_GE(seen.registered, 2u);
}

TEST(ClientInputs, RowsWithAStride) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    struct Shape {
        std::uint64_t rows, cols, stride;
    };
    // In a message; packed into a buffer; short rows sent with their gaps; one row, whose stride does not
    // matter.
    for (const Shape shape :
         {Shape{3, 5, 9}, {1000, 100, 150}, {50000, 3, 4}, {50000, 3, 40}, {1, 7, 3}, {4, 0, 3}}) {
        std::vector<float> x(shape.rows * std::max(shape.stride, shape.cols), 1e9f);
        double sum = 0;
        for (std::uint64_t row = 0; row < shape.rows; ++row)
            for (std::uint64_t col = 0; col < shape.cols; ++col)
                sum += x[row * shape.stride + col] = static_cast<float>((row * 31 + col) % 97);
        tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
        request.input(x.data(), TEGU_F32, shape.rows, shape.cols, shape.stride);
        tc::Expected<tc::Result> result = client.run(request);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->number(kSum), sum)
            << shape.rows << " x " << shape.cols << " stride " << shape.stride;
    }
    tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
    const float x[4] = {};
    request.input(x, TEGU_F32, 2, 2, 1);
    EXPECT_EQ(client.run(request).error().field, "inputs[0].row_stride");
}

// Every mix of memory and buffers, dense and with a stride, in a message and beyond it.
TEST(ClientTwoInputs, TravelAsTheyCan) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    for (const std::uint64_t cols : {5, 30000}) {
        const std::uint64_t rows = 2, stride = cols + 3;
        const std::vector<float> x = ramp(rows * stride), y = ramp(rows * stride, 2);
        const auto expected = [&](std::uint64_t y_stride) {
            double sum = 0;
            for (std::uint64_t row = 0; row < rows; ++row)
                for (std::uint64_t col = 0; col < cols; ++col)
                    sum += double{x[row * stride + col]} * double{y[row * y_stride + col]};
            return sum;
        };
        tc::Buffer buffer = std::move(*client.create_buffer(y.size() * sizeof(float) + 64));
        std::copy(y.begin(), y.end(), buffer.as<float>() + 16);
        tc::Request request(TEGU_DOT);
        request.input(x.data(), TEGU_F32, rows, cols, stride).second_input(y.data());
        EXPECT_EQ(client.run(request)->number(kSum), expected(cols)) << cols;
        request.second_input(buffer, 64);
        EXPECT_EQ(client.run(request)->number(kSum), expected(cols)) << cols;
        request.input(buffer, TEGU_F32, rows, cols, 64, stride).second_input(x.data(), stride);
        EXPECT_EQ(client.run(request)->number(kSum), expected(stride)) << cols;
    }
}

TEST(ClientTwoInputs, TheSameMemoryTwiceIsCopiedOnce) {
    Seen twice, apart;
    const std::vector<float> x(kLarge, 2.0f), y(kLarge, 3.0f);
    {
        FakeServer server({serve_and_tell(twice)});
        tc::Client client = connected(server);
        EXPECT_EQ(client.run(tc::Request::dot(x.data(), x.data(), kLarge))->number(kSum), 4.0 * kLarge);
    }
    EXPECT_EQ(twice.registered, 1u);
    {
        FakeServer server({serve_and_tell(apart)});
        tc::Client client = connected(server);
        EXPECT_EQ(client.run(tc::Request::dot(x.data(), y.data(), kLarge))->number(kSum), 6.0 * kLarge);
    }
    EXPECT_EQ(apart.registered, 2u);
}

TEST(ClientTwoInputs, FitADaemonThatTakesFewBuffers) {
    FakeServer server({[](Connection& connection) {
        connection.hello.max_buffers = 4;  // of which a client keeps a quarter for itself
        connection.serve();
    }});
    tc::Client client = connected(server);
    const std::vector<float> x(kLarge, 2.0f), y(kLarge, 3.0f);
    for (int i = 0; i < 3; ++i) {
        tc::Expected<tc::Result> result =
            client.run(tc::Request::dot(x.data(), y.data(), kLarge).deadline(60000 * kMillisecond));
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->number(kSum), 6.0 * kLarge);
    }
}

TEST(ClientTwoInputs, WhatIsWrongWithTheSecondIsNamed) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    const float x[4] = {1, 1, 1, 1};
    tc::Request good = tc::Request::dot(x, x, 4), bad = good;
    bad.second_input(static_cast<const void*>(nullptr));
    EXPECT_EQ(client.run(bad).error().field, "inputs[1].data");
    bad = good;
    bad.inputs[1].offset_bytes = 4;
    EXPECT_EQ(client.run(bad).error().field, "inputs[1].offset_bytes");
    bad = good;
    bad.shape(TEGU_F32, 2, 2).second_input(x, 1);
    EXPECT_EQ(client.run(bad).error().field, "inputs[1].row_stride");
    EXPECT_EQ(client.run(good)->number(kSum), 4.0);
}

}  // namespace
}  // namespace tegu::test
