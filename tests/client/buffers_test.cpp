// SPDX-License-Identifier: Apache-2.0
// Memory of the library and of the caller: what travels in a buffer, how often one is registered, and that every buffer is
// still there after the connection was lost.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

constexpr std::size_t kLarge = 100000;  // floats: more than a message holds

std::vector<float> ramp(std::size_t n, float first = 0) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

double sum_of(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// What a server saw of a client that is gone.
struct Seen {
    std::size_t registered = 0, released = 0;
};
FakeServer::Script serve_and_tell(Seen& seen) {
    return [&seen](Connection& connection) {
        connection.serve();
        seen.registered += connection.registered;
        seen.released += connection.released;
    };
}

TEST(ClientInputs, LargeOnesUseOneBufferAgainAndAgain) {
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        for (int i = 0; i < 20; ++i) {
            const std::vector<float> x = ramp(kLarge, static_cast<float>(i));
            tc::Expected<tc::Result> result = client.run(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM));
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
            tc::Expected<tc::Result> result = client.run(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM));
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
            jobs.emplace_back(*client.submit(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM)), sum_of(x));
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
    // In a message; packed into a buffer; short rows sent with their gaps; one row, whose stride does not matter.
    for (const Shape shape : {Shape{3, 5, 9}, {1000, 100, 150}, {50000, 3, 4}, {50000, 3, 40}, {1, 7, 3}, {4, 0, 3}}) {
        std::vector<float> x(shape.rows * std::max(shape.stride, shape.cols), 1e9f);
        double sum = 0;
        for (std::uint64_t row = 0; row < shape.rows; ++row)
            for (std::uint64_t col = 0; col < shape.cols; ++col)
                sum += x[row * shape.stride + col] = static_cast<float>((row * 31 + col) % 97);
        tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
        request.input(x.data(), TEGU_F32, shape.rows, shape.cols, shape.stride);
        tc::Expected<tc::Result> result = client.run(request);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->number(kSum), sum) << shape.rows << " x " << shape.cols << " stride " << shape.stride;
    }
    tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
    const float x[4] = {};
    request.input(x, TEGU_F32, 2, 2, 1);
    EXPECT_EQ(client.run(request).error().field, "inputs[0].row_stride");
}

TEST(ClientInputs, WrongRequestsNameTheField) {
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

tc::Request map_request(const std::vector<std::uint8_t>& image, std::uint64_t rows, std::uint64_t cols) {
    tc::Request request = tc::Request::entropy_map(5, 5, 16);
    request.input(image.data(), TEGU_U8, rows, cols);
    return request;
}

void expect_map(const tc::Result& result, std::uint64_t rows, std::uint64_t cols) {
    const std::optional<tc::Array> map = result.find(TEGU_ROLE_MAP);
    ASSERT_TRUE(map.has_value());
    ASSERT_EQ(map->rows, rows);
    ASSERT_EQ(map->cols, cols);
    for (std::uint64_t i = 0; i < rows * cols; ++i) ASSERT_EQ(map->as<float>()[i], static_cast<float>(i / cols));
}

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

tc::Request buffer_sum(const tc::Buffer& buffer, std::uint64_t n, std::uint64_t offset_bytes = 0) {
    tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
    request.input(buffer, TEGU_F32, 1, n, offset_bytes);
    return request;
}

TEST(ClientBuffer, FillSumCommitFreeze) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    tc::Expected<tc::Buffer> made = client.create_buffer(kLarge * sizeof(float));
    ASSERT_TRUE(made.ok()) << made.error().message;
    tc::Buffer& buffer = *made;
    EXPECT_EQ(buffer.bytes(), kLarge * sizeof(float));
    EXPECT_NE(buffer.handle(), 0u);
    EXPECT_EQ(client.run(buffer_sum(buffer, kLarge))->number(kSum), 0.0);
    const std::vector<float> x = ramp(kLarge);
    std::memcpy(buffer.data(), x.data(), buffer.bytes());
    EXPECT_EQ(buffer.generation(), 0u);
    buffer.commit();
    EXPECT_EQ(buffer.generation(), 1u);
    EXPECT_EQ(client.run(buffer_sum(buffer, kLarge))->number(kSum), sum_of(x));
    EXPECT_EQ(client.run(buffer_sum(buffer, 3, 4))->number(kSum), 6.0);

    void* const address = buffer.data();
    ASSERT_TRUE(buffer.freeze().ok());
    ASSERT_TRUE(buffer.freeze().ok());
    EXPECT_EQ(buffer.data(), address);
    EXPECT_EQ(buffer.as<float>()[5], 5.0f);
    EXPECT_EQ(client.run(buffer_sum(buffer, kLarge))->number(kSum), sum_of(x));
    EXPECT_EQ(client.buffers()->size(), 1u);
    const Fd zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(read(zeros.get(), address, 1), -1) << "the memory can still be written";
    EXPECT_EQ(errno, EFAULT);
}

TEST(ClientBuffer, FreezeThatIsRefusedLeavesItWritable) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read())
            if (request->header.type == wire::MessageType::BufferFreeze)
                connection.fail(*request, Status::Busy, 5);
            else
                connection.answer(*request);
    }});
    tc::Client client = connected(server);
    tc::Buffer buffer = std::move(*client.create_buffer(4096));
    tc::Expected<void> frozen = buffer.freeze();
    ASSERT_FALSE(frozen.ok());
    EXPECT_EQ(frozen.error().status, TEGU_BUSY);
    buffer.as<float>()[0] = 3;
    EXPECT_EQ(client.run(buffer_sum(buffer, 4))->number(kSum), 3.0);
}

