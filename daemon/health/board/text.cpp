// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace tegu::daemon::health {
namespace {

std::string three_digits(double value, const char* unit) {
    return text_of(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + unit;
}

}  // namespace

std::string text_of(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string time_text(double seconds) {
    if (seconds <= 0) return "0 s";
    if (seconds < 1e-3) return three_digits(seconds * 1e6, " us");
    if (seconds < 1) return three_digits(seconds * 1e3, " ms");
    return three_digits(seconds, " s");
}

std::string age_text(double seconds) {
    if (seconds < 120) return text_of(seconds, 0) + " s";
    if (seconds < 7200) return text_of(seconds / 60, 0) + " min";
    if (seconds < 172'800) return text_of(seconds / 3600, 1) + " h";
    return text_of(seconds / 86'400, 1) + " days";
}

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " B";
    static constexpr const char* kUnits[] = {" KiB", " MiB", " GiB", " TiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
    return three_digits(value, kUnits[unit]);
}

std::string plain_text(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
    return text;
}

void Lines::add(const std::string& name, const std::string& line) {
    constexpr std::size_t kColumn = 10;
    std::string shown = name == last_ ? std::string() : name;
    last_ = name;
    shown.resize(std::max(kColumn, shown.size() + 1), ' ');
    text_ += shown + line + "\n";
}

}  // namespace tegu::daemon::health
