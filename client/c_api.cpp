// SPDX-License-Identifier: Apache-2.0
// The functions of tegu.h that have a client, each a few lines over Client. No exception may pass through C:
// out of memory is caught here.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>

#include "client/client.h"

struct tegu_client {
    std::unique_ptr<tegu::clientlib::Client> client;
};

struct tegu_fields {
    std::vector<tegu::wire::Field> fields;
};

struct tegu_kernels {
    tegu::clientlib::KernelList list;
};

namespace {

using tegu::Error;
using tegu::Result;
using tegu::Status;
using tegu::clientlib::Clock;
using tegu::clientlib::TimePoint;

// Copies as many bytes as fit; never cuts a UTF-8 character.
template <std::size_t N>
void copy_text(char (&to)[N], const std::string& from) {
    std::size_t length = std::min(from.size(), N - 1);
    while (length < from.size() && length > 0 && (static_cast<unsigned char>(from[length]) & 0xc0u) == 0x80u)
        --length;
    std::memcpy(to, from.data(), length);
    to[length] = '\0';
}

tegu_status fail(const Error& from, tegu_error* error) {
    const auto status = static_cast<tegu_status>(from.status);
    if (error == nullptr) return status;
    error->status = status;
    error->retry_after_ns = from.retry_after_ns;
    copy_text(error->field, from.field);
    copy_text(error->allowed, from.allowed);
    copy_text(error->message, from.message);
    return status;
}

// Runs `body`, which returns a tegu_status.
template <class Body>
tegu_status guarded(tegu_error* error, Body body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return fail(tegu::make_error(Status::OutOfMemory, "memory could not be allocated"), error);
    }
}

tegu_status finish(const Result<void>& result, tegu_error* error) {
    return result ? TEGU_OK : fail(result.error(), error);
}

tegu::clientlib::Settings settings_of(const tegu_options& options) {
    tegu::clientlib::Settings settings;
    const char* path = options.socket_path != nullptr ? options.socket_path : std::getenv("TEGU_SOCKET");
    settings.socket_path = path != nullptr && *path != '\0' ? path : TEGU_DEFAULT_SOCKET;
    settings.name = options.name != nullptr ? options.name : program_invocation_short_name;
    settings.connect_time = std::chrono::milliseconds(options.connect_ms);
    settings.reconnect_time = std::chrono::milliseconds(options.reconnect_ms);
    settings.busy_retry = options.busy_retry != 0;
    settings.server_uid = options.server_uid;
    settings.spin_time = std::chrono::microseconds(options.spin_us);
    return settings;
}

tegu_status give_buffer(Result<tegu::clientlib::RegionPtr> region, tegu_buffer** buffer, tegu_error* error) {
    if (!region) return fail(region.error(), error);
    *buffer = new tegu_buffer{std::move(*region)};
    return TEGU_OK;
}

tegu_status give_fields(tegu_client* client, tegu::wire::MessageType type, tegu_fields** fields,
                        tegu_error* error) {
    return guarded(error, [&] {
        auto found = client->client->fields(type);
        if (!found) return fail(found.error(), error);
        *fields = new tegu_fields{std::move(*found)};
        return tegu_status{TEGU_OK};
    });
}

tegu_status give_result(tegu::clientlib::Ended ended, tegu_result** result, tegu_error* error) {
    *result = ended.result.release();
    return *result != nullptr ? TEGU_OK : fail(ended.error, error);
}

tegu_array to_c(const tegu_result& result, const tegu::wire::ResultArray& array) {
    return tegu_array{static_cast<std::uint8_t>(array.spec.role), static_cast<std::uint8_t>(array.spec.type),
                      array.spec.rows, array.spec.cols,
                      result.base == nullptr ? nullptr : result.base + array.offset_bytes};
}

// Frees an owner of a region (which may be null) and notifies the daemon at once if it was the last one.
template <class Owner>
void free_with_region(Owner* owner, const tegu::clientlib::RegionPtr& region) {
    tegu::clientlib::Client* client = region != nullptr ? region->client : nullptr;
    delete owner;
    if (client == nullptr) return;
    try {
        client->send_releases();
    } catch (const std::bad_alloc&) {  // they are sent with the next message
    }
}

}  // namespace

