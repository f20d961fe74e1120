// SPDX-License-Identifier: Apache-2.0
// The text format of Prometheus, version 0.0.4: families of samples with their HELP and TYPE. Names end in
// their unit, counters in _total.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/latency_histogram.h"
#include "daemon/health/board/value.h"

namespace tegu::daemon::health {

enum class MetricType { Gauge, Counter, Histogram };

class Exposition {
  public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    // Starts a family; its samples follow before the next family. A family without samples writes nothing.
    // REQUIRES: a unique name of [a-z0-9_] that begins with a letter.
    void family(std::string_view name, MetricType type, std::string_view help);
    // REQUIRES: a family is started; its samples have distinct labels.
    void sample(Labels labels, double value);
    void sample(Labels labels, std::int64_t value);
    void sample(Labels labels, std::uint64_t value);
    // Writes nothing if the value is unknown.
    template <class T>
    void sample(Labels labels, const Value<T>& value) {
        if (value.known()) sample(labels, *value);
    }
    // For a family of type Histogram. In seconds; bounds from 1 us to 100 s, three for each power of ten.
    void histogram(Labels labels, const LatencyHistogram& times);

    const std::string& text() const { return text_; }

  private:
    void line(std::string_view suffix, Labels labels, std::string_view bound, const std::string& value);

    std::string text_, name_, heading_;
};

}  // namespace tegu::daemon::health
