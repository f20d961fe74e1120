// SPDX-License-Identifier: Apache-2.0
// Region: a buffer in the library: memory, and its state in the daemon on the current connection. The
// caller's tegu_buffer, jobs that use it and results in it share ownership; the last owner releases it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "client/memory.h"
#include "wire/messages.h"

namespace tegu::clientlib {

class Client;

struct Region {
    Region(Client* owner, Memory content, wire::Access daemon_access)
        : client(owner), memory(std::move(content)), access(daemon_access) {}
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region();

    Client* client;  // null when the client is closed: then plain memory
    Memory memory;
    wire::Access access;
    bool frozen = false;
    std::uint64_t handle = 0;   // on the current connection; 0: not registered
    wire::BufferToken token{};  // registers it with the next daemon; all zero: not possible
    std::uint64_t generation = 0;
    unsigned jobs = 0;             // without a reply
    std::optional<Error> refused;  // why the daemon rejects or has dropped it
};

using RegionPtr = std::shared_ptr<Region>;

}  // namespace tegu::clientlib
