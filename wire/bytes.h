// SPDX-License-Identifier: Apache-2.0
// Reader and Writer: the two primitives of every codec. A Reader never reads outside its bytes and keeps its
// first error: a decoder reads all fields and checks finish() once. A Writer grows the buffer once and fills
// it.
//
// Neither allocates on the path without errors, except that growth.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/span.h"

namespace tegu::wire {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "the wire is little-endian, and so is every machine this runs on");

// The first `max_bytes` bytes of a text, not cut inside a UTF-8 character.
inline std::string_view cut_text(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xc0u) == 0x80u) --max_bytes;
    return text.substr(0, max_bytes);
}

inline std::size_t padding_to_8(std::size_t bytes) {
    return (8 - bytes % 8) % 8;
}

class Reader {
  public:
    explicit Reader(Bytes bytes) : next_(bytes.data()), left_(bytes.size()) {}

    std::uint8_t u8() { return load<std::uint8_t>(); }
    std::uint16_t u16() { return load<std::uint16_t>(); }
    std::uint32_t u32() { return load<std::uint32_t>(); }
    std::uint64_t u64() { return load<std::uint64_t>(); }
    double f64() { return load<double>(); }

    // A view of the next `count` bytes; empty if there are fewer.
    Bytes bytes(std::size_t count) {
        if (count > left_) {
            underrun(count);
            return {};
        }
        const Bytes view(next_, count);
        next_ += count;
        left_ -= count;
        return view;
    }
    std::string_view text(std::size_t count) {
        const Bytes view = bytes(count);
        return {reinterpret_cast<const char*>(view.data()), view.size()};
    }
    // `count` bytes that must be zero.
    void reserved(std::size_t count) {
        for (const std::byte byte : bytes(count))
            if (byte != std::byte{0})
                return fail(Status::BadRequest, "reserved", "0", "a reserved byte or padding is not zero");
    }
    bool boolean(const char* field) {
        const std::uint8_t value = u8();
        if (value > 1) fail(Status::BadRange, field, "0 or 1", "a truth value is neither 0 nor 1", value);
        return value == 1;
    }
    // An enumeration with the numbers 0 to `last` without gaps.
    template <class Enumeration>
    Enumeration enumeration(const char* field, Enumeration last, const char* allowed) {
        const std::uint8_t value = u8();
        if (value > static_cast<std::uint8_t>(last)) {
            fail(Status::BadRange, field, allowed, "a number is not in the list of this field", value);
            return Enumeration{};
        }
        return static_cast<Enumeration>(value);
    }

    // The u16 at the head of a list: how many entries follow. More than `max` are an error.
    std::size_t list_count(std::size_t max, const char* allowed, const char* message) {
        const std::size_t count = u16();
        if (count > max) fail(Status::TooLarge, "count", allowed, message);
        return count;
    }
    // Appends `count` entries, each as `read` reads it. Stops at the first error.
    template <class Entry>
    void list(std::size_t count, Entry (*read)(Reader&), std::vector<Entry>& entries) {
        for (std::size_t i = 0; i < count && ok(); ++i) entries.push_back(read(*this));
    }

    std::size_t left() const { return left_; }
    bool ok() const { return field_ == nullptr; }

    // Records an error, unless there is one already. The texts are literals; the message includes `found`.
    void fail(Status status, const char* field, const char* allowed, const char* message,
              std::optional<std::uint64_t> found = std::nullopt) {
        if (!ok()) return;
        status_ = status;
        field_ = field;
        allowed_ = allowed;
        message_ = message;
        found_ = found;
    }
    // Records that fewer than `count` bytes remain.
    void underrun(std::size_t count) {
        if (!ran_out_) missing_ = count - left_;
        fail(Status::BadRequest, "body", "the length that docs/protocol.md gives",
             "the body is shorter than its message");
        left_ = 0;
        ran_out_ = true;
    }
    bool ran_out() const { return ran_out_; }
    // The number of bytes missing at the first such error. REQUIRES: ran_out().
    std::size_t missing() const { return missing_; }
    // The first error. REQUIRES: !ok().
    Error error() const {
        assert(!ok());
        const std::string found = found_ ? ", found " + std::to_string(*found_) : "";
        return field_error(status_, field_, allowed_, message_ + found);
    }
    // The first error, or that of unread bytes.
    std::optional<Error> finish() {
        if (ok() && left_ != 0)
            return field_error(Status::BadRequest, "body", std::to_string(left_) + " bytes fewer",
                               "the body is longer than its message");
        if (ok()) return std::nullopt;
        return error();
    }

  private:
    template <class T>
    T load() {
        T value{};
        if (left_ < sizeof value) {
            underrun(sizeof value);
            return value;
        }
        std::memcpy(&value, next_, sizeof value);
        next_ += sizeof value;
        left_ -= sizeof value;
        return value;
    }
    const std::byte* next_;
    std::size_t left_;
    bool ran_out_ = false;
    std::size_t missing_ = 0;
    Status status_ = Status::Internal;
    const char* field_ = nullptr;
    const char* allowed_ = nullptr;
    const char* message_ = nullptr;
    std::optional<std::uint64_t> found_;
};

class Writer {
  public:
    // Appends `bytes` zero bytes to `out` and writes into them from their start. `out` must not grow until
    // the Writer is done.
    Writer(std::vector<std::byte>& out, std::size_t bytes) {
        out.resize(out.size() + bytes);
        end_ = out.data() + out.size();
        next_ = end_ - bytes;
    }
    // Overwrites `memory`.
    explicit Writer(MutableBytes memory) : next_(memory.begin()), end_(memory.end()) {}

    void u8(std::uint8_t value) { store(value); }
    void u16(std::uint16_t value) { store(value); }
    void u32(std::uint32_t value) { store(value); }
    void u64(std::uint64_t value) { store(value); }
    void f64(double value) { store(value); }
    void bytes(Bytes view) {
        assert(view.size() <= static_cast<std::size_t>(end_ - next_));
        if (!view.empty()) std::memcpy(next_, view.data(), view.size());
        next_ += view.size();
    }
    void text(std::string_view view) {
        bytes(Bytes(reinterpret_cast<const std::byte*>(view.data()), view.size()));
    }
    // Leaves `count` bytes zero.
    void reserved(std::size_t count) {
        assert(count <= static_cast<std::size_t>(end_ - next_));
        next_ += count;
    }

  private:
    template <class T>
    void store(T value) {
        assert(sizeof value <= static_cast<std::size_t>(end_ - next_));
        std::memcpy(next_, &value, sizeof value);
        next_ += sizeof value;
    }

    std::byte* next_;
    std::byte* end_;
};

}  // namespace tegu::wire