TEST(ClientBuffer, AreThereAgainAfterALoss) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           for (int i = 0; i < 5; ++i)  // create, create, freeze, register, one job
                               if (std::optional<Request> request = connection.read()) connection.answer(*request);
                           connection.read();
                       },
                       serve});
    tc::Client client = connected(server);
    tc::Buffer open = std::move(*client.create_buffer(4096)), frozen = std::move(*client.create_buffer(4096));
    open.as<float>()[0] = 1;
    frozen.as<float>()[0] = 2;
    ASSERT_TRUE(frozen.freeze().ok());
    const int fd = memfd_create("own", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const float four = 4;
    ASSERT_EQ(posix_fallocate(fd, 0, 4096), 0);
    ASSERT_EQ(pwrite(fd, &four, sizeof four, 0), static_cast<ssize_t>(sizeof four));
    tc::Buffer own = std::move(*client.register_buffer(fd, 4096));
    close(fd);
    EXPECT_EQ(own.data(), nullptr);
    EXPECT_EQ(client.run(buffer_sum(own, 16))->number(kSum), 4.0);
    EXPECT_EQ(client.run(buffer_sum(open, 16))->number(kSum), 1.0);  // the connection is lost under this one
    EXPECT_EQ(client.reconnects(), 1u);
    EXPECT_EQ(client.run(buffer_sum(frozen, 16))->number(kSum), 2.0);
    EXPECT_EQ(client.run(buffer_sum(own, 16))->number(kSum), 4.0);
}

TEST(ClientBuffer, OneThatIsRefusedAfterALossFailsOnlyItsJobs) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           if (std::optional<Request> request = connection.read()) connection.answer(*request);
                           connection.read();
                       },
                       [](Connection& connection) {
                           connection.greet();
                           while (std::optional<Request> request = connection.read())
                               if (request->header.type == wire::MessageType::BufferRegister)
                                   connection.fail(*request, Status::OverQuota);
                               else
                                   connection.answer(*request);
                       }});
    tc::Client client = connected(server);
    tc::Buffer buffer = std::move(*client.create_buffer(4096));
    tc::Expected<tc::Result> result = client.run(buffer_sum(buffer, 16));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_OVER_QUOTA);
    EXPECT_EQ(client.run(buffer_sum(buffer, 16)).error().status, TEGU_OVER_QUOTA);
    EXPECT_EQ(buffer.handle(), 0u);
    expect_works(client);
}

TEST(ClientBuffer, OfAnotherClientOrAClosedOne) {
    FakeServer server({serve});
    tc::Buffer buffer;
    {
        tc::Client client = connected(server);
        buffer = std::move(*client.create_buffer(4096));
    }
    buffer.as<float>()[0] = 1;  // still memory
    EXPECT_EQ(buffer.freeze().error().status, TEGU_UNAVAILABLE);
    tc::Client other = connected(server);
    EXPECT_EQ(other.run(buffer_sum(buffer, 16)).error().field, "inputs[0].buffer");
    expect_works(other);
}

TEST(ClientBuffer, FreedWhileAJobUsesIt) {
    Seen seen;
    {
        FakeServer server({serve_and_tell(seen)});
        tc::Client client = connected(server);
        std::uint64_t id = 0;
        {
            tc::Buffer buffer = std::move(*client.create_buffer(4096));
            buffer.as<float>()[2] = 9;
            id = *client.submit(buffer_sum(buffer, 16));
        }
        EXPECT_EQ(client.wait(id)->number(kSum), 9.0);
        EXPECT_EQ(client.buffers()->size(), 0u);
    }
    EXPECT_EQ(seen.released, 1u);
}

TEST(ClientBuffer, ADescriptorThatIsNoSealedMemfdIsRefused) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        const Fd unsealed(memfd_create("unsealed", MFD_CLOEXEC));
        const Fd zero(open("/dev/zero", O_RDWR | O_CLOEXEC));
        const Fd too_small(memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        EXPECT_EQ(ftruncate(unsealed.get(), 4096), 0);
        EXPECT_EQ(ftruncate(too_small.get(), 100), 0);
        EXPECT_EQ(fcntl(too_small.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
        for (const Fd* fd : {&unsealed, &zero, &too_small})
            if (std::optional<Request> request = connection.read())
                connection.reply(*request, wire::BufferReply{7, 4096}, fd->get());
        while (std::optional<Request> request = connection.read()) connection.answer(*request);
    }});
    tc::Client client = connected(server);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.create_buffer(4096).error().status, TEGU_BAD_DESCRIPTOR);
    expect_works(client);
}

TEST(ClientBuffer, RegisteringWhatIsNotOpenNamesTheField) {
    FakeServer server({serve});
    tc::Client client = connected(server);
    EXPECT_EQ(client.register_buffer(-1, 4096).error().field, "fd");
    EXPECT_EQ(client.register_buffer(0, 4096, 7).error().field, "access");
}

TEST(ClientQuota, IdleBuffersAreGivenBackBeforeAJobFails) {
    // A daemon that takes two buffers at a time.
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read())
            if (request->header.type == wire::MessageType::BufferRegister &&
                connection.registered - connection.released >= 2)
                connection.fail(*request, Status::OverQuota);
            else
                connection.answer(*request);
    }});
    tc::Client client = connected(server);
    const std::vector<float> x = ramp(kLarge);
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 10; ++i) ids.push_back(*client.submit(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM)));
    for (const std::uint64_t id : ids) EXPECT_EQ(client.wait(id)->number(kSum), sum_of(x));
    const std::vector<std::uint8_t> image(400 * 300);
    tc::Expected<tc::Result> map = client.run(map_request(image, 400, 300));
    ASSERT_TRUE(map.ok()) << map.error().message;
    expect_map(*map, 400, 300);
}

}  // namespace
}  // namespace tegu::test
