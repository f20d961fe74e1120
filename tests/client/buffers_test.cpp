// SPDX-License-Identifier: Apache-2.0
// Buffers of the caller: filled, frozen, freed, refused, and there again after the connection was lost.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/client/memory_util.h"

namespace tegu::test {
namespace {

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
                               if (std::optional<Request> request = connection.read())
                                   connection.answer(*request);
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
                           if (std::optional<Request> request = connection.read())
                               connection.answer(*request);
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
    for (int i = 0; i < 10; ++i)
        ids.push_back(*client.submit(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM)));
    for (const std::uint64_t id : ids) EXPECT_EQ(client.wait(id)->number(kSum), sum_of(x));
    const std::vector<std::uint8_t> image(400 * 300);
    tc::Expected<tc::Result> map = client.run(map_request(image, 400, 300));
    ASSERT_TRUE(map.ok()) << map.error().message;
    expect_map(*map, 400, 300);
}

}  // namespace
}  // namespace tegu::test
