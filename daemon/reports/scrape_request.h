// SPDX-License-Identifier: Apache-2.0
// Pure functions that answer the bytes of a scrape: HTTP/1.0 and 1.1, only GET /metrics. Uses the parser of
// Boost.Beast without its streams, with the limits below. Safe for any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tegu::daemon {

// Size limit of the request line and all header fields. Prometheus sends about 300 bytes.
inline constexpr std::size_t kMaxScrapeRequestBytes = 8 * 1024;

// The HTTP status for `bytes`, all received from a connection: 200, 400 (not HTTP/1), 404 (another path), 405
// (another method), 431 (more than kMaxScrapeRequestBytes). 0: the header is incomplete but valid so far.
// Ignores bytes after the header. Throws only std::bad_alloc.
unsigned scrape_status(std::string_view bytes);

// The whole answer: header and body. `text` is the body of a 200; other statuses have one line with the
// allowed request.
std::string scrape_answer(unsigned status, std::string_view text);

}  // namespace tegu::daemon
