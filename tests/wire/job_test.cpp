// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

// Offsets in the body of a job with one input.
constexpr std::size_t kOperation = 0, kType = 2, kAxis = 3, kBackend = 4, kReserved = 5, kParamsBytes = 6,
                      kRows = 8, kCols = 16;
constexpr std::size_t kHandle = 24, kOffset = 32, kGeneration = 40, kRowStride = 48;
constexpr std::size_t kOutHandle = 56, kOutOffset = 64, kOutCapacity = 72, kParams = 80;

const ByteBuffer kData(24, std::byte{7});

JobRequest reduce_job() {
    JobRequest request;
    request.job.type = ElementType::F32;
    request.job.axis = Axis::Rows;
    request.job.rows = 2;
    request.job.cols = 3;
    request.job.params =
        ReduceParams{statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Nans), true, 1};
    request.data = kData;
    return request;
}

JobRequest topk_job() {
    JobRequest request;
    request.job.type = ElementType::I64;
    request.job.rows = 1000;
    request.job.cols = 5;
    request.job.params = TopkParams{3, false, true};
    request.backend = BackendChoice::Cpu;
    request.inputs[0] = {9, 64, 2, 8};
    request.output = {10, 128, 1 << 20};
    return request;
}

JobRequest add_job(std::uint64_t cols, Bytes data) {
    JobRequest request;
    request.job.type = ElementType::U8;
    request.job.cols = cols;
    request.job.params = AddParams{};
    request.data = data;
    return request;
}

TEST(JobRequestBody, OfReduceComesBack) {
    const ByteBuffer body = body_of(reduce_job());
    const JobRequest request = *decode_job_request(body);
    EXPECT_EQ(operation_of(request.job), Operation::Reduce);
    EXPECT_EQ(request.job.type, ElementType::F32);
    EXPECT_EQ(request.job.axis, Axis::Rows);
    EXPECT_EQ(request.job.rows, 2u);
    EXPECT_EQ(request.job.cols, 3u);
    const auto& params = std::get<ReduceParams>(request.job.params);
    EXPECT_EQ(params.statistics, statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Nans));
    EXPECT_TRUE(params.skip_nans);
    EXPECT_EQ(params.ddof, 1u);
    EXPECT_EQ(request.data.size(), 24u);
    EXPECT_EQ(request.data.end(), body.data() + body.size()) << "a view, not a copy";
}

TEST(JobRequestBody, OfTopkByHandleComesBack) {
    const JobRequest request = *decode_job_request(body_of(topk_job()));
    EXPECT_EQ(request.backend, BackendChoice::Cpu);
    EXPECT_EQ(request.inputs[0].handle, 9u);
    EXPECT_EQ(request.inputs[0].offset_bytes, 64u);
    EXPECT_EQ(request.inputs[0].generation, 2u);
    EXPECT_EQ(request.inputs[0].row_stride, 8u);
    EXPECT_EQ(request.output.handle, 10u);
    EXPECT_EQ(request.output.offset_bytes, 128u);
    EXPECT_EQ(request.output.capacity_bytes, std::uint64_t{1} << 20);
    const auto& params = std::get<TopkParams>(request.job.params);
    EXPECT_EQ(params.k, 3u);
    EXPECT_FALSE(params.largest);
    EXPECT_TRUE(params.distinct);
    EXPECT_TRUE(request.data.empty());
}

TEST(JobRequestBody, OfTwoInputsComesBack) {
    JobRequest request = topk_job();
    request.job.params = DotParams{true};
    request.inputs[1] = {11, 192, 3, 7};
    const JobRequest decoded = *decode_job_request(body_of(request));
    EXPECT_EQ(operation_of(decoded.job), Operation::Dot);
    EXPECT_TRUE(std::get<DotParams>(decoded.job.params).skip_nans);
    EXPECT_EQ(decoded.inputs[0].handle, 9u);
    EXPECT_EQ(decoded.inputs[1].handle, 11u);
    EXPECT_EQ(decoded.inputs[1].offset_bytes, 192u);
    EXPECT_EQ(decoded.inputs[1].generation, 3u);
    EXPECT_EQ(decoded.inputs[1].row_stride, 7u);
    EXPECT_EQ(decoded.output.handle, 10u);
}

