// SPDX-License-Identifier: Apache-2.0
// The message KERNELS: of a guarded device, which makes up a list that needs several replies; of the GPU of
// this machine; and without one.
#include <gtest/gtest.h>

#include <set>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

using wire::MessageType;

// The texts live as long as the messages.
struct Listed {
    std::vector<Message> messages;
    std::vector<wire::KernelsReply> replies;
    std::vector<wire::KernelInfo> kernels;
};

Message ask(RawClient& client, std::uint32_t first) {
    return client.reply_to(client.send_message(MessageType::Kernels, wire::KernelsRequest{first}));
}

Listed list_kernels(RawClient& client) {
    Listed listed;
    do {
        listed.messages.push_back(ask(client, static_cast<std::uint32_t>(listed.kernels.size())));
        const Message& message = listed.messages.back();
        EXPECT_EQ(Status::Ok, message.header.status);
        Result<wire::KernelsReply> reply = wire::decode_kernels_reply(message.body);
        EXPECT_TRUE(reply.ok());
        if (!reply) break;
        listed.kernels.insert(listed.kernels.end(), reply->kernels.begin(), reply->kernels.end());
        listed.replies.push_back(std::move(*reply));
    } while (!listed.replies.back().kernels.empty() && listed.kernels.size() < listed.replies.back().total);
    return listed;
}

class Kernels : public GpuJobs {
  protected:
    void SetUp() override { start(kAuto + "[gpu]\n", GetParam()); }
};

TEST_P(Kernels, AreListedInParts) {
    RawClient client(socket());
    const Listed listed = list_kernels(client);
    ASSERT_FALSE(listed.replies.empty());
    EXPECT_EQ(listed.replies.front().total, listed.kernels.size());
    EXPECT_EQ(listed.replies.front().reason, "");
    EXPECT_GT(listed.replies.front().threads_per_multiprocessor, 0u);
    EXPECT_GT(listed.replies.size(), on_cuda() ? 0u : 1u);
    std::set<std::string> names;
    for (const wire::KernelInfo& kernel : listed.kernels) {
        const std::string name(kernel.name);
        EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
        EXPECT_FALSE(kernel.moves.empty()) << name;
        EXPECT_GT(kernel.registers, 0u) << name;
        EXPECT_GT(kernel.architecture, 0u) << name;
        EXPECT_LE(kernel.threads, kernel.max_threads) << name;
        EXPECT_GT(kernel.blocks_per_multiprocessor, 0u) << name;
        EXPECT_LE(kernel.blocks_per_multiprocessor * kernel.threads,
                  listed.replies.front().threads_per_multiprocessor)
            << name;
    }
}

TEST_P(Kernels, BeyondTheEndAreNone) {
    RawClient client(socket());
    for (const std::uint32_t first : {100000u, 0xffffffffu}) {
        const Message message = ask(client, first);
        const Result<wire::KernelsReply> reply = wire::decode_kernels_reply(message.body);
        ASSERT_TRUE(reply.ok());
        EXPECT_TRUE(reply->kernels.empty());
        EXPECT_GT(reply->total, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(Memory, Kernels, testing::Values("A", "discrete"));

TEST(KernelsWithout, AGpuHaveAReason) {
    const DaemonProcess daemon("[executor]\nbackend = \"auto\"\n", guarded("none"));
    RawClient client(daemon.socket());
    const Message message = ask(client, 0);
    const Result<wire::KernelsReply> reply = wire::decode_kernels_reply(message.body);
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply->total, 0u);
    EXPECT_TRUE(reply->kernels.empty());
    EXPECT_EQ(reply->reason, "no NVIDIA driver");
}

TEST(KernelsWithout, ABodyAreRefused) {
    const DaemonProcess daemon("");
    RawClient client(daemon.socket());
    const Message message = client.reply_to(client.send(MessageType::Kernels));
    EXPECT_EQ(Status::BadRequest, message.header.status);
    EXPECT_EQ("body", error_of(message).field);
    EXPECT_EQ(Status::Ok, ask(client, 0).header.status);
}

}  // namespace
}  // namespace tegu::test
