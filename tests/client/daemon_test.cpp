// SPDX-License-Identifier: Apache-2.0
// The library against tegud itself: that both sides mean the same, and that a killed daemon costs nothing but
// time.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

// A tegud of its own.
class Daemon {
  public:
    Daemon() {
        char name[] = "/tmp/tegu-client-XXXXXX";
        directory_ = mkdtemp(name);
        start();
    }
    ~Daemon() {
        signal(SIGTERM);
        unlink((directory_ + "/sock").c_str());
        unlink((directory_ + "/tegud.toml").c_str());
        rmdir(directory_.c_str());
    }
    std::string socket() const { return directory_ + "/sock"; }
    void start() {
        const std::string config = directory_ + "/tegud.toml", path = socket();
        std::FILE* const settings = std::fopen(config.c_str(), "w");
        std::fputs("[timeouts]\nhello_ms = 60000\n", settings);  // for a machine that is busy
        std::fclose(settings);
        child_ = fork();
        if (child_ != 0) return;
        const char* program = TEGU_BINARY_DIR "/bin/tegud";
        execl(program, program, "--config", config.c_str(), "--socket", path.c_str(),
              static_cast<char*>(nullptr));
        _exit(127);
    }
    void signal(int number) {
        kill(child_, number);
        waitpid(child_, nullptr, 0);
    }

  private:
    std::string directory_;
    pid_t child_ = -1;
};

class DaemonTest : public testing::Test {
  protected:
    tc::Client connected() {
        tc::Options options;
        options.socket_path = daemon_.socket();
        options.connect_ms = 60000;
        options.reconnect_ms = 60000;
        tc::Expected<tc::Client> client = tc::Client::connect(options);
        if (!client) {
            ADD_FAILURE() << client.error().message;
            std::abort();
        }
        return std::move(*client);
    }
    Daemon daemon_;
    const unsigned seed_ = std::random_device()();
};

TEST_F(DaemonTest, EveryStatisticArrives) {
    tc::Client client = connected();
    const std::int16_t x[5] = {3, -7, 0, 3, 1};
    tc::Expected<tc::Result> result = client.run(tc::Request::reduce(x, 5, (1u << 15) - 1));
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->count(), 15u);
    const auto value = [&result](std::uint32_t statistic) {
        return result->number(tc::role_of(statistic)).value_or(-99);
    };
    EXPECT_EQ(value(TEGU_STAT_COUNT), 5);
    EXPECT_EQ(value(TEGU_STAT_SUM), 0);
    EXPECT_EQ(value(TEGU_STAT_MIN), -7);
    EXPECT_EQ(value(TEGU_STAT_ARGMAX), 0);
    EXPECT_EQ(value(TEGU_STAT_L1), 14);
    EXPECT_EQ(value(TEGU_STAT_NONZERO), 4);
    EXPECT_EQ(result->find(tc::role_of(TEGU_STAT_MINMAX))->number(1), 3);
}

TEST_F(DaemonTest, LargeTopkOfEveryKindOfMemory) {
    tc::Client client = connected();
    std::mt19937 generator(seed_);
    std::vector<std::int32_t> x(1000003);
    for (std::int32_t& value : x) value = static_cast<std::int32_t>(generator());
    std::vector<std::int64_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&x](std::int64_t a, std::int64_t b) {
        return x[static_cast<std::size_t>(a)] > x[static_cast<std::size_t>(b)];
    });
    tc::Buffer buffer = std::move(*client.create_buffer(x.size() * sizeof x[0]));
    std::memcpy(buffer.data(), x.data(), buffer.bytes());
    for (const std::uint64_t k : {1, 10, 50000}) {
        tc::Request shared = tc::Request::topk(k);
        shared.input(buffer, TEGU_I32, 1, x.size());
        for (const tc::Request& request : {tc::Request::topk(x.data(), x.size(), k), shared}) {
            tc::Expected<tc::Result> result = client.run(request);
            ASSERT_TRUE(result.ok()) << result.error().message;
            const tc::Array values = *result->find(TEGU_ROLE_VALUES),
                            indices = *result->find(TEGU_ROLE_INDICES);
            ASSERT_EQ(indices.size(), k);
            for (std::uint64_t i = 0; i < k; ++i) {
                ASSERT_EQ(indices.as<std::int64_t>()[i], order[i]) << "seed " << seed_;
                ASSERT_EQ(values.as<std::int32_t>()[i], x[static_cast<std::size_t>(order[i])])
                    << "seed " << seed_;
            }
        }
    }
}

