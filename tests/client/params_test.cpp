// SPDX-License-Identifier: Apache-2.0
// Parameters of tegu.h: defaults, lists, parts of a fused job, and how they arrive at the daemon.
#include <limits>

#include "tests/client/memory_util.h"

namespace tegu::test {
namespace {

// Runs a request against a server that keeps what it was asked and says no.
class ParamsTest : public testing::Test {
  protected:
    // The parameters as they arrived; nothing if the library refused them: then `refusal` says why.
    std::optional<JobParams> arrived(const tegu_request& request) {
        params_.reset();
        tc::Expected<tc::Result> result = client_.run(request);
        EXPECT_FALSE(result.ok());
        refusal = result.error();
        return params_;
    }
    // The library itself refuses it.
    void expect_refused(const tegu_request& request, tegu_status status, const std::string& field) {
        EXPECT_FALSE(arrived(request).has_value()) << "it was sent";
        EXPECT_STREQ(refusal.word(), tegu_status_word(status)) << refusal.message;
        EXPECT_EQ(refusal.field, field) << refusal.message;
        EXPECT_FALSE(refusal.allowed.empty());
    }

    tc::Error refusal;
    const float x_[4] = {3, 1, 4, 1};

  private:
    void keep(Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            Result<wire::JobRequest> job = wire::decode_job_request(request->body);
            if (job) params_ = job->job.params;
            connection.fail(*request, Status::Unsupported);
        }
    }
    std::optional<JobParams> params_;  // written before the reply is sent, read after it came
    FakeServer server_{{[this](Connection& connection) { keep(connection); }}};
    tc::Client client_ = connected(server_);
};

tc::Request of(const tc::Part& part, const float* x) {
    return tc::Request(part).input(x, TEGU_F32, 1, 4);
}

TEST_F(ParamsTest, DefaultsAreThoseOfTheVocabulary) {
    const auto histogram = std::get<HistogramParams>(*arrived(of(tc::Part(TEGU_HISTOGRAM), x_)));
    EXPECT_EQ(histogram.bins, HistogramParams().bins);
    EXPECT_FALSE(histogram.has_range);
    const auto entropy = std::get<EntropyParams>(*arrived(of(tc::Part(TEGU_ENTROPY), x_)));
    EXPECT_EQ(entropy.levels, EntropyParams().levels);
    EXPECT_EQ(entropy.base, LogBase::Two);
    const auto topk = std::get<TopkParams>(*arrived(of(tc::Part(TEGU_TOPK), x_)));
    EXPECT_TRUE(topk.largest);
    const auto quantile = std::get<QuantileParams>(*arrived(of(tc::Part(TEGU_QUANTILE), x_)));
    EXPECT_TRUE(quantile.q.empty());
    EXPECT_EQ(quantile.method, QuantileMethod::Linear);
}

TEST_F(ParamsTest, FlagsAndNumbersArrive) {
    tc::Request request = tc::Request::dot(x_, x_, 4);
    EXPECT_FALSE(std::get<DotParams>(*arrived(request)).skip_nans);
    request.params.dot.skip_nans = 1;
    EXPECT_TRUE(std::get<DotParams>(*arrived(request)).skip_nans);
    request = tc::Request::rowscale();
    request.input(x_, TEGU_F32, 2, 2).params.rowscale.skip_nans = 1;
    EXPECT_TRUE(std::get<RowscaleParams>(*arrived(request)).skip_nans);
    EXPECT_TRUE(std::holds_alternative<AddParams>(*arrived(tc::Request::add(x_, x_, 4))));

    request = tc::Request::histogram(x_, 4, 7, -1, 2.5);
    request.params.histogram.skip_nans = 1;
    const auto histogram = std::get<HistogramParams>(*arrived(request));
    EXPECT_EQ(histogram.bins, 7u);
    EXPECT_TRUE(histogram.has_range && histogram.skip_nans);
    EXPECT_EQ(histogram.lo, -1);
    EXPECT_EQ(histogram.hi, 2.5);

    request = of(tc::Part::entropy(16, 0, 1), x_);
    request.params.entropy.base = TEGU_BASE_E;
    const auto entropy = std::get<EntropyParams>(*arrived(request));
    EXPECT_EQ(entropy.levels, 16u);
    EXPECT_TRUE(entropy.has_range);
    EXPECT_EQ(entropy.base, LogBase::E);
    EXPECT_EQ(entropy.hi, 1);
}

TEST_F(ParamsTest, QuantilesAreCopiedAndBounded) {
    std::vector<double> q(kMaxQuantiles, 0.25);
    q[5] = 0.75;
    EXPECT_EQ(std::get<QuantileParams>(*arrived(tc::Request::quantile(x_, 4, q))).q, q);
    q.push_back(0.5);
    expect_refused(tc::Request::quantile(x_, 4, q), TEGU_BAD_RANGE, "q");
    expect_refused(of(tc::Part::quantile(q.data(), std::numeric_limits<std::uint32_t>::max()), x_),
                   TEGU_BAD_RANGE, "q");
    expect_refused(of(tc::Part::quantile(nullptr, 3), x_), TEGU_BAD_REQUEST, "q");
    q = {-1, 2, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_TRUE(arrived(tc::Request::quantile(x_, 4, q)).has_value())
        << "what q may be is for the daemon to say";
}

TEST_F(ParamsTest, ARequestOwnsItsListsAndItsCopiesDo) {
    const auto made = [this](bool fused) {
        std::vector<double> q = {0.25, 0.5};
        std::vector<tc::Part> parts = {tc::Part::quantile(q.data(), 2), tc::Part::topk(1)};
        tc::Request request =
            fused ? tc::Request::fused(parts).input(x_, TEGU_F32, 1, 4) : tc::Request::quantile(x_, 4, q);
        q.assign(2, -1);  // what the caller does with them afterwards does not matter
        parts.assign(2, tc::Part::reduce(TEGU_STAT_SUM));
        const tc::Request copy = request;
        request = tc::Request(TEGU_ADD);
        return copy;
    };
    EXPECT_EQ(std::get<QuantileParams>(*arrived(made(false))).q, (std::vector<double>{0.25, 0.5}));
    const auto fused = std::get<FusedParams>(*arrived(made(true)));
    ASSERT_EQ(fused.parts.size(), 2u);
    EXPECT_EQ(std::get<QuantileParams>(fused.parts[0]).q, (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(std::get<TopkParams>(fused.parts[1]).k, 1u);
}

TEST_F(ParamsTest, PartsArriveInTheirOrder) {
    const double q[2] = {0.5, 1};
    const std::vector<tc::Part> parts = {
        tc::Part::histogram(3), tc::Part::quantile(q, 2, TEGU_QUANTILE_HIGHER),
        tc::Part::reduce(TEGU_STAT_STD), tc::Part::entropy(4), tc::Part::topk(2)};
    const auto fused = std::get<FusedParams>(*arrived(tc::Request::fused(parts).input(x_, TEGU_F32, 1, 4)));
    ASSERT_EQ(fused.parts.size(), 5u);
    EXPECT_EQ(std::get<HistogramParams>(fused.parts[0]).bins, 3u);
    EXPECT_EQ(std::get<QuantileParams>(fused.parts[1]).q, (std::vector<double>{0.5, 1}));
    EXPECT_EQ(std::get<QuantileParams>(fused.parts[1]).method, QuantileMethod::Higher);
    EXPECT_EQ(std::get<ReduceParams>(fused.parts[2]).statistics, statistic_bit(Statistic::Std));
    EXPECT_EQ(std::get<EntropyParams>(fused.parts[3]).levels, 4u);
    EXPECT_EQ(std::get<TopkParams>(fused.parts[4]).k, 2u);
}

TEST_F(ParamsTest, PartsThatNoMessageCarriesAreRefused) {
    const auto fused = [this](const std::vector<tc::Part>& parts) {
        return tc::Request::fused(parts).input(x_, TEGU_F32, 1, 4);
    };
    expect_refused(fused({tc::Part::topk(1), tc::Part::topk(2)}), TEGU_BAD_REQUEST, "parts");
    expect_refused(fused(std::vector<tc::Part>(6, tc::Part::topk(1))), TEGU_BAD_RANGE, "parts");
    for (const std::uint16_t operation : {TEGU_ENTROPY_MAP, TEGU_ADD, TEGU_DOT, TEGU_ROWSCALE, TEGU_FUSED})
        expect_refused(fused({tc::Part(operation)}), TEGU_UNSUPPORTED, "parts");
    expect_refused(fused({tc::Part(0)}), TEGU_UNSUPPORTED, "parts");
    expect_refused(tc::Request::fused(nullptr, 2).input(x_, TEGU_F32, 1, 4), TEGU_BAD_REQUEST, "parts");
    expect_refused(fused({tc::Part::quantile(nullptr, 1)}), TEGU_BAD_REQUEST, "q");
    tc::Part odd = tc::Part::reduce(TEGU_STAT_SUM);
    odd.reserved[2] = 1;
    expect_refused(fused({odd}), TEGU_UNSUPPORTED, "parts.reserved");
    odd = tc::Part::reduce(TEGU_STAT_SUM);
    odd.params.reserved[30] = 1;
    expect_refused(fused({odd}), TEGU_UNSUPPORTED, "parts.params.reserved");
    EXPECT_TRUE(arrived(fused({})).has_value()) << "that there must be one is for the daemon to say";
}

TEST_F(ParamsTest, ReservedBytesOfEveryOperationAreRefused) {
    for (std::uint16_t operation = TEGU_REDUCE; operation <= TEGU_FUSED; ++operation) {
        tc::Request request(operation);
        request.input(x_, TEGU_F32, 1, 4).second_input(x_);
        request.params.reserved[63] = 1;
        expect_refused(request, TEGU_UNSUPPORTED, "params.reserved");
    }
    tc::Request request = tc::Request::add(x_, x_, 4);
    request.params.add.reserved[0] = 1;
    expect_refused(request, TEGU_UNSUPPORTED, "params.reserved");
}

}  // namespace
}  // namespace tegu::test
