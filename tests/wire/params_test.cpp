// SPDX-License-Identifier: Apache-2.0
// The parameters of each operation in a JOB request: they come back, and what is wrong with them is named.
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

// With one input; two take 32 bytes more.
constexpr std::size_t kParamsBytes = 6, kParams = 80;

// A job whose inputs are all buffers, so that its body ends with the parameters.
template <class Params>
JobRequest job_with(const Params& params) {
    JobRequest request;
    request.job.type = ElementType::F32;
    request.job.rows = 4;
    request.job.cols = 6;
    request.job.params = params;
    for (Operand& operand : request.inputs) operand.handle = 1;
    return request;
}

template <class Params>
Params again(const Params& params) {
    const ByteBuffer body = body_of(job_with(params));
    const Result<JobRequest> decoded = decode_job_request(body);
    EXPECT_TRUE(decoded.ok());
    return std::get<Params>(decoded->job.params);
}

// `body` with `count` bytes of parameters more or fewer, and the length that says so.
ByteBuffer resized(ByteBuffer body, std::ptrdiff_t count) {
    body.resize(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(body.size()) + count));
    const auto length = static_cast<std::uint16_t>(at<std::uint16_t>(body, kParamsBytes) + count);
    return with(std::move(body), kParamsBytes, length);
}

template <class Params>
void expect_flag(const Params& params, std::size_t offset, const char* field) {
    expect_error(decode_job_request(with<std::uint8_t>(body_of(job_with(params)), offset, 2)),
                 Status::BadRange, field);
}

template <class Params>
void expect_reserved(const Params& params, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
        expect_error(decode_job_request(with<std::uint8_t>(body_of(job_with(params)), i, 1)),
                     Status::BadRequest, "reserved");
}

TEST(ReduceParamsBody, ChecksItsFields) {
    const ReduceParams params{statistic_bit(Statistic::Sum), true, 1};
    EXPECT_TRUE(again(params).skip_nans);
    const ByteBuffer good = body_of(job_with(params));
    expect_error(decode_job_request(with<std::uint32_t>(good, kParams, 1u << kStatisticCount)),
                 Status::Unsupported, "statistics");
    expect_error(decode_job_request(with<std::uint32_t>(good, kParams, UINT32_MAX)), Status::Unsupported,
                 "statistics");
    EXPECT_TRUE(decode_job_request(with<std::uint32_t>(good, kParams, kAllStatistics)).ok());
    expect_flag(params, kParams + 8, "skip_nans");
    expect_flag(params, kParams + 9, "partial");
    expect_flag(params, kParams + 10, "last");
    expect_reserved(params, kParams + 11, kParams + 12);
    const ReduceParams piece{statistic_bit(Statistic::Sum), false, 0, true, true, 77};
    EXPECT_TRUE(again(piece).partial && again(piece).last);
    EXPECT_EQ(again(piece).offset, 77u);
}

TEST(TopkParamsBody, ChecksItsFields) {
    const TopkParams params{3, false, true};
    expect_flag(params, kParams + 8, "largest");
    expect_flag(params, kParams + 9, "distinct");
    expect_reserved(params, kParams + 10, kParams + 16);
}

TEST(EntropyMapParamsBody, ComesBackAndChecksItsFields) {
    EntropyMapParams params{3, 63, 256, true, -1.5, 2.5, LogBase::E, Border::Mirror};
    const EntropyMapParams decoded = again(params);
    EXPECT_EQ(decoded.window_rows, 3u);
    EXPECT_EQ(decoded.window_cols, 63u);
    EXPECT_EQ(decoded.levels, 256u);
    EXPECT_EQ(decoded.lo, -1.5);
    EXPECT_EQ(decoded.hi, 2.5);
    EXPECT_EQ(decoded.base, LogBase::E);
    EXPECT_EQ(decoded.border, Border::Mirror);
    expect_flag(params, kParams + 12, "has_range");
    expect_flag(params, kParams + 13, "base");
    expect_flag(params, kParams + 14, "border");
    expect_reserved(params, kParams + 15, kParams + 16);
    params.has_range = false;
    EXPECT_FALSE(again(params).has_range);
    EXPECT_EQ(again(params).hi, 0.0) << "without a range its edges are not sent";
    expect_reserved(params, kParams + 16, kParams + 32);
}

