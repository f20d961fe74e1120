// SPDX-License-Identifier: Apache-2.0
// What is answered to the bytes of a scrape, as pure functions: HTTP/1.0 and 1.1, GET /metrics and nothing
// else. The parser is Boost.Beast's, without its streams; the limits are ours. Safe for any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tegu::daemon {

// Of the request line and all header fields. Prometheus sends some 300.
inline constexpr std::size_t kMaxScrapeRequestBytes = 8 * 1024;

// The HTTP status to answer `bytes` with, all that has come of a connection: 200, or 400 (no HTTP/1), 404
// (another path), 405 (another method), 431 (more than kMaxScrapeRequestBytes). 0: the header is not
// complete, and may still become good. What follows the header does not count. Throws only std::bad_alloc.
unsigned scrape_status(std::string_view bytes);

// The whole answer: header and body. `text` is the body of a 200; other statuses have a line that says what
// is allowed.
std::string scrape_answer(unsigned status, std::string_view text);

}  // namespace tegu::daemon
