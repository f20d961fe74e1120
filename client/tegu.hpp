// SPDX-License-Identifier: Apache-2.0
// tegu.hpp: the C++17 face of tegu.h. Header-only and nothing but owners, views and one-line calls, so that the ABI stays the C one
// and a program may be built with any compiler. Functions that can fail return Expected<T>; nothing throws but std::bad_alloc.
// What the library promises (reconnect, replay, threads) stands in tegu.h.
//
//     namespace tc = tegu::client;
//     auto client = tc::Client::connect();
//     if (!client) return complain(client.error());
//     auto result = client->run(tc::Request::reduce(x.data(), x.size(), TEGU_STAT_SUM | TEGU_STAT_STD));
//     if (result) std::printf("%g\n", result->number(tc::role_of(TEGU_STAT_SUM)).value_or(0));
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu.h"
#else
#include <tegu.h>
#endif

namespace tegu {
namespace client {

// What went wrong; the texts may be empty. `word()` is the status as logs and replies show it.
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
    Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
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

// The element type of a C++ type: element_type<float>() == TEGU_F32. Half floats have no C++ type: pass TEGU_F16 by number.
template <class T>
constexpr std::uint8_t element_type() {
    using U = std::remove_cv_t<T>;
    static_assert(std::is_arithmetic<U>::value && !std::is_same<U, bool>::value && sizeof(U) <= 8,
                  "not an element type of tegu");
    if (std::is_floating_point<U>::value) return sizeof(U) == 4 ? TEGU_F32 : TEGU_F64;
    const std::uint8_t unsigned_type = sizeof(U) == 1   ? TEGU_U8
                                       : sizeof(U) == 2 ? TEGU_U16
                                       : sizeof(U) == 4 ? TEGU_U32
                                                        : TEGU_U64;
    return static_cast<std::uint8_t>(unsigned_type + (std::is_signed<U>::value ? 1 : 0));
}

// The element type of a word: "f32" -> TEGU_F32; 0 if there is none.
inline std::uint8_t find_element_type(std::string_view word) {
    for (unsigned number = 1; number < 256; ++number) {
        const char* known = tegu_element_word(static_cast<std::uint8_t>(number));
        if (known != nullptr && word == known) return static_cast<std::uint8_t>(number);
    }
    return 0;
}

// The role under which the array of one statistic stands in a result. REQUIRES: exactly one bit of TEGU_STAT_* is set.
constexpr std::uint8_t role_of(std::uint32_t statistic) {
    std::uint8_t role = 1;
    for (; statistic > 1; statistic >>= 1) ++role;
    return role;
}

// The bit of a statistic's word: "sum" -> TEGU_STAT_SUM; 0 if there is none.
inline std::uint32_t find_statistic(std::string_view word) {
    for (std::uint8_t role = 1; role < TEGU_ROLE_VALUES; ++role) {
        const char* known = tegu_role_word(role);
        if (known != nullptr && word == known) return 1u << (role - 1);
    }
    return 0;
}

// One array of a result: a view that lives as long as the result, or as the output buffer.
struct Array {
    std::uint8_t role = 0;
    std::uint8_t type = 0;
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    const void* data = nullptr;

    const char* word() const { return tegu_role_word(role); }
    std::uint64_t size() const { return rows * cols; }
    std::uint64_t bytes() const { return size() * tegu_element_bytes(type); }
    // REQUIRES: element_type<T>() == type.
    template <class T>
    const T* as() const {
        assert(element_type<T>() == type);
        return static_cast<const T*>(data);
    }
    // Element `index` as a double, rounded if it is an integer of more than 53 bits. REQUIRES: index < size().
    double number(std::uint64_t index) const {
        assert(index < size());
        switch (type) {
            case TEGU_U8: return as<std::uint8_t>()[index];
            case TEGU_I8: return as<std::int8_t>()[index];
            case TEGU_U16: return as<std::uint16_t>()[index];
            case TEGU_I16: return as<std::int16_t>()[index];
            case TEGU_U32: return as<std::uint32_t>()[index];
            case TEGU_I32: return as<std::int32_t>()[index];
            case TEGU_U64: return static_cast<double>(as<std::uint64_t>()[index]);
            case TEGU_I64: return static_cast<double>(as<std::int64_t>()[index]);
            case TEGU_F32: return static_cast<double>(as<float>()[index]);
            case TEGU_F64: return as<double>()[index];
            case TEGU_F16: return half(static_cast<const std::uint16_t*>(data)[index]);
            default: assert(false); return 0;
        }
    }