TEST(JobRequestBody, OfTwoInputsHasDataForThoseWithoutHandle) {
    const ByteBuffer both(8 + 3), one(3);
    EXPECT_EQ(decode_job_request(body_of(add_job(3, both)))->data.size(), 11u);
    EXPECT_EQ(decode_job_request(body_of(add_job(8, ByteBuffer(16))))->data.size(), 16u);
    EXPECT_TRUE(decode_job_request(body_of(add_job(0, {}))).ok());
    for (const std::size_t named : {0, 1}) {
        JobRequest request = add_job(3, one);
        request.inputs[named].handle = 5;
        EXPECT_TRUE(decode_job_request(body_of(request)).ok());
        request.data = both;
        expect_error(decode_job_request(body_of(request)), Status::BadRequest, "data");
    }
    expect_error(decode_job_request(body_of(add_job(3, one))), Status::BadRequest, "data");
}

TEST(JobRequestBody, OfTwoInputsNamesTheOneThatIsWrong) {
    const ByteBuffer data(16);
    JobRequest request = add_job(8, data);
    request.inputs[1].offset_bytes = 8;
    expect_error(decode_job_request(body_of(request)), Status::BadRange, "inputs[1].offset_bytes");
    request.inputs[1] = {0, 0, 1, 0};
    expect_error(decode_job_request(body_of(request)), Status::BadRange, "inputs[1].generation");
    request.inputs[1] = {0, 0, 0, 9};
    expect_error(decode_job_request(body_of(request)), Status::BadRange, "inputs[1].row_stride");
}

TEST(JobRequestBody, OfTwoInputsRefusesPaddingThatIsNotZero) {
    for (std::size_t i = 0; i < 11; ++i) {
        ByteBuffer data(11);
        data[i] = std::byte{1};
        const Result<JobRequest> decoded = decode_job_request(body_of(add_job(3, data)));
        if (i < 3 || i >= 8)
            EXPECT_TRUE(decoded.ok()) << i;
        else
            expect_error(decoded, Status::BadRequest, "padding");
    }
}

TEST(JobRequestBody, OfTwoInputsTakesTheLargestInlineDataAndNoMore) {
    const ByteBuffer data(kMaxInlineBytes);
    EXPECT_TRUE(decode_job_request(body_of(add_job(kMaxInlineBytes / 2, data))).ok());
    for (const std::uint64_t cols :
         {std::uint64_t{kMaxInlineBytes} / 2 + 1, UINT64_MAX, std::uint64_t{1} << 63})
        expect_error(decode_job_request(body_of(add_job(cols, data))), Status::TooLarge, "data");
}

TEST(JobRequestBody, RefusesNumbersThatAreNotInTheirLists) {
    const ByteBuffer good = body_of(reduce_job());
    for (const std::uint16_t operation : {0, 11, 65535})
        expect_error(decode_job_request(with(good, kOperation, operation)), Status::Unsupported, "operation");
    for (const std::uint8_t type : {0, 12, 255})
        expect_error(decode_job_request(with(good, kType, type)), Status::Unsupported, "type");
    expect_error(decode_job_request(with<std::uint8_t>(good, kAxis, 2)), Status::BadRange, "axis");
    expect_error(decode_job_request(with<std::uint8_t>(good, kBackend, 3)), Status::BadRange, "backend");
    expect_error(decode_job_request(with<std::uint8_t>(good, kReserved, 1)), Status::BadRequest, "reserved");
    for (const std::uint16_t length : {0, 15, 24, 65535})
        expect_error(decode_job_request(with(good, kParamsBytes, length)), Status::BadRequest,
                     "params_bytes");
}

TEST(JobRequestBody, RefusesInlineOperandsThatAreNotDense) {
    const ByteBuffer good = body_of(reduce_job());
    expect_error(decode_job_request(with<std::uint64_t>(good, kOffset, 8)), Status::BadRange,
                 "inputs[0].offset_bytes");
    expect_error(decode_job_request(with<std::uint64_t>(good, kGeneration, 1)), Status::BadRange,
                 "inputs[0].generation");
    for (const std::uint64_t stride : {std::uint64_t{2}, std::uint64_t{4}, UINT64_MAX})
        expect_error(decode_job_request(with(good, kRowStride, stride)), Status::BadRange,
                     "inputs[0].row_stride");
    EXPECT_TRUE(decode_job_request(with<std::uint64_t>(good, kRowStride, 3)).ok());
}

