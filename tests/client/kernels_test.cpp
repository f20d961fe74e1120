// SPDX-License-Identifier: Apache-2.0
// The list of kernels: in parts, empty, refused by a daemon that does not know it, and cut off by one that
// stops.
#include <gtest/gtest.h>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

// Answers KERNELS with entries named by their number, `part` at a time, out of `total`.
class KernelServer {
  public:
    KernelServer(std::uint32_t total, std::uint32_t part) : total_(total), part_(part) {}

    bool answer(Connection& connection, const Request& request) const {
        if (request.header.type != wire::MessageType::Kernels) return connection.answer(request);
        const Result<wire::KernelsRequest> asked = wire::decode_kernels_request(request.body);
        if (!asked) return connection.fail(request, asked.error().status);
        wire::KernelsReply reply;
        reply.total = total_;
        reply.threads_per_multiprocessor = 1536;
        std::vector<std::string> names;
        for (std::uint32_t i = asked->first; i < total_ && names.size() < part_; ++i)
            names.push_back("kernel " + std::to_string(i));
        for (std::size_t i = 0; i < names.size(); ++i) {
            wire::KernelInfo kernel;
            kernel.name = names[i];
            kernel.moves = i % 2 == 0 ? "reads n" : "";
            kernel.registers = asked->first + static_cast<std::uint32_t>(i);
            kernel.architecture = 87;
            reply.kernels.push_back(kernel);
        }
        return connection.reply(request, reply);
    }
    void operator()(Connection& connection) const {
        if (!connection.greet()) return;
        while (std::optional<Request> request = connection.read())
            if (!answer(connection, *request)) return;
    }

  private:
    std::uint32_t total_, part_;
};

TEST(ClientKernels, ListIsPutTogetherFromItsParts) {
    for (const std::uint32_t part : {1u, 7u, 128u}) {
        FakeServer server({KernelServer(300, part)});
        tc::Client client = connected(server);
        tc::Expected<tc::Kernels> kernels = client.kernels();
        ASSERT_TRUE(kernels.ok()) << kernels.error().message;
        EXPECT_EQ(kernels->threads_per_multiprocessor, 1536u);
        EXPECT_EQ(kernels->reason, "");
        ASSERT_EQ(kernels->list.size(), 300u);
        for (std::uint32_t i = 0; i < 300; ++i) {
            EXPECT_EQ(kernels->list[i].name, "kernel " + std::to_string(i));
            EXPECT_EQ(kernels->list[i].registers, i);
            EXPECT_EQ(kernels->list[i].architecture, 87u);
        }
        EXPECT_EQ(kernels->list[0].moves, "reads n");
        expect_works(client);
    }
}

TEST(ClientKernels, NoneHaveAReason) {
    FakeServer server({[](Connection& connection) {
        if (!connection.greet()) return;
        while (std::optional<Request> request = connection.read()) {
            wire::KernelsReply reply;
            reply.reason = "no NVIDIA driver";
            const bool sent = request->header.type == wire::MessageType::Kernels
                                  ? connection.reply(*request, reply)
                                  : connection.answer(*request);
            if (!sent) return;
        }
    }});
    tc::Client client = connected(server);
    tc::Expected<tc::Kernels> kernels = client.kernels();
    ASSERT_TRUE(kernels.ok()) << kernels.error().message;
    EXPECT_TRUE(kernels->list.empty());
    EXPECT_EQ(kernels->reason, "no NVIDIA driver");
    EXPECT_EQ(kernels->threads_per_multiprocessor, 0u);
    expect_works(client);
}

TEST(ClientKernels, OlderDaemonSaysUnsupported) {
    FakeServer server({[](Connection& connection) {
        if (!connection.greet()) return;
        while (std::optional<Request> request = connection.read())
            if (request->header.type == wire::MessageType::Kernels
                    ? !connection.fail(*request, Status::Unsupported)
                    : !connection.answer(*request))
                return;
    }});
    tc::Client client = connected(server);
    tc::Expected<tc::Kernels> kernels = client.kernels();
    ASSERT_FALSE(kernels.ok());
    EXPECT_EQ(kernels.error().status, TEGU_UNSUPPORTED);
    expect_works(client);
}

// The first part of a long list, and then, from its successor, a list of none.
TEST(ClientKernels, DaemonThatLosesItsGpuMeanwhileEndsTheList) {
    FakeServer server({[](Connection& connection) {
                           const KernelServer first(300, 128);
                           if (!connection.greet()) return;
                           std::optional<Request> request = connection.read();
                           if (request && first.answer(connection, *request)) connection.read();
                       },
                       KernelServer(0, 128)});
    tc::Client client = connected(server);
    tc::Expected<tc::Kernels> kernels = client.kernels();
    ASSERT_TRUE(kernels.ok()) << kernels.error().message;
    EXPECT_EQ(kernels->list.size(), 128u);
    expect_works(client);
}

TEST(ClientKernels, ListThatNeverGrowsEnds) {
    FakeServer server({KernelServer(300, 0)});
    tc::Client client = connected(server);
    tc::Expected<tc::Kernels> kernels = client.kernels();
    ASSERT_TRUE(kernels.ok()) << kernels.error().message;
    EXPECT_TRUE(kernels->list.empty());
    expect_works(client);
}

}  // namespace
}  // namespace tegu::test