TEST_F(DaemonTest, RowsWithAStride) {
    tc::Client client = connected();
    for (const std::uint64_t rows : {7, 20000}) {
        std::vector<float> x(rows * 9, 1e30f);
        for (std::uint64_t row = 0; row < rows; ++row)
            for (std::uint64_t col = 0; col < 5; ++col) x[row * 9 + col] = static_cast<float>(row % 100);
        tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
        request.input(x.data(), TEGU_F32, rows, 5, 9).by_rows();
        tc::Expected<tc::Result> result = client.run(request);
        ASSERT_TRUE(result.ok()) << result.error().message;
        const tc::Array sums = *result->find(kSum);
        ASSERT_EQ(sums.rows, rows);
        for (std::uint64_t row = 0; row < rows; ++row)
            ASSERT_EQ(sums.number(row), 5.0 * static_cast<double>(row % 100));
    }
}

TEST_F(DaemonTest, TwoLargeInputsOfEveryKindOfMemory) {
    tc::Client client = connected();
    const std::vector<std::int32_t> x(100003, 3), y(x.size(), 4);
    tc::Buffer buffer = std::move(*client.create_buffer(y.size() * sizeof y[0]));
    std::memcpy(buffer.data(), y.data(), buffer.bytes());
    tc::Request mixed = tc::Request::dot(x.data(), y.data(), x.size());
    mixed.second_input(buffer);
    for (const tc::Request& request : {tc::Request::dot(x.data(), y.data(), x.size()), mixed}) {
        tc::Expected<tc::Result> result = client.run(request);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->number(TEGU_ROLE_DOT), 12.0 * static_cast<double>(x.size()));
    }
    tc::Request in_place(TEGU_ADD);
    in_place.input(buffer, TEGU_I32, 1, x.size()).second_input(x.data()).into(buffer);
    ASSERT_TRUE(client.run(in_place).ok());
    ASSERT_TRUE(client.run(in_place).ok());
    EXPECT_EQ(buffer.as<std::int32_t>()[100002], 10);
    tc::Request beside(in_place);
    beside.input(buffer, TEGU_I32, 1, 1000).into(buffer, 64);
    EXPECT_EQ(client.run(beside).error().field, "output.offset_bytes");
}

TEST_F(DaemonTest, RowscaleQuantileHistogramEntropyAndFusedArrive) {
    tc::Client client = connected();
    const float x[6] = {1, -4, 2, 0, 0, 0};
    tc::Request rowscale = tc::Request::rowscale();
    tc::Expected<tc::Result> result = client.run(rowscale.input(x, TEGU_F32, 2, 3));
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->find(TEGU_ROLE_VALUES)->as<float>()[1], -1.0f);
    EXPECT_EQ(result->find(TEGU_ROLE_SCALES)->number(0), 4.0);
    EXPECT_EQ(result->find(TEGU_ROLE_SCALES)->number(1), 0.0);
    EXPECT_EQ(client.run(tc::Request::quantile(x, 6, {0.0, 1.0}))->find(TEGU_ROLE_QUANTILES)->number(1), 2.0);
    EXPECT_EQ(client.run(tc::Request::histogram(x, 6, 3, -4, 2))->find(TEGU_ROLE_HISTOGRAM)->number(2), 5.0);
    const std::vector<std::uint8_t> levels(1024, 7);
    EXPECT_EQ(client.run(tc::Request::entropy(levels.data(), levels.size(), 256))->number(TEGU_ROLE_ENTROPY),
              0.0);
    const std::vector<tc::Part> parts = {tc::Part::topk(2), tc::Part::reduce(TEGU_STAT_MAX)};
    result = client.run(tc::Request::fused(parts).input(x, TEGU_F32, 1, 6));
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->find(TEGU_ROLE_INDICES)->number(0), 2.0);
    EXPECT_EQ(result->number(tc::role_of(TEGU_STAT_MAX)), 2.0);
}

