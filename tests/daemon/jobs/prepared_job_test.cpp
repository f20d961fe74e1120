// SPDX-License-Identifier: Apache-2.0
// Operands against buffers: what two inputs and an output may share, and who is refused with which field.
#include "daemon/jobs/prepared_job.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "daemon/jobs/job_runner.h"

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kBytes = 8192;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

class PreparedJobs : public ::testing::Test {
  protected:
    std::uint64_t add_buffer(std::uint64_t bytes = kBytes) {
        Result<Fd> fd = make_memfd(bytes);
        EXPECT_TRUE(fd.ok() && populate_memfd(fd->get(), 0, bytes).ok());
        Result<std::shared_ptr<Buffer>> buffer =
            Buffer::from_daemon(std::move(fd).value(), bytes, BufferCharge());
        EXPECT_TRUE(buffer.ok());
        return buffers_.add(std::move(buffer).value());
    }

    // x + y of `cols` f32 from the start of two buffers.
    static wire::JobRequest add(std::uint64_t x, std::uint64_t y, std::uint64_t cols,
                                std::uint64_t rows = 1) {
        wire::JobRequest request;
        request.job.type = ElementType::F32;
        request.job.rows = rows;
        request.job.cols = cols;
        request.job.params = AddParams{};
        request.inputs[0].handle = x;
        request.inputs[1].handle = y;
        return request;
    }

    static wire::JobRequest rowscale(std::uint64_t x, std::uint64_t rows, std::uint64_t cols) {
        wire::JobRequest request;
        request.job.type = ElementType::F32;
        request.job.rows = rows;
        request.job.cols = cols;
        request.job.axis = Axis::Rows;
        request.job.params = RowscaleParams{};
        request.inputs[0].handle = x;
        return request;
    }

    Result<PreparedJob> prepare(const wire::JobRequest& request) {
        return prepare_job(request, buffers_, kNoLimit, std::make_shared<TuningState>());
    }

    void expect_refused(const wire::JobRequest& request, Status status, const std::string& field) {
        const Result<PreparedJob> prepared = prepare(request);
        ASSERT_FALSE(prepared.ok());
        EXPECT_EQ(status, prepared.error().status) << prepared.error().message;
        EXPECT_EQ(field, prepared.error().field) << prepared.error().message;
        EXPECT_FALSE(prepared.error().allowed.empty());
    }

    float* floats(std::uint64_t handle) {
        return reinterpret_cast<float*>(*buffers_.find(handle)->write_data());
    }

    static Result<void> run(const PreparedJob& prepared) {
        JobRunner runner(nullptr);
        wire::ByteBuffer out;
        RunCost cost;
        return runner.run(prepared, {}, 0, out, cost);
    }

    BufferTable buffers_;
};

TEST_F(PreparedJobs, TheOutputMayBeEitherDenseInput) {
    for (const std::size_t which : {0u, 1u}) {
        const std::uint64_t x = add_buffer(), y = add_buffer();
        for (int i = 0; i < 64; ++i) {
            floats(x)[i] = static_cast<float>(i);
            floats(y)[i] = 100;
        }
        wire::JobRequest request = add(x, y, 64);
        request.output = {which == 0 ? x : y, 0, 256};
        Result<PreparedJob> prepared = prepare(request);
        ASSERT_TRUE(prepared.ok()) << prepared.error().message;
        EXPECT_TRUE(prepared->in_place);
        EXPECT_EQ(prepared->output.data, prepared->inputs[which].view.data)
            << "one address for reading and writing";
        EXPECT_NE(prepared->output.data, prepared->inputs[1 - which].view.data);
        ASSERT_TRUE(run(*prepared).ok());
        for (int i = 0; i < 64; ++i) EXPECT_EQ(100.0f + static_cast<float>(i), floats(which == 0 ? x : y)[i]);
    }
}