extern "C" {

tegu_status tegu_connect(const tegu_options* options, tegu_client** client, tegu_error* error) {
    return guarded(error, [&] {
        tegu_options defaults;
        tegu_options_init(&defaults, sizeof defaults);
        auto known = tegu::clientlib::read_options(options != nullptr ? *options : defaults);
        if (!known) return fail(known.error(), error);
        auto connected = tegu::clientlib::Client::connect(settings_of(*known));
        if (!connected) return fail(connected.error(), error);
        *client = new tegu_client{std::move(*connected)};
        return tegu_status{TEGU_OK};
    });
}

void tegu_close(tegu_client* client) {
    delete client;
}

tegu_status tegu_ping(tegu_client* client, uint64_t* round_trip_ns, tegu_error* error) {
    return guarded(error, [&] {
        auto time = client->client->ping();
        if (!time) return fail(time.error(), error);
        if (round_trip_ns != nullptr) *round_trip_ns = static_cast<std::uint64_t>(time->count());
        return tegu_status{TEGU_OK};
    });
}

uint64_t tegu_reconnects(const tegu_client* client) {
    return client->client->reconnects();
}

tegu_status tegu_info(tegu_client* client, tegu_fields** fields, tegu_error* error) {
    return give_fields(client, tegu::wire::MessageType::Info, fields, error);
}
tegu_status tegu_stats(tegu_client* client, tegu_fields** fields, tegu_error* error) {
    return give_fields(client, tegu::wire::MessageType::Stats, fields, error);
}
size_t tegu_fields_count(const tegu_fields* fields) {
    return fields->fields.size();
}
tegu_field tegu_fields_at(const tegu_fields* fields, size_t index) {
    const tegu::wire::Field& field = fields->fields[index];
    tegu_field out{field.name.c_str(), static_cast<int>(field.value.index()), 0, 0, nullptr};
    if (const auto* number = std::get_if<std::uint64_t>(&field.value)) out.u64 = *number;
    if (const auto* number = std::get_if<double>(&field.value)) out.f64 = *number;
    if (const auto* text = std::get_if<std::string>(&field.value)) out.text = text->c_str();
    return out;
}
void tegu_fields_free(tegu_fields* fields) {
    delete fields;
}

static_assert(TEGU_HEALTH_BYTES == tegu::wire::kMaxHealthTextBytes, "as the protocol says");

tegu_status tegu_health(tegu_client* client, int form, int* state, char* text, size_t capacity, size_t* bytes,
                        tegu_error* error) {
    return guarded(error, [&] {
        if (form < TEGU_HEALTH_JSON || form > TEGU_HEALTH_METRICS)
            return fail(tegu::bad_range("form", "0..2", "there is no such form of the health"), error);
        const auto found = client->client->health(static_cast<tegu::wire::HealthForm>(form));
        if (!found) return fail(found.error(), error);
        *state = static_cast<int>(found->state);
        *bytes = found->text.size();
        std::copy_n(found->text.data(), std::min(capacity, found->text.size()), text);
        return tegu_status{TEGU_OK};
    });
}

tegu_status tegu_kernels_get(tegu_client* client, tegu_kernels** kernels, tegu_error* error) {
    return guarded(error, [&] {
        auto found = client->client->kernels();
        if (!found) return fail(found.error(), error);
        *kernels = new tegu_kernels{std::move(*found)};
        return tegu_status{TEGU_OK};
    });
}
size_t tegu_kernels_count(const tegu_kernels* kernels) {
    return kernels->list.kernels.size();
}
tegu_kernel tegu_kernels_at(const tegu_kernels* kernels, size_t index) {
    const tegu::clientlib::KernelList::Kernel& kernel = kernels->list.kernels[index];
    const tegu::wire::KernelInfo& from = kernel.numbers;
    return tegu_kernel{kernel.name.c_str(),      kernel.moves.c_str(),
                       from.registers,           from.threads,
                       from.max_threads,         from.blocks_per_multiprocessor,
                       from.static_shared_bytes, from.dynamic_shared_bytes,
                       from.local_bytes,         from.constant_bytes,
                       from.architecture,        0};
}
const char* tegu_kernels_reason(const tegu_kernels* kernels) {
    return kernels->list.reason.c_str();
}
uint32_t tegu_kernels_threads_per_multiprocessor(const tegu_kernels* kernels) {
    return kernels->list.threads_per_multiprocessor;
}
void tegu_kernels_free(tegu_kernels* kernels) {
    delete kernels;
}

tegu_status tegu_buffer_create(tegu_client* client, uint64_t bytes, tegu_buffer** buffer, tegu_error* error) {
    return guarded(error, [&] { return give_buffer(client->client->create_buffer(bytes), buffer, error); });
}
tegu_status tegu_buffer_register(tegu_client* client, int fd, uint64_t bytes, int access,
                                 tegu_buffer** buffer, tegu_error* error) {
    return guarded(error, [&] {
        if (access != TEGU_ACCESS_READ && access != TEGU_ACCESS_READ_WRITE)
            return fail(tegu::bad_range("access", "0 (read) or 1 (read and write)",
                                        "there is no access " + std::to_string(access)),
                        error);
        return give_buffer(
            client->client->register_buffer(fd, bytes, static_cast<tegu::wire::Access>(access)), buffer,
            error);
    });
}
void* tegu_buffer_data(tegu_buffer* buffer) {
    return buffer->region->memory.data();
}
uint64_t tegu_buffer_bytes(const tegu_buffer* buffer) {
    return buffer->region->memory.bytes();
}
uint64_t tegu_buffer_handle(const tegu_buffer* buffer) {
    return buffer->region->handle;
}
void tegu_buffer_commit(tegu_buffer* buffer) {
    ++buffer->region->generation;
}
uint64_t tegu_buffer_generation(const tegu_buffer* buffer) {
    return buffer->region->generation;
}
tegu_status tegu_buffer_freeze(tegu_buffer* buffer, tegu_error* error) {
    return guarded(error, [&] {
        tegu::clientlib::Region& region = *buffer->region;
        if (region.client == nullptr)
            return fail(tegu::make_error(Status::Unavailable, "the buffer's client is closed"), error);
        return finish(region.client->freeze(region), error);
    });
}
void tegu_buffer_free(tegu_buffer* buffer) {
    if (buffer != nullptr) free_with_region(buffer, buffer->region);
}

tegu_status tegu_buffer_list(tegu_client* client, tegu_buffer_info* list, size_t capacity, size_t* count,
                             tegu_error* error) {
    return guarded(error, [&] {
        auto found = client->client->list_buffers();
        if (!found) return fail(found.error(), error);
        for (std::size_t i = 0; i < std::min(capacity, found->size()); ++i) {
            const tegu::wire::BufferInfo& from = (*found)[i];
            list[i] = tegu_buffer_info{from.handle,
                                       from.session,
                                       from.bytes,
                                       from.jobs_total,
                                       from.generation,
                                       from.pid,
                                       static_cast<std::uint8_t>(from.access),
                                       static_cast<std::uint8_t>(from.frozen ? 1 : 0),
                                       static_cast<std::uint8_t>(from.created_by_daemon ? 1 : 0),
                                       0};
        }
        *count = found->size();
        return tegu_status{TEGU_OK};
    });
}

tegu_status tegu_submit(tegu_client* client, const tegu_request* request, uint64_t* id, tegu_error* error) {
    return guarded(error, [&] {
        auto submitted = client->client->submit(*request);
        if (!submitted) return fail(submitted.error(), error);
        *id = *submitted;
        return tegu_status{TEGU_OK};
    });
}
tegu_status tegu_flush(tegu_client* client, tegu_error* error) {
    return guarded(error, [&] { return finish(client->client->flush(), error); });
}
tegu_status tegu_wait(tegu_client* client, uint64_t id, int timeout_ms, tegu_result** result,
                      uint64_t* done_id, tegu_error* error) {
    return guarded(error, [&] {
        const TimePoint until =
            timeout_ms < 0 ? TimePoint::max() : Clock::now() + std::chrono::milliseconds(timeout_ms);
        tegu::clientlib::Ended ended = client->client->wait(id, until);
        if (done_id != nullptr) *done_id = ended.id;
        return give_result(std::move(ended), result, error);
    });
}
void tegu_get_poll_state(const tegu_client* client, tegu_poll_state* state) {
    const tegu::clientlib::PollState from = client->client->poll_state();
    *state = tegu_poll_state{from.fd, from.for_writing ? POLLIN | POLLOUT : POLLIN, -1, 0, from.connection};
    if (from.wake == TimePoint::max()) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(from.wake - Clock::now()).count();
    state->timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}
tegu_status tegu_cancel(tegu_client* client, uint64_t id, tegu_error* error) {
    return guarded(error, [&] { return finish(client->client->cancel(id), error); });
}
tegu_status tegu_run(tegu_client* client, const tegu_request* request, tegu_result** result,
                     tegu_error* error) {
    return guarded(error, [&] {
        *result = nullptr;
        auto submitted = client->client->submit(*request);
        if (!submitted) return fail(submitted.error(), error);
        return give_result(client->client->wait(*submitted, TimePoint::max()), result, error);
    });
}

size_t tegu_result_count(const tegu_result* result) {
    return result->arrays.size();
}
tegu_array tegu_result_array(const tegu_result* result, size_t index) {
    return to_c(*result, result->arrays[index]);
}
int tegu_result_find(const tegu_result* result, uint8_t role, tegu_array* array) {
    for (const tegu::wire::ResultArray& one : result->arrays) {
        if (static_cast<std::uint8_t>(one.spec.role) != role) continue;
        *array = to_c(*result, one);
        return 1;
    }
    return 0;
}
int tegu_result_backend(const tegu_result* result) {
    return static_cast<int>(result->backend);
}
const char* tegu_result_policy(const tegu_result* result) {
    return result->policy;
}
tegu_timing tegu_result_timing(const tegu_result* result) {
    return result->timing;
}
void tegu_result_free(tegu_result* result) {
    if (result != nullptr) free_with_region(result, result->region);
}

}  // extern "C"
