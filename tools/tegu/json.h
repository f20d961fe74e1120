// SPDX-License-Identifier: Apache-2.0
// JSON text, written front to back. NaN and the infinities, which JSON lacks, become the strings "NaN", "Infinity" and "-Infinity":
// Python's float() and JavaScript's Number() read them back. Integers stand with all their digits, beyond 2^53 too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/tegu.hpp"

namespace tegu {
namespace cli {

class Json {
  public:
    Json& begin_object() { return open('{'); }
    Json& end_object() { return close('}'); }
    Json& begin_array() { return open('['); }
    Json& end_array() { return close(']'); }
    Json& key(std::string_view name);

    Json& text(std::string_view value);  // invalid UTF-8 and control characters are escaped or replaced
    Json& number(double value);
    Json& number(float value);
    Json& integer(std::uint64_t value) { return literal(std::to_string(value)); }
    Json& integer(std::int64_t value) { return literal(std::to_string(value)); }
    Json& boolean(bool value) { return literal(value ? "true" : "false"); }
    Json& json(std::string_view value) { return literal(value); }  // what is JSON already
    Json& null() { return literal("null"); }
    Json& element(const client::Array& array, std::uint64_t index);

    // The text so far.
    const std::string& str() const { return text_; }

  private:
    Json& open(char bracket);
    Json& close(char bracket);
    Json& literal(std::string_view value);
    Json& float_literal(const std::string& value);
    void separate();

    std::string text_;
    bool first_ = true;  // of the object or array at hand; also right after a key
};

}  // namespace cli
}  // namespace tegu