  private:
    static double half(std::uint16_t bits) {
        const int exponent = (bits >> 10) & 31;
        const int mantissa = bits & 1023;
        double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
        if (exponent == 31) magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
};

// Owner of a result. An empty one (moved from) may only be destroyed or assigned to.
class Result {
  public:
    Result() = default;
    // Takes ownership.
    explicit Result(tegu_result* result) : result_(result) {}
    Result(Result&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
    Result& operator=(Result&& other) noexcept {
        std::swap(result_, other.result_);
        return *this;
    }
    ~Result() { tegu_result_free(result_); }

    std::size_t count() const { return tegu_result_count(result_); }
    Array array(std::size_t index) const { return view(tegu_result_array(result_, index)); }
    std::optional<Array> find(std::uint8_t role) const {
        tegu_array found;
        if (tegu_result_find(result_, role, &found) == 0) return std::nullopt;
        return view(found);
    }
    // The first element of a role's array.
    std::optional<double> number(std::uint8_t role) const {
        const std::optional<Array> found = find(role);
        if (!found || found->size() == 0) return std::nullopt;
        return found->number(0);
    }
    int backend() const { return tegu_result_backend(result_); }
    const char* policy() const { return tegu_result_policy(result_); }
    tegu_timing timing() const { return tegu_result_timing(result_); }
    const tegu_result* get() const { return result_; }

  private:
    static Array view(const tegu_array& array) {
        return Array{array.role, array.type, array.rows, array.cols, array.data};
    }
    tegu_result* result_ = nullptr;
};

// Owner of a buffer. Outlives its client safely: as memory.
class Buffer {
  public:
    Buffer() = default;
    // Takes ownership.
    explicit Buffer(tegu_buffer* buffer) : buffer_(buffer) {}
    Buffer(Buffer&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(buffer_, other.buffer_);
        return *this;
    }
    ~Buffer() { tegu_buffer_free(buffer_); }

    void* data() const { return tegu_buffer_data(buffer_); }
    template <class T>
    T* as() const {
        return static_cast<T*>(data());
    }
    std::uint64_t bytes() const { return tegu_buffer_bytes(buffer_); }
    std::uint64_t handle() const { return tegu_buffer_handle(buffer_); }
    std::uint64_t generation() const { return tegu_buffer_generation(buffer_); }
    void commit() { tegu_buffer_commit(buffer_); }
    Expected<void> freeze() {
        tegu_error error;
        if (tegu_buffer_freeze(buffer_, &error) != TEGU_OK) return Error::from(error);
        return {};
    }
    tegu_buffer* get() const { return buffer_; }

  private:
    tegu_buffer* buffer_ = nullptr;
};

// A request: tegu_request with its defaults, and makers for the usual shapes. The members of tegu_request are there to be set.
struct Request : tegu_request {
    explicit Request(std::uint16_t operation_number) {
        tegu_request_init(this, sizeof(tegu_request), operation_number);
    }

    // rows x cols elements of `type` at `data`. The memory is needed until the request is submitted.
    Request& input(const void* data, std::uint8_t element, std::uint64_t row_count, std::uint64_t col_count,
                   std::uint64_t row_stride = 0) {
        inputs[0] = tegu_operand{data, nullptr, 0, row_stride};
        return shape(element, row_count, col_count);
    }
    // The same in a buffer, which must live until the job's result is there.
    Request& input(const Buffer& buffer, std::uint8_t element, std::uint64_t row_count, std::uint64_t col_count,
                   std::uint64_t offset_bytes = 0, std::uint64_t row_stride = 0) {
        inputs[0] = tegu_operand{nullptr, buffer.get(), offset_bytes, row_stride};
        return shape(element, row_count, col_count);
    }
    Request& shape(std::uint8_t element, std::uint64_t row_count, std::uint64_t col_count) {
        type = element;
        rows = row_count;
        cols = col_count;
        return *this;
    }
    Request& by_rows() {
        axis = TEGU_AXIS_ROWS;
        return *this;
    }
    Request& into(const Buffer& buffer, std::uint64_t offset_bytes = 0) {
        output = buffer.get();
        output_offset_bytes = offset_bytes;
        return *this;
    }
    Request& deadline(std::uint64_t nanoseconds) {
        deadline_ns = nanoseconds;
        return *this;
    }

