// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/job_check.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace tegu::test {

Arrays compute(const Job& job, Bytes data) {
    Result<kernels::JobPlan> plan = kernels::plan_job(job);
    EXPECT_TRUE(plan.ok());
    if (!plan) return {};
    Arrays arrays;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) arrays.emplace_back(array_bytes(spec));
    for (wire::ByteBuffer& array : arrays) outputs.push_back({array.data()});
    const kernels::InputView input{data.data(), job.cols};
    Result<kernels::RunReport> report =
        kernels::run_job(job, Span<const kernels::InputView>(&input, 1), outputs, nullptr, {});
    EXPECT_TRUE(report.ok());
    if (!report) return {};
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (plan->outputs[i].rows == 1)
            arrays[i].resize(report->filled_columns[i] * element_bytes(plan->outputs[i].type));
    return arrays;
}

Arrays arrays_of(const Message& message, const std::byte* output, wire::Backend backend) {
    EXPECT_EQ(Status::Ok, message.header.status)
        << error_of(message).message << " " << error_of(message).field;
    Result<wire::JobReply> reply = wire::decode_job_reply(message.body);
    EXPECT_TRUE(reply.ok());
    if (!reply) return {};
    EXPECT_EQ(backend, reply->backend) << reply->policy;
    EXPECT_FALSE(reply->policy.empty());
    EXPECT_EQ(output != nullptr, reply->in_output);
    const std::byte* base = output != nullptr ? output : reply->data.data();
    Arrays arrays;
    for (const wire::ResultArray& array : reply->arrays) {
        const std::byte* begin = base + array.offset_bytes;
        arrays.emplace_back(begin, begin + array_bytes(array.spec));
    }
    return arrays;
}

SharedMemory::SharedMemory(int fd, std::uint64_t bytes, bool writable)
    : data_(::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0)),
      bytes_(bytes) {
    EXPECT_NE(MAP_FAILED, data_);
}

SharedMemory::~SharedMemory() {
    unmap();
}

void SharedMemory::unmap() {
    if (data_ != nullptr) (void)::munmap(data_, bytes_);
    data_ = nullptr;
}

TestBuffer create_buffer(RawClient& client, std::uint64_t bytes) {
    Message message = client.reply_to(
        client.send_message(wire::MessageType::BufferCreate, wire::BufferCreateRequest{bytes}));
    EXPECT_EQ(Status::Ok, message.header.status) << error_of(message).message;
    Result<wire::BufferReply> reply = wire::decode_buffer_reply(message.body);
    EXPECT_TRUE(reply.ok());
    EXPECT_TRUE(message.fd.valid());
    return TestBuffer{reply ? reply->handle : 0, bytes, std::move(message.fd)};
}

SlowJob::SlowJob(RawClient& client, std::uint64_t side)
    : side_(side),
      input_(create_buffer(client, side * side)),
      output_(create_buffer(client, 4 * side * side * sizeof(float))) {
    const SharedMemory image(input_.fd.get(), side * side);
    std::uint32_t noise = 1;
    for (std::uint64_t i = 0; i < side * side; ++i)
        image.as<std::uint8_t>()[i] =
            static_cast<std::uint8_t>((noise = noise * 1664525u + 1013904223u) >> 24);
}

wire::JobRequest SlowJob::request(std::uint64_t slot) const {
    wire::JobRequest request;
    request.job.type = ElementType::U8;
    request.job.rows = side_;
    request.job.cols = side_;
    EntropyMapParams params;
    params.window_rows = params.window_cols = 63;
    params.levels = 256;
    request.job.params = params;
    request.inputs[0].handle = input_.handle;
    request.output.handle = output_.handle;
    request.output.offset_bytes = slot * side_ * side_ * sizeof(float);
    request.output.capacity_bytes = side_ * side_ * sizeof(float);
    return request;
}

}  // namespace tegu::test