TEST(AddAndDotParamsBody, CheckTheirFields) {
    constexpr std::size_t kSecond = kParams + 32;
    expect_reserved(AddParams{}, kSecond, kSecond + 8);
    EXPECT_TRUE(again(DotParams{true}).skip_nans);
    EXPECT_FALSE(again(DotParams{false}).skip_nans);
    expect_flag(DotParams{}, kSecond, "skip_nans");
    expect_flag(DotParams{}, kSecond + 1, "partial");
    expect_flag(DotParams{}, kSecond + 2, "last");
    expect_reserved(DotParams{}, kSecond + 3, kSecond + 4);
    EXPECT_EQ(again(DotParams{false, true, true, 77}).offset, 77u);
}

TEST(RowscaleParamsBody, ComesBackAndChecksItsFields) {
    EXPECT_TRUE(again(RowscaleParams{true}).skip_nans);
    expect_flag(RowscaleParams{}, kParams, "skip_nans");
    expect_reserved(RowscaleParams{}, kParams + 1, kParams + 8);
}

TEST(QuantileParamsBody, ComesBackAndChecksItsFields) {
    const QuantileParams params{{0.5, 0.0, 1.0, 0.5}, QuantileMethod::Nearest, true};
    EXPECT_EQ(again(params).q, params.q);
    EXPECT_EQ(again(params).method, QuantileMethod::Nearest);
    EXPECT_TRUE(again(params).skip_nans);
    expect_error(decode_job_request(with<std::uint8_t>(body_of(job_with(params)), kParams + 4, 5)),
                 Status::BadRange, "method");
    expect_flag(params, kParams + 5, "skip_nans");
    expect_reserved(params, kParams + 6, kParams + 8);
}

TEST(QuantileParamsBody, TakesTheMostQuantilesAndNoMore) {
    QuantileParams params;
    EXPECT_TRUE(again(params).q.empty()) << "that there must be one is for the operation to say";
    params.q.assign(kMaxQuantiles, 0.25);
    EXPECT_EQ(again(params).q.size(), kMaxQuantiles);
    params.q.push_back(0.5);
    expect_error(decode_job_request(body_of(job_with(params))), Status::BadRange, "q");
}

TEST(QuantileParamsBody, ReadsOnlyAsManyAsThereAre) {
    const ByteBuffer good =
        body_of(job_with(QuantileParams{{0.25, 0.5, 0.75}, QuantileMethod::Linear, false}));
    struct Case {
        std::uint32_t count;
        const char* allowed;
    };
    for (const Case& wrong : {Case{0, "8"}, Case{2, "24"}, Case{4, "40"}, Case{kMaxQuantiles, "8200"}}) {
        const Result<JobRequest> decoded = decode_job_request(with(good, kParams, wrong.count));
        expect_error(decoded, Status::BadRequest, "params_bytes");
        EXPECT_EQ(decoded.error().allowed, wrong.allowed);
    }
    expect_error(decode_job_request(with(good, kParams, UINT32_MAX)), Status::BadRange, "q");
    for (const std::ptrdiff_t change : {-24, -8, -1, 1, 8}) {
        const Result<JobRequest> decoded = decode_job_request(resized(good, change));
        expect_error(decoded, Status::BadRequest, "params_bytes");
        EXPECT_EQ(decoded.error().allowed, "32") << change;
    }
}

TEST(HistogramParamsBody, ComesBackAndChecksItsFields) {
    HistogramParams params{1u << 20, true, -0.5, 1e300, true};
    EXPECT_EQ(again(params).bins, 1u << 20);
    EXPECT_EQ(again(params).lo, -0.5);
    EXPECT_EQ(again(params).hi, 1e300);
    EXPECT_TRUE(again(params).skip_nans);
    expect_flag(params, kParams + 4, "has_range");
    expect_flag(params, kParams + 5, "skip_nans");
    expect_reserved(params, kParams + 6, kParams + 8);
    params.has_range = false;
    EXPECT_EQ(again(params).hi, 0.0) << "without a range its edges are not sent";
    expect_reserved(params, kParams + 8, kParams + 24);
}

TEST(EntropyParamsBody, ComesBackAndChecksItsFields) {
    EntropyParams params{65536, true, 1.0, 2.0, LogBase::E, true};
    EXPECT_EQ(again(params).levels, 65536u);
    EXPECT_EQ(again(params).lo, 1.0);
    EXPECT_EQ(again(params).hi, 2.0);
    EXPECT_EQ(again(params).base, LogBase::E);
    EXPECT_TRUE(again(params).skip_nans);
    expect_flag(params, kParams + 4, "has_range");
    expect_flag(params, kParams + 5, "base");
    expect_flag(params, kParams + 6, "skip_nans");
    expect_flag(params, kParams + 7, "partial");
    params.partial = true;
    EXPECT_TRUE(again(params).partial);
    params.has_range = false;
    expect_reserved(params, kParams + 8, kParams + 24);
}