    static Request reduce(std::uint32_t statistics) {
        Request request(TEGU_REDUCE);
        request.params.reduce.statistics = statistics;
        return request;
    }
    static Request topk(std::uint64_t k, bool largest = true, bool distinct = false) {
        Request request(TEGU_TOPK);
        request.params.topk.k = k;
        request.params.topk.largest = largest ? 1 : 0;
        request.params.topk.distinct = distinct ? 1 : 0;
        return request;
    }
    static Request entropy_map(std::uint32_t window_rows, std::uint32_t window_cols, std::uint32_t levels) {
        Request request(TEGU_ENTROPY_MAP);
        request.params.entropy_map.window_rows = window_rows;
        request.params.entropy_map.window_cols = window_cols;
        request.params.entropy_map.levels = levels;
        return request;
    }
    // One sequence of n elements.
    template <class T>
    static Request reduce(const T* data, std::uint64_t n, std::uint32_t statistics) {
        Request request = reduce(statistics);
        request.input(data, element_type<T>(), 1, n);
        return request;
    }
    template <class T>
    static Request topk(const T* data, std::uint64_t n, std::uint64_t k, bool largest = true, bool distinct = false) {
        Request request = topk(k, largest, distinct);
        request.input(data, element_type<T>(), 1, n);
        return request;
    }
};

// INFO and STATS: named values.
struct Field {
    std::string name;
    std::variant<std::uint64_t, double, std::string> value;
};

struct Options {
    std::string socket_path;       // empty: $TEGU_SOCKET, else TEGU_DEFAULT_SOCKET
    std::string name;              // empty: the name of the executable
    std::uint32_t connect_ms = 0;  // the rest as in tegu_options
    std::uint32_t reconnect_ms = 10000;
    bool busy_retry = true;
    std::int64_t server_uid = -1;
    std::uint32_t spin_us = 50;
};

// A finished job of wait_any(): its id, and the result or the error it ended with.
struct Done {
    std::uint64_t id = 0;
    Expected<Result> result;
};

// Owner of a connection. An empty one (moved from) may only be destroyed or assigned to.
class Client {
  public:
    static Expected<Client> connect(const Options& options = Options()) {
        tegu_options raw;
        tegu_options_init(&raw, sizeof raw);
        raw.connect_ms = options.connect_ms;
        raw.reconnect_ms = options.reconnect_ms;
        raw.busy_retry = options.busy_retry ? 1 : 0;
        raw.server_uid = options.server_uid;
        raw.spin_us = options.spin_us;
        raw.socket_path = options.socket_path.empty() ? nullptr : options.socket_path.c_str();
        raw.name = options.name.empty() ? nullptr : options.name.c_str();
        tegu_client* client = nullptr;
        tegu_error error;
        if (tegu_connect(&raw, &client, &error) != TEGU_OK) return Error::from(error);
        return Client(client);
    }
    Client(Client&& other) noexcept : client_(std::exchange(other.client_, nullptr)) {}
    Client& operator=(Client&& other) noexcept {
        std::swap(client_, other.client_);
        return *this;
    }
    ~Client() { tegu_close(client_); }

