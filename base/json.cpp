// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <cstdio>

#include "base/number_text.h"

namespace tegu {
namespace {

// Bytes of the UTF-8 character at the start of `text`, 0 if it is not one.
std::size_t utf8_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
    const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool surrogate = lead == 0xed && second >= 0xa0;
    const bool beyond = lead == 0xf4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

// Length of the leading one-byte characters that need no escape.
std::size_t plain_length(std::string_view text) {
    const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
}

}  // namespace

void Json::separate() {
    if (!first_) text_ += ", ";
    first_ = false;
}

Json& Json::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
}

Json& Json::close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
}

Json& Json::key(std::string_view name) {
    text(name);
    text_ += ": ";
    first_ = true;
    return *this;
}

Json& Json::literal(std::string_view value) {
    separate();
    text_ += value;
    return *this;
}

Json& Json::text(std::string_view value) {
    separate();
    text_ += '"';
    while (!value.empty()) {
        const std::size_t plain = plain_length(value);
        text_ += value.substr(0, plain);
        value.remove_prefix(plain);
        if (value.empty()) break;
        const std::size_t length = utf8_length(value);
        const auto c = static_cast<unsigned char>(value[0]);
        if (length == 0) {
            text_ += "\\ufffd";
        } else if (c < 0x20 || c == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            text_ += escape;
        } else {
            if (c == '"' || c == '\\') text_ += '\\';
            text_ += value.substr(0, length);
        }
        value.remove_prefix(length == 0 ? 1 : length);
    }
    text_ += '"';
    return *this;
}

Json& Json::float_literal(const std::string& value) {
    if (value == "nan") return text("NaN");
    if (value == "inf") return text("Infinity");
    if (value == "-inf") return text("-Infinity");
    return literal(value);
}

Json& Json::number(double value) {
    return float_literal(number_text(value));
}

}  // namespace tegu