FusedParams fused() {
    return {{TopkParams{3, false, false}, QuantileParams{{0.5, 1.0}, QuantileMethod::Lower, false},
             EntropyParams{16, false, 0, 0, LogBase::Two, false},
             ReduceParams{statistic_bit(Statistic::Max), false, 0}, HistogramParams{7, true, 0, 1, false}}};
}

TEST(FusedParamsBody, ComesBackInTheOrderOfItsParts) {
    const FusedParams decoded = again(fused());
    ASSERT_EQ(decoded.parts.size(), 5u);
    EXPECT_EQ(std::get<TopkParams>(decoded.parts[0]).k, 3u);
    EXPECT_EQ(std::get<QuantileParams>(decoded.parts[1]).q, (std::vector<double>{0.5, 1.0}));
    EXPECT_EQ(std::get<EntropyParams>(decoded.parts[2]).levels, 16u);
    EXPECT_EQ(std::get<ReduceParams>(decoded.parts[3]).statistics, statistic_bit(Statistic::Max));
    EXPECT_EQ(std::get<HistogramParams>(decoded.parts[4]).bins, 7u);
    EXPECT_TRUE(again(FusedParams{}).parts.empty()) << "that there must be one is for the operation to say";
}

TEST(FusedParamsBody, TakesTheMostPartsAndNoMore) {
    FusedParams params;
    params.parts.assign(kMaxFusedParts, ReduceParams{1, false, 0});
    EXPECT_EQ(again(params).parts.size(), kMaxFusedParts);
    params.parts.emplace_back(ReduceParams{1, false, 0});
    expect_error(decode_job_request(body_of(job_with(params))), Status::BadRange, "parts");
    expect_error(decode_job_request(with(body_of(job_with(fused())), kParams, UINT32_MAX)), Status::BadRange,
                 "parts");
}

TEST(FusedParamsBody, RefusesPartsThatNoFusedJobHas) {
    const ByteBuffer good = body_of(job_with(fused()));
    for (const Operation operation : {Operation::EntropyMap, Operation::Add, Operation::Dot,
                                      Operation::Rowscale, Operation::Fused, Operation{0}, Operation{11}})
        expect_error(decode_job_request(with(good, kParams + 8, static_cast<std::uint16_t>(operation))),
                     Status::Unsupported, "parts");
    expect_reserved(fused(), kParams + 4, kParams + 8);
    expect_reserved(fused(), kParams + 10, kParams + 16);
}

TEST(FusedParamsBody, NamesWhatIsWrongInAPart) {
    expect_flag(fused(), kParams + 16 + 8, "largest");
    expect_flag(fused(), kParams + 40 + 5, "skip_nans");
    const ByteBuffer good = body_of(job_with(fused()));
    expect_error(decode_job_request(with(good, kParams + 40, kMaxQuantiles + 1)), Status::BadRange, "q");
}

TEST(FusedParamsBody, IsAsLongAsItsPartsAsk) {
    const ByteBuffer good = body_of(job_with(fused()));
    const auto length = at<std::uint16_t>(good, kParamsBytes);
    for (std::ptrdiff_t change = -length; change <= 8; ++change)
        if (change != 0)
            expect_error(decode_job_request(resized(good, change)), Status::BadRequest, "params_bytes");
    EXPECT_EQ(decode_job_request(resized(good, -8)).error().allowed, std::to_string(length));
    EXPECT_EQ(decode_job_request(resized(good, 8)).error().allowed, std::to_string(length));
    expect_error(decode_job_request(with<std::uint32_t>(good, kParams, 4)), Status::BadRequest,
                 "params_bytes");
}

TEST(ParamsBody, OfEveryOperationIsAMultipleOfEightAndFitsAMessage) {
    QuantileParams quantile;
    quantile.q.assign(kMaxQuantiles, 0.5);
    FusedParams longest = fused();
    longest.parts[1] = quantile;
    for (const JobParams& params :
         {JobParams{ReduceParams{}}, JobParams{TopkParams{}}, JobParams{EntropyMapParams{}},
          JobParams{AddParams{}}, JobParams{DotParams{}}, JobParams{RowscaleParams{}}, JobParams{quantile},
          JobParams{HistogramParams{}}, JobParams{EntropyParams{}}, JobParams{longest}}) {
        JobRequest request;
        request.job.params = params;
        const std::size_t body = body_of(request).size();
        EXPECT_EQ(body % 8, 0u);
        EXPECT_LE(body + kMaxInlineBytes, kMaxBodyBytes);
    }
}

}  // namespace
}  // namespace tegu::wire
