// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

// Offsets in the body of a job with one input.
constexpr std::size_t kOperation = 0, kType = 2, kAxis = 3, kBackend = 4, kReserved = 5, kParamsBytes = 6, kRows = 8,
                      kCols = 16;
constexpr std::size_t kHandle = 24, kOffset = 32, kGeneration = 40, kRowStride = 48;
constexpr std::size_t kOutHandle = 56, kOutOffset = 64, kOutCapacity = 72, kParams = 80;

const ByteBuffer kData(24, std::byte{7});

JobRequest reduce_job() {
    JobRequest request;
    request.job.type = ElementType::F32;
    request.job.axis = Axis::Rows;
    request.job.rows = 2;
    request.job.cols = 3;
    request.job.params = ReduceParams{statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Nans), true, 1};
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

JobRequest entropy_job(bool has_range) {
    JobRequest request;
    request.job.type = ElementType::U8;
    request.job.rows = 4;
    request.job.cols = 6;
    request.job.params = EntropyMapParams{3, 63, 256, has_range, -1.5, 2.5, LogBase::E, Border::Mirror};
    request.data = kData;
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

TEST(JobRequestBody, OfEntropyMapComesBack) {
    const JobRequest with_range = *decode_job_request(body_of(entropy_job(true)));
    const auto& params = std::get<EntropyMapParams>(with_range.job.params);
    EXPECT_EQ(params.window_rows, 3u);
    EXPECT_EQ(params.window_cols, 63u);
    EXPECT_EQ(params.levels, 256u);
    EXPECT_EQ(params.lo, -1.5);
    EXPECT_EQ(params.hi, 2.5);
    EXPECT_EQ(params.base, LogBase::E);
    EXPECT_EQ(params.border, Border::Mirror);
    const JobRequest without = *decode_job_request(body_of(entropy_job(false)));
    EXPECT_FALSE(std::get<EntropyMapParams>(without.job.params).has_range);
    EXPECT_EQ(std::get<EntropyMapParams>(without.job.params).hi, 0.0) << "without a range its edges are not sent";
}

TEST(JobRequestBody, RefusesNumbersThatAreNotInTheirLists) {
    const ByteBuffer good = body_of(reduce_job());
    for (const std::uint16_t operation : {0, 4, 65535})
        expect_error(decode_job_request(with(good, kOperation, operation)), Status::Unsupported, "operation");
    for (const std::uint8_t type : {0, 12, 255})
        expect_error(decode_job_request(with(good, kType, type)), Status::Unsupported, "type");
    expect_error(decode_job_request(with<std::uint8_t>(good, kAxis, 2)), Status::BadRange, "axis");
    expect_error(decode_job_request(with<std::uint8_t>(good, kBackend, 3)), Status::BadRange, "backend");
    expect_error(decode_job_request(with<std::uint8_t>(good, kReserved, 1)), Status::BadRequest, "reserved");
    for (const std::uint16_t length : {0, 15, 24, 65535})
        expect_error(decode_job_request(with(good, kParamsBytes, length)), Status::BadRequest, "params_bytes");
}

TEST(JobRequestBody, RefusesInlineOperandsThatAreNotDense) {
    const ByteBuffer good = body_of(reduce_job());
    expect_error(decode_job_request(with<std::uint64_t>(good, kOffset, 8)), Status::BadRange, "inputs[0].offset_bytes");
    expect_error(decode_job_request(with<std::uint64_t>(good, kGeneration, 1)), Status::BadRange,
                 "inputs[0].generation");
    for (const std::uint64_t stride : {std::uint64_t{2}, std::uint64_t{4}, UINT64_MAX})
        expect_error(decode_job_request(with(good, kRowStride, stride)), Status::BadRange, "inputs[0].row_stride");
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
        expect_error(decode_job_request(with(to_buffer, kOutOffset, offset)), Status::BadRange, "output.offset_bytes");
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
        expect_error(decode_job_request(with(with(good, kRows, shape.rows), kCols, shape.cols)), Status::TooLarge,
                     "data");
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

TEST(ReduceParamsBody, ChecksItsFields) {
    const ByteBuffer good = body_of(reduce_job());
    expect_error(decode_job_request(with<std::uint32_t>(good, kParams, 1u << kStatisticCount)), Status::Unsupported,
                 "statistics");
    expect_error(decode_job_request(with<std::uint32_t>(good, kParams, UINT32_MAX)), Status::Unsupported, "statistics");
    EXPECT_TRUE(decode_job_request(with<std::uint32_t>(good, kParams, kAllStatistics)).ok());
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 8, 2)), Status::BadRange, "skip_nans");
    for (std::size_t i = 9; i < 16; ++i)
        expect_error(decode_job_request(with<std::uint8_t>(good, kParams + i, 1)), Status::BadRequest, "reserved");
}

TEST(TopkParamsBody, ChecksItsFields) {
    const ByteBuffer good = body_of(topk_job());
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 8, 2)), Status::BadRange, "largest");
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 9, 0xff)), Status::BadRange, "distinct");
    for (std::size_t i = 10; i < 16; ++i)
        expect_error(decode_job_request(with<std::uint8_t>(good, kParams + i, 1)), Status::BadRequest, "reserved");
}

TEST(EntropyMapParamsBody, ChecksItsFields) {
    const ByteBuffer good = body_of(entropy_job(true));
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 12, 2)), Status::BadRange, "has_range");
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 13, 2)), Status::BadRange, "base");
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 14, 2)), Status::BadRange, "border");
    expect_error(decode_job_request(with<std::uint8_t>(good, kParams + 15, 1)), Status::BadRequest, "reserved");
    expect_error(decode_job_request(with<double>(body_of(entropy_job(false)), kParams + 16, 1.0)), Status::BadRequest,
                 "reserved");
    expect_error(decode_job_request(with<double>(body_of(entropy_job(false)), kParams + 24, 1.0)), Status::BadRequest,
                 "reserved");
}

TEST(JobRequestBody, ErrorsSayWhatWasFound) {
    for (const std::size_t offset : {kType, kAxis, kBackend, kOffset, kGeneration, kRowStride, kOutOffset, kOutCapacity,
                                     kParams + 8}) {  // the last: skip_nans
        ByteBuffer body = body_of(reduce_job());
        body[offset] = std::byte{77};
        const Error error = decode_job_request(body).error();
        EXPECT_FALSE(error.field.empty());
        EXPECT_NE(error.message.find(", found 77"), std::string::npos) << error.field << ": " << error.message;
    }
}

}  // namespace
}  // namespace tegu::wire