    // Submit and wait.
    Expected<Result> run(const tegu_request& request) {
        tegu_result* result = nullptr;
        tegu_error error;
        if (tegu_run(client_, &request, &result, &error) != TEGU_OK) return Error::from(error);
        return Result(result);
    }
    // The id of the job; its result must be fetched by wait() or wait_any().
    Expected<std::uint64_t> submit(const tegu_request& request) {
        std::uint64_t id = 0;
        tegu_error error;
        if (tegu_submit(client_, &request, &id, &error) != TEGU_OK) return Error::from(error);
        return id;
    }
    Expected<void> flush() {
        tegu_error error;
        return outcome(tegu_flush(client_, &error), error);
    }
    // timeout_ms < 0: without limit. A timeout ends with TEGU_DEADLINE_EXCEEDED, as the job's own deadline does;
    // wait_any() tells them apart.
    Expected<Result> wait(std::uint64_t id, int timeout_ms = -1) { return wait_done(id, timeout_ms).result; }
    // Any job in flight. id 0: a timeout, or no job was in flight.
    Done wait_any(int timeout_ms = -1) { return wait_done(0, timeout_ms); }
    Expected<void> cancel(std::uint64_t id) {
        tegu_error error;
        return outcome(tegu_cancel(client_, id, &error), error);
    }

    // Nanoseconds.
    Expected<std::uint64_t> ping() {
        std::uint64_t round_trip_ns = 0;
        tegu_error error;
        if (tegu_ping(client_, &round_trip_ns, &error) != TEGU_OK) return Error::from(error);
        return round_trip_ns;
    }
    Expected<std::vector<Field>> info() { return fields(tegu_info); }
    Expected<std::vector<Field>> stats() { return fields(tegu_stats); }
    Expected<std::vector<tegu_buffer_info>> buffers() {
        std::vector<tegu_buffer_info> list(64);
        for (;;) {
            std::size_t count = 0;
            tegu_error error;
            if (tegu_buffer_list(client_, list.data(), list.size(), &count, &error) != TEGU_OK)
                return Error::from(error);
            const bool complete = count <= list.size();
            list.resize(count);
            if (complete) return list;
        }
    }
    std::uint64_t reconnects() const { return tegu_reconnects(client_); }

    // Memory made by the daemon, mapped here, zero at first.
    Expected<Buffer> create_buffer(std::uint64_t bytes) {
        tegu_buffer* buffer = nullptr;
        tegu_error error;
        if (tegu_buffer_create(client_, bytes, &buffer, &error) != TEGU_OK) return Error::from(error);
        return Buffer(buffer);
    }
    // A memfd of the caller, who keeps `fd`. access: TEGU_ACCESS_*.
    Expected<Buffer> register_buffer(int fd, std::uint64_t bytes, int access = TEGU_ACCESS_READ) {
        tegu_buffer* buffer = nullptr;
        tegu_error error;
        if (tegu_buffer_register(client_, fd, bytes, access, &buffer, &error) != TEGU_OK) return Error::from(error);
        return Buffer(buffer);
    }
    tegu_client* get() const { return client_; }

  private:
    explicit Client(tegu_client* client) : client_(client) {}

    static Expected<void> outcome(tegu_status status, const tegu_error& error) {
        if (status != TEGU_OK) return Error::from(error);
        return {};
    }
    Done wait_done(std::uint64_t id, int timeout_ms) {
        tegu_result* result = nullptr;
        std::uint64_t done_id = 0;
        tegu_error error;
        if (tegu_wait(client_, id, timeout_ms, &result, &done_id, &error) != TEGU_OK)
            return Done{done_id, Error::from(error)};
        return Done{done_id, Result(result)};
    }
    Expected<std::vector<Field>> fields(tegu_status (*call)(tegu_client*, tegu_fields**, tegu_error*)) {
        tegu_fields* raw = nullptr;
        tegu_error error;
        if (call(client_, &raw, &error) != TEGU_OK) return Error::from(error);
        std::vector<Field> list;
        for (std::size_t i = 0; i < tegu_fields_count(raw); ++i) {
            const tegu_field field = tegu_fields_at(raw, i);
            if (field.kind == TEGU_FIELD_U64) list.push_back(Field{field.name, field.u64});
            if (field.kind == TEGU_FIELD_F64) list.push_back(Field{field.name, field.f64});
            if (field.kind == TEGU_FIELD_TEXT) list.push_back(Field{field.name, std::string(field.text)});
        }
        tegu_fields_free(raw);
        return list;
    }

    tegu_client* client_ = nullptr;
};

}  // namespace client
}  // namespace tegu
