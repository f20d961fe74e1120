// SPDX-License-Identifier: Apache-2.0
// RunPolicy: how a job ran, as fields with keys and values. text() prints it for people and logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tegu::kernels {

class RunPolicy {
  public:
    struct Field {
        std::string_view key;
        std::string value;
        bool shows_key;
    };
    // Keys have static storage.
    void add(std::string_view key, std::string value) {
        fields_.push_back(Field{key, std::move(value), true});
    }
    void add(std::string_view key, std::uint64_t value) { add(key, std::to_string(value)); }
    // Printed without its key.
    void add_word(std::string_view key, std::string word) {
        fields_.push_back(Field{key, std::move(word), false});
    }
    void append(const RunPolicy& other) {
        fields_.insert(fields_.end(), other.fields_.begin(), other.fields_.end());
    }
    // Printed before all others, without its key.
    void begin_with(std::string_view key, std::string word) {
        fields_.insert(fields_.begin(), Field{key, std::move(word), false});
    }
    void reserve(std::size_t fields) { fields_.reserve(fields); }

    bool empty() const { return fields_.empty(); }
    const std::vector<Field>& fields() const { return fields_; }
    // The value of the first field with the key; empty if there is none.
    std::string_view find(std::string_view key) const;
    // "cpu avx2 threads=2 tile=1024".
    std::string text() const;
    void append_to(std::string& text) const;  // the same

  private:
    std::vector<Field> fields_;
};

}  // namespace tegu::kernels
