// SPDX-License-Identifier: Apache-2.0
#include "config/listen_address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace tegu::config {
namespace {

// Rejects leading zeros: "080" is more often a mistake than a port.
std::optional<std::uint16_t> parse_port(std::string_view digits) {
    if (digits.empty() || digits.size() > 5 || digits[0] == '0') return std::nullopt;
    std::uint32_t port = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        port = port * 10 + static_cast<std::uint32_t>(c - '0');
    }
    if (port > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(port);
}

}  // namespace

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
    ListenAddress address;
    if (!text.empty() && text[0] == '/') {
        address.path = text;
        return address;
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
    std::string_view host = text.substr(0, colon);
    address.is_ipv6 = host.size() >= 2 && host.front() == '[' && host.back() == ']';
    if (address.is_ipv6) host = host.substr(1, host.size() - 2);
    address.host = host;
    in6_addr number;  // large enough for both
    const bool has_nul = std::find(host.begin(), host.end(), '\0') != host.end();
    if (!port || has_nul ||
        ::inet_pton(address.is_ipv6 ? AF_INET6 : AF_INET, address.host.c_str(), &number) != 1)
        return std::nullopt;
    address.port = *port;
    return address;
}

}  // namespace tegu::config