TEST_F(PreparedJobs, OneBufferMayBeBothInputsAndTheOutput) {
    const std::uint64_t x = add_buffer();
    for (int i = 0; i < 2048; ++i) floats(x)[i] = 1.5f;
    wire::JobRequest request = add(x, x, 2048);
    Result<PreparedJob> into_reply = prepare(add(x, x, 100));
    ASSERT_TRUE(into_reply.ok()) << into_reply.error().message;
    EXPECT_FALSE(into_reply->in_place);
    into_reply = prepare(add(x, x, 1));
    ASSERT_TRUE(into_reply.ok());
    into_reply = make_error(Status::Internal, "let go of the buffer");
    request.output = {x, 0, kBytes};
    Result<PreparedJob> prepared = prepare(request);
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    ASSERT_TRUE(run(*prepared).ok());
    for (int i = 0; i < 2048; ++i) ASSERT_EQ(3.0f, floats(x)[i]);
}

TEST_F(PreparedJobs, AJobInPlaceExcludesOthersAndEndsItsUse) {
    const std::uint64_t x = add_buffer(), y = add_buffer();
    wire::JobRequest request = add(x, y, 64);
    request.output = {x, 0, 256};
    {
        Result<PreparedJob> first = prepare(request);
        ASSERT_TRUE(first.ok());
        expect_refused(request, Status::Busy, "output.offset_bytes");
        expect_refused(add(x, y, 64), Status::Busy, "inputs[0].offset_bytes");
        expect_refused(add(y, x, 64), Status::Busy, "inputs[1].offset_bytes");
        EXPECT_TRUE(prepare(add(y, y, 64)).ok()) << "reading what is read is no conflict";
        wire::JobRequest beside = add(x, y, 64);
        beside.inputs[0].offset_bytes = 256;
        EXPECT_TRUE(prepare(beside).ok()) << "other bytes of the same buffer";
    }
    EXPECT_TRUE(prepare(request).ok());
    EXPECT_TRUE(prepare(add(x, y, 64)).ok());
}

TEST_F(PreparedJobs, AnyOtherOverlapIsRefused) {
    const std::uint64_t x = add_buffer(), y = add_buffer();
    wire::JobRequest request = add(x, y, 64);
    request.inputs[0].offset_bytes = 64;
    for (const std::uint64_t offset : {0u, 128u, 256u}) {  // 0: up to a part of it; 256: its last bytes
        request.output = {x, offset, 256};
        expect_refused(request, Status::BadRange, "output.offset_bytes");
    }
    request.output = {x, 320, 256};
    EXPECT_TRUE(prepare(request).ok()) << "right behind it";
    request.output = {x, 64, 256};
    EXPECT_TRUE(prepare(request).ok()) << "exactly it";
    // Exactly one input, and a part of the other.
    request.inputs[1] = {x, 128, 0, 0};
    expect_refused(request, Status::BadRange, "output.offset_bytes");
    const Result<PreparedJob> refused = prepare(request);
    EXPECT_NE(std::string::npos, refused.error().message.find("inputs[1]")) << refused.error().message;
    EXPECT_NE(std::string::npos, refused.error().allowed.find("dense input"));
}

TEST_F(PreparedJobs, OverlapByOneByteIsRefused) {
    const std::uint64_t x = add_buffer(), y = add_buffer();
    wire::JobRequest request = add(x, y, 65);
    request.job.type = ElementType::U8;
    request.output = {x, 64, 65};  // byte 64 is the last of the input
    expect_refused(request, Status::BadRange, "output.offset_bytes");
    request.job.cols = 64;
    EXPECT_TRUE(prepare(request).ok());
}

TEST_F(PreparedJobs, AnInputWithGapsBetweenItsRowsIsNoPlaceForTheOutput) {
    const std::uint64_t x = add_buffer(), y = add_buffer();
    wire::JobRequest request = add(x, y, 4, 4);
    request.inputs[0].row_stride = 5;
    request.output = {x, 0, 64};
    expect_refused(request, Status::BadRange, "output.offset_bytes");
    request.inputs[0].row_stride = 4;
    EXPECT_TRUE(prepare(request).ok());
    request = add(x, y, 4, 1);
    request.inputs[0].row_stride = 1000;  // of a single row: no gap
    request.output = {x, 0, 64};
    EXPECT_TRUE(prepare(request).ok());
}

