// SPDX-License-Identifier: Apache-2.0
// What the functions of tegu.h share: the handle of a client, and errors for C. No exception may pass through
// C: guarded() catches out of memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "client/client.h"

struct tegu_client {
    std::unique_ptr<tegu::clientlib::Client> client;
};

namespace tegu::clientlib {

// Copies as many bytes as fit; never cuts a UTF-8 character.
template <std::size_t N>
void copy_text(char (&to)[N], const std::string& from) {
    std::size_t length = std::min(from.size(), N - 1);
    while (length < from.size() && length > 0 && (static_cast<unsigned char>(from[length]) & 0xc0u) == 0x80u)
        --length;
    std::memcpy(to, from.data(), length);
    to[length] = '\0';
}

// Returns the status of the error, and fills `error` if it is not null.
inline tegu_status fail(const Error& from, tegu_error* error) {
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
        return fail(make_error(Status::OutOfMemory, "memory could not be allocated"), error);
    }
}

}  // namespace tegu::clientlib
