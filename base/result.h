// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. The project's functions do not throw; a function that can fail returns a
// Result. An Error names the wrong field and the allowed values, so that a caller can correct the request.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/status.h"

namespace tegu {

struct Error {
    Status status = Status::Internal;  // never Ok
    std::string message;               // one sentence without a full stop, for people
    std::string field;                 // the wrong field, named as in the protocol and the CLI; may be empty
    std::string allowed;               // the accepted values, e.g. "1..1000"; may be empty
    std::uint64_t retry_after_ns = 0;  // a hint; only with Busy
    std::optional<std::uint64_t> row;  // of the input; the message names it, too
};

// Shorthands, so that call sites read as one line: return bad_range("k", "1.." + std::to_string(n), ...).
inline Error make_error(Status status, std::string message) {
    return Error{status, std::move(message), {}, {}, 0, {}};
}
inline Error field_error(Status status, std::string field, std::string allowed, std::string message) {
    return Error{status, std::move(message), std::move(field), std::move(allowed), 0, {}};
}
inline Error bad_range(std::string field, std::string allowed, std::string message) {
    return field_error(Status::BadRange, std::move(field), std::move(allowed), std::move(message));
}
// Maps errno to a Status and names the call: io_error("open /x", errno). No other function maps errno.
Error io_error(const std::string& what, int os_code);

template <class T>
class [[nodiscard]] Result {
  public:
    // Two overloads, not one by value: some compilers (clang up to 12) move the local of `return local;` only
    // into a reference.
    Result(T&& value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(const T& value) : state_(std::in_place_index<0>, value) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    // REQUIRES: ok().
    T& value() & {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    // REQUIRES: !ok().
    Error& error() & {
        assert(!ok());
        return *std::get_if<1>(&state_);
    }
    const Error& error() const& {
        assert(!ok());
        return *std::get_if<1>(&state_);
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*std::get_if<1>(&state_));
    }

  private:
    std::variant<T, Error> state_;
};

// Success is a flag alone: kernels return one for each number of a result.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() {}  // not defaulted: `return {};` would fill the whole object with zeros first
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    // REQUIRES: !ok().
    Error& error() & {
        assert(!ok());
        return *error_;
    }
    const Error& error() const& {
        assert(!ok());
        return *error_;
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*error_);
    }

  private:
    std::optional<Error> error_;
};

}  // namespace tegu