TEST_F(DaemonTest, NodesOfPiecesCloseToTheWhole) {
    constexpr std::uint64_t kChunk = 16384, kCount = 7 * kChunk + 100;
    std::vector<float> x(kCount), y(kCount);
    std::mt19937 random(seed_);
    for (std::uint64_t i = 0; i < kCount; ++i) {
        x[i] = static_cast<float>(random() % 1000) / 7;
        y[i] = static_cast<float>(random() % 1000) / 3;
    }
    tc::Client client = connected();
    tc::NodeTree<double> sums, products;
    tc::NodeTree<tc::Moments, tc::MergeMoments> moments;
    // Calls visit(node, its words) for the nodes of [begin, end).
    const auto for_nodes = [&](tc::Request request, std::uint64_t begin, std::uint64_t end, auto visit) {
        const bool last = end == kCount;
        const tc::Expected<tc::Result> result = client.run(request.piece(begin, last));
        ASSERT_TRUE(result.ok());
        const std::optional<tc::Array> rows = result->find(TEGU_ROLE_NODES);
        const std::vector<tegu_node> nodes = tc::piece_nodes(begin, end - begin, last);
        ASSERT_EQ(rows->rows, nodes.size());
        for (std::uint64_t i = 0; i < nodes.size(); ++i)
            visit(nodes[i], static_cast<const std::byte*>(rows->data) + i * rows->cols * 8);
    };
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces = {
        {5 * kChunk, 6 * kChunk}, {0, kChunk}, {6 * kChunk, kCount}, {kChunk, 5 * kChunk}};
    constexpr std::uint32_t kStatistics = TEGU_STAT_SUM | TEGU_STAT_VAR;
    for (const auto& [begin, end] : pieces) {
        EXPECT_EQ(sums.root(kCount), std::nullopt);
        const std::uint64_t n = end - begin, at = begin;
        for_nodes(tc::Request::reduce(&x[at], n, kStatistics), at, end,
                  [&](const tegu_node& node, auto* words) {
                      tc::Moments found;
                      double sum;
                      std::memcpy(&sum, words, sizeof sum);
                      std::memcpy(&found, words + 16, sizeof found);
                      EXPECT_TRUE(sums.put(at, node, sum) && moments.put(at, node, found));
                  });
        for_nodes(tc::Request::dot(&x[at], &y[at], n), at, end, [&](const tegu_node& node, auto* words) {
            double sum;
            std::memcpy(&sum, words, sizeof sum);
            EXPECT_TRUE(products.put(at, node, sum));
        });
    }
    const tc::Expected<tc::Result> whole = client.run(tc::Request::reduce(x.data(), kCount, kStatistics));
    EXPECT_EQ(sums.root(kCount), whole->number(kSum)) << "seed " << seed_;
    EXPECT_EQ(moments.root(kCount)->q / static_cast<double>(kCount),
              whole->number(tc::role_of(TEGU_STAT_VAR)));
    EXPECT_EQ(products.root(kCount),
              client.run(tc::Request::dot(x.data(), y.data(), kCount))->number(TEGU_ROLE_DOT));
}

TEST_F(DaemonTest, KilledAgainAndAgainAndNoJobIsLost) {
    constexpr int kJobs = 1000;
    tc::Client client = connected();
    std::mt19937 generator(seed_);
    tc::Buffer buffer = std::move(*client.create_buffer(1 << 20));
    buffer.as<float>()[77] = 5;
    tc::Request of_buffer = tc::Request::reduce(TEGU_STAT_SUM);
    of_buffer.input(buffer, TEGU_F32, 1, (1 << 20) / sizeof(float));
    const std::vector<float> large(30000, 1.0f);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::pair<std::uint64_t, double>> jobs;
        for (int i = 0; i < kJobs; ++i) {
            const unsigned kind = generator() % 20;
            const OneValue small(i);
            const tc::Request request = kind == 0 ? of_buffer
                                        : kind == 1
                                            ? tc::Request::reduce(large.data(), large.size(), TEGU_STAT_SUM)
                                            : small.request;
            tc::Expected<std::uint64_t> id = client.submit(request);
            ASSERT_TRUE(id.ok()) << id.error().message << ", seed " << seed_;
            jobs.emplace_back(*id, kind == 0 ? 5.0 : kind == 1 ? 30000.0 : i);
        }
        std::thread killer([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(generator() % 3000));
            daemon_.signal(SIGKILL);
            daemon_.start();
        });
        for (const auto& [id, sum] : jobs) {
            tc::Expected<tc::Result> result = client.wait(id);
            ASSERT_TRUE(result.ok()) << result.error().message << ", seed " << seed_;
            EXPECT_EQ(result->number(kSum), sum) << "seed " << seed_;
        }
        killer.join();
    }
    EXPECT_TRUE(client.run(of_buffer).ok());
}

TEST_F(DaemonTest, StoppedPolitelyAndRestarted) {
    tc::Client client = connected();
    for (int round = 0; round < 3; ++round) {
        std::vector<std::uint64_t> ids;
        for (int i = 0; i < 500; ++i) ids.push_back(*client.submit(OneValue(i).request));
        std::thread stopper([&] {
            daemon_.signal(SIGTERM);
            daemon_.start();
        });
        for (int i = 0; i < 500; ++i) {
            tc::Expected<tc::Result> result = client.wait(ids[static_cast<std::size_t>(i)]);
            ASSERT_TRUE(result.ok()) << result.error().word() << " " << result.error().message;
            EXPECT_EQ(result->number(kSum), i);
        }
        stopper.join();
    }
}

}  // namespace
}  // namespace tegu::test
