// SPDX-License-Identifier: Apache-2.0
// Value<T>: a value read from the board, or the cause why it is unknown. A missing part of a board is not an
// error. The causes are a closed list, so that programs can distinguish a powered-off sensor from an
// implausible one.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace tegu::daemon::health {

// X(Name, word, sentence): the words are part of the JSON and do not change.
#define TEGU_UNKNOWN_CAUSES(X)                                               \
    X(NotRead, not_read, "not read yet, or it needs a second reading")       \
    X(Missing, missing, "this board or kernel has no such file")             \
    X(Unreadable, unreadable, "it is there and cannot be read")              \
    X(PoweredOff, powered_off, "the part that would answer is switched off") \
    X(Garbage, garbage, "its text is not what the kernel writes there")      \
    X(Absurd, absurd, "a number that no board has")                          \
    X(TimedOut, timed_out, "a read has not returned, so it is read no more")

enum class Cause : std::uint8_t {
#define TEGU_X(Name, word, sentence) Name,
    TEGU_UNKNOWN_CAUSES(TEGU_X)
#undef TEGU_X
};

const char* cause_word(Cause cause);      // "powered_off"
const char* cause_sentence(Cause cause);  // for people

struct Unknown {
    Cause cause = Cause::NotRead;
    std::string detail;  // the file and its error; may be empty
};

template <class T>
class Value {
  public:
    Value() : state_(std::in_place_index<1>) {}
    Value(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Value(Unknown unknown) : state_(std::in_place_index<1>, std::move(unknown)) {}

    bool known() const { return state_.index() == 0; }
    // REQUIRES: known().
    const T& operator*() const {
        assert(known());
        return *std::get_if<0>(&state_);
    }
    const T* operator->() const { return &**this; }
    // REQUIRES: !known().
    const Unknown& unknown() const {
        assert(!known());
        return *std::get_if<1>(&state_);
    }
    T value_or(T other) const { return known() ? **this : std::move(other); }

  private:
    std::variant<T, Unknown> state_;
};

// f of the value, or the cause.
template <class T, class F>
auto map(const Value<T>& value, F&& f) -> Value<decltype(f(*value))> {
    if (!value.known()) return value.unknown();
    return f(*value);
}

// Converts small units to large ones: millivolts to volts with 1e3.
inline Value<double> divided(const Value<std::int64_t>& value, double by) {
    return map(value, [by](std::int64_t count) { return static_cast<double>(count) / by; });
}

}  // namespace tegu::daemon::health
