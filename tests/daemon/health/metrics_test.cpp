// SPDX-License-Identifier: Apache-2.0
// The text that Prometheus scrapes, read by a parser of this test's own, and by promtool where it is
// installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "daemon/health/board/sampler.h"
#include "daemon/health/health_metrics.h"
#include "tests/daemon/health/board_tree.h"

namespace tegu::daemon::health {
namespace {

struct Sample {
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;
};
struct Family {
    std::string help, type;
    std::vector<Sample> samples;
};

// Reads one sample: name{label="value",...} number
class Parser {
  public:
    explicit Parser(const std::string& line) : line_(line) {}

    Sample sample() {
        Sample sample;
        sample.name = word();
        if (take('{')) {
            while (!take('}')) {
                const std::string label = word();
                EXPECT_TRUE(take('=')) << line_;
                EXPECT_TRUE(sample.labels.emplace(label, quoted()).second) << line_;
                if (!take(',')) {
                    EXPECT_EQ(peek(), '}') << line_;
                }
                if (at_ >= line_.size()) break;
            }
        }
        EXPECT_TRUE(take(' ')) << line_;
        const std::string number = line_.substr(at_);
        char* end = nullptr;
        sample.value = std::strtod(number.c_str(), &end);
        EXPECT_TRUE(!number.empty() && *end == '\0') << line_;
        return sample;
    }

  private:
    char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
    bool take(char c) {
        if (peek() != c || at_ >= line_.size()) return false;
        ++at_;
        return true;
    }
    std::string word() {
        std::string out;
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') out += line_[at_++];
        EXPECT_FALSE(out.empty()) << line_;
        EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(out[0]))) << line_;
        return out;
    }
    std::string quoted() {
        std::string out;
        EXPECT_TRUE(take('"')) << line_;
        while (at_ < line_.size() && peek() != '"') {
            char c = line_[at_++];
            if (c == '\\') {
                c = peek();
                ++at_;
                EXPECT_TRUE(c == '\\' || c == '"' || c == 'n') << line_;
                if (c == 'n') c = '\n';
            }
            out += c;
        }
        EXPECT_TRUE(take('"')) << line_;
        return out;
    }
    const std::string& line_;
    std::size_t at_ = 0;
};

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string family_of(const std::string& sample, const std::string& current, const Family& family) {
    if (family.type == "histogram")
        for (const char* suffix : {"_bucket", "_sum", "_count"})
            if (sample == current + suffix) return current;
    return sample;
}

// Fails where the format is broken: families apart, in pieces or without their heading, or two samples that
// are one.
std::map<std::string, Family> parsed(const std::string& text) {
    std::map<std::string, Family> families;
    std::string current;
    EXPECT_TRUE(text.empty() || text.back() == '\n');
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, 7, "# HELP ") == 0) {
            current = line.substr(7, line.find(' ', 7) - 7);
            EXPECT_EQ(families.count(current), 0u) << current << " comes twice";
            families[current].help = line.substr(line.find(' ', 7) + 1);
        } else if (line.compare(0, 7, "# TYPE ") == 0) {
            EXPECT_EQ(line.substr(7, line.find(' ', 7) - 7), current);
            families[current].type = line.substr(line.find(' ', 7) + 1);
        } else {
            Sample sample = Parser(line).sample();
            Family& family = families[current];
            EXPECT_EQ(family_of(sample.name, current, family), current) << line;
            for (const Sample& other : family.samples)
                EXPECT_FALSE(other.name == sample.name && other.labels == sample.labels)
                    << line << " comes twice";
            family.samples.push_back(std::move(sample));
        }
    }
    for (const auto& [name, family] : families) {
        EXPECT_FALSE(family.help.empty()) << name;
        EXPECT_FALSE(family.samples.empty()) << name;
        EXPECT_TRUE(family.type == "gauge" || family.type == "counter" || family.type == "histogram") << name;
        EXPECT_EQ(family.type == "counter", ends_with(name, "_total")) << name;
    }
    return families;
}

