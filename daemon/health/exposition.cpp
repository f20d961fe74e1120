// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/exposition.h"

#include <array>
#include <cassert>
#include <cmath>

#include "base/number_text.h"

namespace tegu::daemon::health {
namespace {

constexpr std::array<std::uint64_t, 25> kBoundsNs = {
    1'000,         2'000,          5'000,          10'000,         20'000,
    50'000,        100'000,        200'000,        500'000,        1'000'000,
    2'000'000,     5'000'000,      10'000'000,     20'000'000,     50'000'000,
    100'000'000,   200'000'000,    500'000'000,    1'000'000'000,  2'000'000'000,
    5'000'000'000, 10'000'000'000, 20'000'000'000, 50'000'000'000, 100'000'000'000};

std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '\\' || (quotes && c == '"'))
            (out += '\\') += c;
        else
            out += c;
    }
    return out;
}

const char* word(MetricType type) {
    return type == MetricType::Gauge ? "gauge" : type == MetricType::Counter ? "counter" : "histogram";
}

std::string value_text(double value) {
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return std::isnan(value) ? "NaN" : number_text(value);
}

std::string seconds_text(std::uint64_t ns) {
    return number_text(static_cast<double>(ns) / 1e9);
}

}  // namespace

void Exposition::family(std::string_view name, MetricType type, std::string_view help) {
    name_ = name;
    heading_ = "# HELP " + name_ + " " + escaped(help, false) + "\n# TYPE " + name_ + " " + word(type) + "\n";
}

void Exposition::line(std::string_view suffix, Labels labels, std::string_view bound,
                      const std::string& value) {
    assert(!name_.empty());
    text_ += heading_;
    heading_.clear();
    (text_ += name_) += suffix;
    char before = '{';
    const auto add = [&](std::string_view name, std::string_view label) {
        text_ += before;
        (text_ += name) += "=\"";
        text_ += escaped(label, true) + "\"";
        before = ',';
    };
    for (const auto& [name, label] : labels) add(name, label);
    if (!bound.empty()) add("le", bound);
    if (before == ',') text_ += '}';
    text_ += " " + value + "\n";
}

void Exposition::sample(Labels labels, double value) {
    line({}, labels, {}, value_text(value));
}
void Exposition::sample(Labels labels, std::int64_t value) {
    line({}, labels, {}, std::to_string(value));
}
void Exposition::sample(Labels labels, std::uint64_t value) {
    line({}, labels, {}, std::to_string(value));
}

void Exposition::histogram(Labels labels, const LatencyHistogram& times) {
    std::array<std::uint64_t, kBoundsNs.size()> counts{};
    times.count_up_to(kBoundsNs, counts);
    for (std::size_t i = 0; i < counts.size(); ++i)
        line("_bucket", labels, seconds_text(kBoundsNs[i]), std::to_string(counts[i]));
    line("_bucket", labels, "+Inf", std::to_string(times.count()));
    line("_sum", labels, {}, seconds_text(times.sum_ns()));
    line("_count", labels, {}, std::to_string(times.count()));
}

}  // namespace tegu::daemon::health