TEST(JobRequestBody, RefusesOutputsThatAreNowhereOrUnaligned) {
    const ByteBuffer good = body_of(reduce_job());
    expect_error(decode_job_request(with<std::uint64_t>(good, kOutOffset, 64)), Status::BadRange,
                 "output.offset_bytes");
    expect_error(decode_job_request(with<std::uint64_t>(good, kOutCapacity, 64)), Status::BadRange,
                 "output.capacity_bytes");
    const ByteBuffer to_buffer = with<std::uint64_t>(good, kOutHandle, 1);
    EXPECT_TRUE(decode_job_request(to_buffer).ok());
    for (const std::uint64_t offset : {1, 8, 63, 65})
        expect_error(decode_job_request(with(to_buffer, kOutOffset, offset)), Status::BadRange,
                     "output.offset_bytes");
    const ByteBuffer far = with<std::uint64_t>(to_buffer, kOutOffset, UINT64_MAX - 63);
    EXPECT_TRUE(decode_job_request(with<std::uint64_t>(far, kOutCapacity, 63)).ok());
    expect_error(decode_job_request(with<std::uint64_t>(far, kOutCapacity, 64)), Status::BadRange,
                 "output.capacity_bytes");
}

TEST(JobRequestBody, RefusesDataThatDoesNotFitTheShape) {
    const ByteBuffer good = body_of(reduce_job());
    expect_error(decode_job_request(with_tail(good, 1)), Status::BadRequest, "data");
    expect_error(decode_job_request(ByteBuffer(good.begin(), good.end() - 1)), Status::BadRequest, "data");
    expect_error(decode_job_request(with<std::uint64_t>(good, kRows, 1)), Status::BadRequest, "data");
    expect_error(decode_job_request(with<std::uint64_t>(good, kCols, 4)), Status::BadRequest, "data");
    expect_error(decode_job_request(with<std::uint64_t>(good, kHandle, 1)), Status::BadRequest, "data");
    EXPECT_EQ(decode_job_request(with<std::uint64_t>(good, kRows, 1)).error().allowed, "12 bytes");
}

TEST(JobRequestBody, RefusesShapesWhoseProductWraps) {
    const ByteBuffer good = body_of(reduce_job());
    struct Shape {
        std::uint64_t rows, cols;
    };
    const std::uint64_t two32 = std::uint64_t{1} << 32;
    // Products of 2^64, of 2^64 + 24 / 4, and sizes of 2^64 bytes: all wrap to something small.
    for (const Shape& shape :
         {Shape{two32, two32}, Shape{UINT64_MAX, UINT64_MAX}, Shape{std::uint64_t{1} << 62, 4},
          Shape{std::uint64_t{1} << 62, 1}, Shape{1, (std::uint64_t{1} << 62) + 6}, Shape{1, 16385}})
        expect_error(decode_job_request(with(with(good, kRows, shape.rows), kCols, shape.cols)),
                     Status::TooLarge, "data");
}

TEST(JobRequestBody, TakesTheLargestInlineDataAndNoMore) {
    JobRequest request = reduce_job();
    request.job.rows = 1;
    ByteBuffer data(kMaxInlineBytes);
    request.job.cols = data.size() / 4;
    request.data = data;
    EXPECT_EQ(decode_job_request(body_of(request))->data.size(), kMaxInlineBytes);
    data.resize(kMaxInlineBytes + 4);
    request.job.cols = data.size() / 4;
    request.data = data;
    expect_error(decode_job_request(body_of(request)), Status::TooLarge, "data");
}

TEST(JobRequestBody, TakesEmptyShapes) {
    JobRequest request = reduce_job();
    request.data = {};
    request.job.rows = 0;
    EXPECT_TRUE(decode_job_request(body_of(request)).ok());
    request.job.rows = UINT64_MAX;
    request.job.cols = 0;
    EXPECT_TRUE(decode_job_request(body_of(request)).ok());
}

TEST(JobRequestBody, ErrorsSayWhatWasFound) {
    for (const std::size_t offset : {kType, kAxis, kBackend, kOffset, kGeneration, kRowStride, kOutOffset,
                                     kOutCapacity, kParams + 8}) {  // the last: skip_nans
        ByteBuffer body = body_of(reduce_job());
        body[offset] = std::byte{77};
        const Error error = decode_job_request(body).error();
        EXPECT_FALSE(error.field.empty());
        EXPECT_NE(error.message.find(", found 77"), std::string::npos)
            << error.field << ": " << error.message;
    }
}

}  // namespace
}  // namespace tegu::wire