TEST_F(PreparedJobs, ValuesMayBeTheInputButScalesMayNot) {
    const std::uint64_t x = add_buffer(), other = add_buffer();
    wire::JobRequest request = rowscale(x, 16, 16);  // 1024 bytes, then 64 of scales
    request.output = {x, 0, 1088};
    Result<PreparedJob> prepared = prepare(request);
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    EXPECT_TRUE(prepared->in_place);
    EXPECT_EQ((std::vector<std::uint64_t>{0, 1024}), prepared->output.offsets);
    prepared = make_error(Status::Internal, "let go of the buffer");
    request.inputs[0].offset_bytes = 1024;  // where the scales would go
    expect_refused(request, Status::BadRange, "output.offset_bytes");
    request.inputs[0].offset_bytes = 1088;
    EXPECT_TRUE(prepare(request).ok());
    request.output = {other, 0, 1088};
    prepared = prepare(request);
    ASSERT_TRUE(prepared.ok());
    EXPECT_FALSE(prepared->in_place);
}

TEST_F(PreparedJobs, OperationsThatDoNotWorkInPlaceRefuseIt) {
    const std::uint64_t x = add_buffer();
    wire::JobRequest request = rowscale(x, 1, 16);
    request.job.axis = Axis::Whole;
    request.job.params = TopkParams{16, true, false};
    request.output = {x, 0, kBytes};
    const Result<PreparedJob> refused = prepare(request);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ("output.offset_bytes", refused.error().field);
    EXPECT_EQ(std::string::npos, refused.error().allowed.find("dense"));
}

TEST_F(PreparedJobs, EachInputIsHeldAgainstItsOwnBuffer) {
    const std::uint64_t large = add_buffer(), small = add_buffer(4096);
    expect_refused(add(large, small, 1025), Status::BadRange, "inputs[1].offset_bytes");
    expect_refused(add(small, large, 1025), Status::BadRange, "inputs[0].offset_bytes");
    expect_refused(add(large, 77, 8), Status::NotFound, "inputs[1].handle");
    wire::JobRequest request = add(large, small, 16, 2);
    request.inputs[1].row_stride = 15;
    expect_refused(request, Status::BadRange, "inputs[1].row_stride");
    request.inputs[1].row_stride = 1009;
    expect_refused(request, Status::BadRange, "inputs[1].offset_bytes");
    request.inputs[1].row_stride = 1008;
    EXPECT_TRUE(prepare(request).ok());
    request.inputs[1].offset_bytes = 2;
    expect_refused(request, Status::BadRange, "inputs[1].offset_bytes");
}

TEST_F(PreparedJobs, GenerationsOfBothInputsCount) {
    const std::uint64_t x = add_buffer();
    wire::JobRequest request = add(x, x, 8);
    request.inputs[0].generation = 5;
    request.inputs[1].generation = 4;
    expect_refused(request, Status::BadRange, "inputs[1].generation");
    request.inputs[1].generation = 5;
    EXPECT_TRUE(prepare(request).ok());
}

TEST_F(PreparedJobs, InlineInputsBesideABufferFollowTheirCopy) {
    const std::uint64_t x = add_buffer();
    const std::vector<std::byte> data(64), copy(64);
    wire::JobRequest request = add(0, x, 16);
    request.data = data;
    Result<PreparedJob> prepared = prepare(request);
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    const std::byte* mapped = prepared->inputs[1].view.data;
    prepared->rebase_inline(request.data, copy.data());
    EXPECT_EQ(copy.data(), prepared->inputs[0].view.data);
    EXPECT_EQ(mapped, prepared->inputs[1].view.data);
}

TEST_F(PreparedJobs, NothingInAnOutputOverlapsNothing) {
    const std::uint64_t x = add_buffer();
    wire::JobRequest request = add(x, x, 0);
    request.inputs[0].offset_bytes = request.inputs[1].offset_bytes = 128;
    request.output = {x, 64, 0};
    EXPECT_TRUE(prepare(request).ok());
}

}  // namespace
}  // namespace tegu::daemon
