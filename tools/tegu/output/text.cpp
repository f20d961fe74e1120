// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tegu {
namespace cli {
namespace {

// Tries `first` significant digits and more until the text reads back as the same number.
template <class T, class Read>
std::string shortest(T value, int first, int last, Read read) {
    char text[64];
    for (int digits = first;; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
        if (digits == last || read(text) == value) return text;
    }
}

template <class T>
std::string float_text(T value, int first, int last, T (*read)(const char*, char**)) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return shortest(value, first, last, [read](const char* text) { return read(text, nullptr); });
}

// IEEE 754 binary16; exact.
float half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    if (exponent == 31) magnitude = fraction != 0 ? std::nanf("") : HUGE_VALF;
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float half_at(const client::Array& array, std::uint64_t index) {
    return half_value(static_cast<const std::uint16_t*>(array.data)[index]);
}

}  // namespace

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string number_text(double value) {
    return float_text<double>(value, 15, 17, std::strtod);
}
std::string number_text(float value) {
    return float_text<float>(value, 6, 9, std::strtof);
}

std::string short_text(double value) {
    return number_text(static_cast<float>(value));
}

std::string element_text(const client::Array& array, std::uint64_t index) {
    switch (array.type) {
        case TEGU_U64: return std::to_string(array.as<std::uint64_t>()[index]);
        case TEGU_I64: return std::to_string(array.as<std::int64_t>()[index]);
        case TEGU_F16: return number_text(half_at(array, index));
        case TEGU_F32: return number_text(array.as<float>()[index]);
        case TEGU_F64: return number_text(array.as<double>()[index]);
        default: return std::to_string(static_cast<std::int64_t>(array.number(index)));
    }
}

double element_number(const client::Array& array, std::uint64_t index) {
    return array.type == TEGU_F16 ? static_cast<double>(half_at(array, index)) : array.number(index);
}

std::string duration_text(double nanoseconds) {
    static const char* const kUnits[] = {" ns", " us", " ms"};
    for (const char* unit : kUnits) {
        if (nanoseconds < 999.5)
            return format(nanoseconds < 99.95 && unit != kUnits[0] ? "%.3g" : "%.0f", nanoseconds) + unit;
        nanoseconds /= 1000;
    }
    return format("%.3g", nanoseconds) + " s";
}

std::string rate_text(double bytes, double nanoseconds) {
    if (nanoseconds <= 0) return "-";
    return format("%.3g", bytes / nanoseconds) + " GB/s";
}

std::string element_type_words() {
    std::string words;
    for (unsigned number = 1; number < 256; ++number) {
        const char* word = tegu_element_word(static_cast<std::uint8_t>(number));
        if (word != nullptr) words += (words.empty() ? "" : " ") + std::string(word);
    }
    return words;
}

std::string bytes_text(std::uint64_t bytes) {
    static const char* const kUnits[] = {" KiB", " MiB", " GiB", " TiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes) / 1024;
    int unit = 0;
    for (; value >= 1023.95 && unit < 3; ++unit) value /= 1024;
    return format("%.1f", value) + kUnits[unit];
}

std::string folded_text(const std::string& line, std::size_t columns) {
    if (columns == 0 || line.size() <= columns) return line;
    std::string text, current;
    for (std::size_t begin = 0; begin < line.size();) {
        std::size_t end = line.find_first_of(",:", begin);
        end = end == std::string::npos ? line.size() : end + 1;
        const std::string part = line.substr(begin, end - begin);
        if (!current.empty() && current.size() + part.size() > columns) {
            text += current + "\n";
            current = " ";  // and the blank behind the comma
        }
        current += part;
        begin = end;
    }
    return text + current;
}

std::string shape_text(const std::vector<std::uint64_t>& shape, const char* separator) {
    if (shape.empty()) return "()";
    std::string text;
    for (const std::uint64_t extent : shape) text += (text.empty() ? "" : separator) + std::to_string(extent);
    return text;
}

void Table::heading(std::vector<std::string> cells) {
    has_heading_ = true;
    rows_.insert(rows_.begin(), std::move(cells));
}

void Table::row(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
}

std::string Table::text(bool bold) const {
    std::vector<std::size_t> widths(align_.size());
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    std::string text;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        std::string line;
        for (std::size_t c = 0; c < rows_[r].size(); ++c) {
            const std::string blanks(widths[c] - rows_[r][c].size(), ' ');
            line +=
                (c == 0 ? "  " : "   ") + (align_[c] == 'l' ? rows_[r][c] + blanks : blanks + rows_[r][c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += has_heading_ && r == 0 && bold ? "\033[1m" + line + "\033[0m\n" : line + "\n";
    }
    return text;
}

}  // namespace cli
}  // namespace tegu
