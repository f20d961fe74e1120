// SPDX-License-Identifier: Apache-2.0
// The listen address of a setting: a Unix socket, or a numeric address and a port. Host names are not
// allowed: a daemon must not wait for a name server at its start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tegu::config {

struct ListenAddress {
    std::string path;  // of a Unix socket; else empty
    std::string host;  // "127.0.0.1" or "::1"
    std::uint16_t port = 0;
    bool is_ipv6 = false;
};

// "/run/tegud/metrics.sock", "127.0.0.1:9469", "[::1]:9469"; a port from 1 to 65535. Empty for any other
// text.
std::optional<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace tegu::config
