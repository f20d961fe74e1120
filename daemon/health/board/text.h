// SPDX-License-Identifier: Apache-2.0
// Text formatting for the health report: short numbers, times in a suitable unit, and lines that name each
// part once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tegu::daemon::health {

std::string text_of(double value, int digits);
// "12.3 us", "4.0 ms", "2.50 s": three digits.
std::string time_text(double seconds);
// "5 s", "3 min", "1.5 h", "4.2 days".
std::string age_text(double seconds);
// "512 B", "3.2 MiB".
std::string bytes_text(std::uint64_t bytes);
// Replaces characters other than printable ASCII by '?'.
std::string plain_text(std::string text);

// "name text": prints the name once for several lines of one part.
class Lines {
  public:
    void add(const std::string& name, const std::string& line);
    std::string take() { return std::move(text_); }

  private:
    std::string text_, last_;
};

}  // namespace tegu::daemon::health
