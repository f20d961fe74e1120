// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/gpus/gpu_support.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

namespace tegu::test {

using wire::BackendChoice;
using wire::MessageType;

DaemonProgram guarded(const std::string& gpu, const std::string& fault, const std::string& speed) {
    const bool linked = std::getenv("TEGU_TEST_MODULE") == nullptr;
    return {linked ? "tests/guard_tegud" : "tests/moved/bin/tegud",
            {"TEGU_TEST_GPU=" + gpu, "TEGU_TEST_FAULT=" + fault, "TEGU_TEST_SPEED=" + speed}};
}

void wait_until_probed(RawClient& client) {
    for (int i = 0; i < 60000 && field(info_of(client), "placement_probing") != 0; ++i) ::usleep(2000);
    EXPECT_EQ(0, field(info_of(client), "placement_probing"));
}

Message run_until_on_gpu(RawClient& client, const wire::JobRequest& request) {
    Message reply = run(client, request);
    for (int i = 1; i < 500 && backend_of(reply) != wire::Backend::Gpu; ++i) reply = run(client, request);
    return reply;
}

bool on_cuda() {
    return std::getenv("TEGU_TEST_CUDA") != nullptr;
}

std::vector<float> noise(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values)
        value = static_cast<float>(static_cast<int>(random() % 20001) - 10000) * 0.37f;
    return values;
}

Message run(RawClient& client, const wire::JobRequest& request) {
    return client.reply_to(client.send_job(request));
}

std::string policy_of(const Message& message) {
    const Result<wire::JobReply> reply = wire::decode_job_reply(message.body);
    return reply ? std::string(reply->policy) : error_of(message).message;
}

wire::Backend backend_of(const Message& message) {
    const Result<wire::JobReply> reply = wire::decode_job_reply(message.body);
    return reply ? reply->backend : wire::Backend::None;
}

Message info_of(RawClient& client) {
    return client.reply_to(client.send(MessageType::Info));
}

Message stats_of(RawClient& client) {
    return client.reply_to(client.send(MessageType::Stats));
}

void make_file(const std::string& path) {
    std::ofstream(path) << "now";
}

BufferOfOnes::BufferOfOnes(RawClient& client, std::uint64_t count, std::int32_t value)
    : client_(client), buffer_(create_buffer(client, count * 4)), values_(buffer_.fd.get(), count * 4) {
    request_.job.type = ElementType::I32;
    request_.job.cols = count;
    request_.job.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    request_.backend = BackendChoice::Gpu;
    request_.inputs[0].handle = buffer_.handle;
    for (std::uint64_t i = 0; i < count; ++i) values()[i] = value;
}

wire::JobRequest BufferOfOnes::doubling() const {
    wire::JobRequest request = request_;
    request.job.params = AddParams{};
    request.inputs[1] = request.inputs[0];
    request.output = {buffer_.handle, 0, buffer_.bytes};
    return request;
}

std::int64_t BufferOfOnes::sum(std::uint64_t generation, BackendChoice backend) {
    request_.inputs[0].generation = generation;
    request_.backend = backend;
    return sum_of(run(client_, request_),
                  backend == BackendChoice::Cpu ? wire::Backend::Cpu : wire::Backend::Gpu);
}

std::int64_t sum_of(const Message& reply, wire::Backend backend) {
    const Arrays arrays = arrays_of(reply, nullptr, backend);
    std::int64_t value = -1;
    if (arrays.size() == 1 && arrays[0].size() == 8) std::memcpy(&value, arrays[0].data(), 8);
    return value;
}

bool is_absence(const std::string& reason) {
    for (const std::string words : {"no NVIDIA driver", "no CUDA device", "(gpu.memory_class)"})
        if (reason.size() >= words.size() && reason.substr(reason.size() - words.size()) == words)
            return true;
    return false;
}

void GpuJobs::SetUp() {
    start(kAuto + "[gpu]\n", GetParam());
}

void GpuJobs::start(const std::string& settings, const std::string& gpu, const std::string& speed) {
    const std::string forced = settings + "memory_class = \"" + GetParam() + "\"\n";
    daemon_ = on_cuda() ? std::make_unique<DaemonProcess>(forced, DaemonProgram{"bin/tegud", {}})
                        : std::make_unique<DaemonProcess>(settings, guarded(gpu, "hold:" + held_, speed));
    RawClient client(socket());
    const Message info = info_of(client);
    if (text_field(info, "backend") == "gpu") return;
    ASSERT_TRUE(on_cuda());
    const std::string reason = text_field(info, "backend_reason");
    ASSERT_TRUE(is_absence(reason)) << "this machine may have a GPU: " << reason;
    GTEST_SKIP() << reason;
}

// A sample that the daemon times may be such a map: it must not be held.
void GpuJobs::hold() const {
    RawClient client(socket());
    wait_until_probed(client);
    make_file(held_);
}

void GpuJobs::TearDown() {
    release();
    if (daemon_ != nullptr) {
        RawClient other(socket());
        const std::vector<float> values = noise(100);
        const wire::JobRequest count = reduce_request(values, statistic_bit(Statistic::Count));
        EXPECT_EQ(Status::Ok, run(other, count).header.status);
    }
    daemon_.reset();
    remove_directory(directory_);
}

}  // namespace tegu::test
