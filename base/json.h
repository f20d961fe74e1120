// SPDX-License-Identifier: Apache-2.0
// JSON text, written front to back. NaN and the infinities, which JSON lacks, become the strings "NaN",
// "Infinity" and "-Infinity": Python's float() and JavaScript's Number() parse them. Integers keep all
// digits, also beyond 2^53.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tegu {

class Json {
  public:
    Json& begin_object() { return open('{'); }
    Json& end_object() { return close('}'); }
    Json& begin_array() { return open('['); }
    Json& end_array() { return close(']'); }
    Json& key(std::string_view name);

    Json& text(std::string_view value);  // invalid UTF-8 and control characters are escaped or replaced
    Json& number(double value);
    Json& integer(std::uint64_t value) { return literal(std::to_string(value)); }
    Json& integer(std::int64_t value) { return literal(std::to_string(value)); }
    Json& boolean(bool value) { return literal(value ? "true" : "false"); }
    Json& null() { return literal("null"); }

    // The text so far.
    const std::string& str() const { return text_; }

  protected:
    Json& literal(std::string_view value);          // a value that is JSON already
    Json& float_literal(const std::string& value);  // a number as text; the text may not be a number

  private:
    Json& open(char bracket);
    Json& close(char bracket);
    void separate();

    std::string text_;
    bool first_ = true;  // of the current object or array; also right after a key
};

}  // namespace tegu
