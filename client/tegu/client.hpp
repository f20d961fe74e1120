// SPDX-License-Identifier: Apache-2.0
// Client: one connection; submits requests and returns results, buffers and named values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu/buffer.hpp"
#include "client/tegu/expected.hpp"
#include "client/tegu/request.hpp"
#include "client/tegu/result.hpp"
#else
#include <tegu/buffer.hpp>
#include <tegu/expected.hpp>
#include <tegu/request.hpp>
#include <tegu/result.hpp>
#endif

namespace tegu {
namespace client {

// INFO and STATS: named values.
struct Field {
    std::string name;
    std::variant<std::uint64_t, double, std::string> value;
};

// The health of the board and the daemon: TEGU_HEALTH_OK, _DEGRADED or _FAILING, and a text in the requested
// form.
struct Health {
    int state = TEGU_HEALTH_OK;
    std::string text;
};

// A kernel of the GPU backend: tegu_kernel documents the numbers.
struct Kernel {
    std::string name, moves;
    std::uint32_t registers = 0, threads = 0, max_threads = 0, blocks_per_multiprocessor = 0;
    std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes = 0, constant_bytes = 0;
    std::uint32_t architecture = 0;
};
struct Kernels {
    std::vector<Kernel> list;
    std::string reason;                            // why there are none
    std::uint32_t threads_per_multiprocessor = 0;  // that the device holds at once
};

struct Options {
    std::string socket_path;       // empty: as NULL in tegu_options
    std::string name;              // empty: the name of the executable
    std::uint32_t connect_ms = 0;  // the rest as in tegu_options
    std::uint32_t reconnect_ms = 10000;
    bool busy_retry = true;
    std::int64_t server_uid = -1;
    std::uint32_t spin_us = 50;
};

// A finished job of wait_any(): its id, and its result or error.
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
    // Returns the id of the job; the caller must fetch its result with wait() or wait_any().
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
    // timeout_ms < 0: no limit. A timeout gives TEGU_DEADLINE_EXCEEDED, as the job's own deadline does; only
    // wait_any() distinguishes them.
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
    Expected<Health> health(int form = TEGU_HEALTH_JSON) {
        Health health;
        health.text.resize(TEGU_HEALTH_BYTES);
        std::size_t bytes = 0;
        tegu_error error;
        if (tegu_health(client_, form, &health.state, &health.text[0], health.text.size(), &bytes, &error) !=
            TEGU_OK)
            return Error::from(error);
        health.text.resize(bytes);
        return health;
    }
    Expected<Kernels> kernels() {
        tegu_kernels* raw = nullptr;
        tegu_error error;
        if (tegu_kernels_get(client_, &raw, &error) != TEGU_OK) return Error::from(error);
        Kernels kernels;
        kernels.reason = tegu_kernels_reason(raw);
        kernels.threads_per_multiprocessor = tegu_kernels_threads_per_multiprocessor(raw);
        for (std::size_t i = 0; i < tegu_kernels_count(raw); ++i) {
            const tegu_kernel from = tegu_kernels_at(raw, i);
            kernels.list.push_back({from.name, from.moves, from.registers, from.threads, from.max_threads,
                                    from.blocks_per_multiprocessor, from.static_shared_bytes,
                                    from.dynamic_shared_bytes, from.local_bytes, from.constant_bytes,
                                    from.architecture});
        }
        tegu_kernels_free(raw);
        return kernels;
    }
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
    // Of this user; of all users for an administrator. tegu_job documents the numbers.
    Expected<std::vector<tegu_job>> jobs() {
        std::vector<tegu_job> list(64);
        for (;;) {
            std::size_t count = 0;
            tegu_error error;
            if (tegu_jobs(client_, list.data(), list.size(), &count, nullptr, &error) != TEGU_OK)
                return Error::from(error);
            const bool complete = count <= list.size();
            list.resize(count);
            if (complete) return list;
        }
    }
    // A job of jobs(), of any connection. Returns whether it had started.
    Expected<bool> cancel_job(std::uint64_t id) {
        int was_running = 0;
        tegu_error error;
        if (tegu_cancel_job(client_, id, &was_running, &error) != TEGU_OK) return Error::from(error);
        return was_running != 0;
    }
    std::uint64_t reconnects() const { return tegu_reconnects(client_); }

    // Memory allocated by the daemon, mapped here, initially zero.
    Expected<Buffer> create_buffer(std::uint64_t bytes) {
        tegu_buffer* buffer = nullptr;
        tegu_error error;
        if (tegu_buffer_create(client_, bytes, &buffer, &error) != TEGU_OK) return Error::from(error);
        return Buffer(buffer);
    }
    // A memfd of the caller, who still owns `fd`. access: TEGU_ACCESS_*.
    Expected<Buffer> register_buffer(int fd, std::uint64_t bytes, int access = TEGU_ACCESS_READ) {
        tegu_buffer* buffer = nullptr;
        tegu_error error;
        if (tegu_buffer_register(client_, fd, bytes, access, &buffer, &error) != TEGU_OK)
            return Error::from(error);
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