std::string metrics_of(const std::string& board, const std::vector<std::string>& edits = {}) {
    BoardTree tree(board);
    for (const std::string& edit : edits) tree.edit(edit);
    Times now{1'000'000'000, 1'750'000'000'000};
    Sampler sampler(tree.files(), "/var/lib/tegud", [&now] { return now; });
    (void)sampler.sample();
    tree.advance();
    now.monotonic_ns += 1'000'000'000;
    const Snapshot snapshot = sampler.sample();
    Exposition out;
    add_health_metrics(snapshot, assess(snapshot, {}, now, {}), now, out);
    return out.text();
}

double value_of(const std::map<std::string, Family>& families, const std::string& name,
                const std::map<std::string, std::string>& labels = {}) {
    const auto family = families.find(name);
    if (family != families.end())
        for (const Sample& sample : family->second.samples)
            if (sample.labels == labels) return sample.value;
    ADD_FAILURE() << name << " has no such sample";
    return std::nan("");
}

TEST(Metrics, OfEveryBoardAreWellFormed) {
    for (const std::string& board : board_names()) {
        SCOPED_TRACE(board);
        const auto families = parsed(metrics_of(board));
        EXPECT_GT(families.size(), 15u);
        for (const auto& [name, family] : families) EXPECT_EQ(name.compare(0, 5, "tegu_"), 0) << name;
        EXPECT_EQ(value_of(families, "tegu_health_state", {{"state", "ok"}}), 1);
        EXPECT_EQ(value_of(families, "tegu_health_state", {{"state", "failing"}}), 0);
    }
}

TEST(Metrics, OfEveryDamagedBoardAreWellFormed) {
    for (const Damage& damage : all_damage()) {
        SCOPED_TRACE(damage.name);
        (void)parsed(metrics_of(damage.board, damage.edits));
    }
}

TEST(Metrics, HaveUnitsAndLabels) {
    const auto families = parsed(metrics_of("agx-orin"));
    EXPECT_EQ(value_of(families, "tegu_temperature_celsius", {{"zone", "tj-thermal"}}), 47.5);
    EXPECT_EQ(value_of(families, "tegu_temperature_throttle_celsius", {{"zone", "cpu-thermal"}}), 99);
    EXPECT_NEAR(value_of(families, "tegu_rail_watts", {{"rail", "VDD_GPU_SOC"}, {"chip", "1-0040"}}), 2.412,
                0.001);
    EXPECT_EQ(value_of(families, "tegu_memory_size_bytes"), 65893269504.0);
    EXPECT_EQ(value_of(families, "tegu_gpu_powered_off"), 1);
    EXPECT_EQ(families.at("tegu_throttle_events_total").type, "counter");
    for (const Sample& sample : families.at("tegu_temperature_celsius").samples)
        EXPECT_NE(sample.labels.at("zone"), "gpu-thermal") << "what is not known has no sample";
}

TEST(Exposition, EscapesWhatWouldEndALineOrALabel) {
    Exposition out;
    out.family("a_b", MetricType::Gauge, "one \\ two\nthree \"four\"");
    out.sample({{"x", "a\"b\\c\nd"}}, 1.5);
    EXPECT_EQ(out.text(),
              "# HELP a_b one \\\\ two\\nthree \"four\"\n# TYPE a_b gauge\na_b{x=\"a\\\"b\\\\c\\nd\"} 1.5\n");
    EXPECT_EQ(parsed(out.text()).at("a_b").samples[0].labels.at("x"), "a\"b\\c\nd");
}

TEST(Exposition, NamesWhatIsNoNumberAndLeavesOutEmptyFamilies) {
    Exposition out;
    out.family("empty", MetricType::Gauge, "No sample.");
    out.sample({}, Value<double>());
    out.family("a", MetricType::Gauge, "Numbers.");
    out.sample({{"k", "1"}}, std::numeric_limits<double>::infinity());
    out.sample({{"k", "2"}}, -std::numeric_limits<double>::infinity());
    out.sample({{"k", "3"}}, std::numeric_limits<double>::quiet_NaN());
    out.sample({{"k", "4"}}, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(
        out.text(),
        "# HELP a Numbers.\n# TYPE a gauge\na{k=\"1\"} +Inf\na{k=\"2\"} -Inf\na{k=\"3\"} NaN\na{k=\"4\"} "
        "18446744073709551615\n");
}

TEST(Exposition, WritesHistogramsThatAddUp) {
    LatencyHistogram times;
    for (const std::uint64_t us : {3, 40, 40, 700, 9000, 200'000'000}) times.add(us * 1000);
    Exposition out;
    out.family("tegu_job_duration_seconds", MetricType::Histogram, "Times.");
    out.histogram({{"stage", "queue"}}, times);
    out.histogram({{"stage", "compute"}}, LatencyHistogram());
    const Family family = parsed(out.text()).at("tegu_job_duration_seconds");
    double before = 0, bound = 0, most = 0;
    for (const Sample& sample : family.samples) {
        if (sample.labels.at("stage") != "queue") continue;
        if (ends_with(sample.name, "_bucket")) {
            EXPECT_GE(sample.value, before);
            const double le = std::strtod(sample.labels.at("le").c_str(), nullptr);
            EXPECT_GT(le, bound);
            before = sample.value, bound = le, most = sample.value;
        } else if (ends_with(sample.name, "_sum")) {
            EXPECT_NEAR(sample.value, 200.009783, 1e-9);
        } else {
            EXPECT_EQ(sample.value, 6);
        }
    }
    EXPECT_EQ(most, 6) << "the last bucket holds all";
    EXPECT_TRUE(std::isinf(bound));
}

TEST(Metrics, PleasePromtool) {
    if (std::system("command -v promtool > /dev/null 2>&1") != 0) GTEST_SKIP() << "promtool is not installed";
    Exposition histogram;
    LatencyHistogram times;
    times.add(1234567);
    histogram.family("tegu_job_duration_seconds", MetricType::Histogram, "Times of jobs.");
    histogram.histogram({{"stage", "queue"}}, times);
    BoardTree folder;
    for (const std::string& board : board_names()) {
        folder.write(board, metrics_of(board) + histogram.text());
        const std::string command = "promtool check metrics < " + folder.root() + "/" + board + " 1>&2";
        EXPECT_EQ(std::system(command.c_str()), 0) << board;
    }
}

}  // namespace
}  // namespace tegu::daemon::health
