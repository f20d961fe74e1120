// SPDX-License-Identifier: Apache-2.0
// Error and Expected<T>: errors of the C++ wrapper, without exceptions.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu.h"
#else
#include <tegu.h>
#endif

namespace tegu {
namespace client {

// An error; the texts may be empty. `word()` is the status as in logs and replies.
struct Error {
    tegu_status status = TEGU_INTERNAL;
    std::uint64_t retry_after_ns = 0;  // only with TEGU_BUSY
    std::string field;
    std::string allowed;
    std::string message;

    const char* word() const { return tegu_status_word(status); }
    bool retryable() const { return tegu_status_retryable(status) != 0; }
    int exit_code() const { return tegu_status_exit_code(status); }

    static Error from(const tegu_error& error) {
        return Error{error.status, error.retry_after_ns, error.field, error.allowed, error.message};
    }
};

// A value or an Error. REQUIRES of value(), * and ->: ok(); of error(): !ok().
template <class T>
class [[nodiscard]] Expected {
  public:
    // Two overloads, not one by value: some compilers (clang up to 12) move the local of `return local;` only
    // into a reference.
    Expected(T&& value) : state_(std::in_place_index<0>, std::move(value)) {}
    Expected(const T& value) : state_(std::in_place_index<0>, value) {}
    Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() & { return *get(std::get_if<0>(&state_)); }
    const T& value() const& { return *get(std::get_if<0>(&state_)); }
    T&& value() && { return std::move(*get(std::get_if<0>(&state_))); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    Error& error() & { return *get(std::get_if<1>(&state_)); }
    const Error& error() const& { return *get(std::get_if<1>(&state_)); }
    Error&& error() && { return std::move(*get(std::get_if<1>(&state_))); }

  private:
    template <class P>
    static P* get(P* pointer) {
        assert(pointer != nullptr);
        return pointer;
    }
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Expected<void> {
  public:
    Expected() = default;
    Expected(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    Error& error() { return *error_; }
    const Error& error() const { return *error_; }

  private:
    std::optional<Error> error_;
};

}  // namespace client
}  // namespace tegu
