// SPDX-License-Identifier: Apache-2.0
// Fuzzes the request of a scrape. The first byte says where the bytes are cut, as they come in pieces.
// Checked: the status is one of those that are said, what was decided of the first piece holds for the whole
// unless that is too long, and only GET /metrics is answered with metrics.
#include <cstdint>

#include "daemon/reports/scrape_request.h"
#include "tests/fuzz.h"

namespace {

using namespace tegu::daemon;
using tegu::fuzz::require;

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

void check(unsigned status, std::string_view bytes) {
    if (status == 0) {
        require(bytes.size() <= kMaxScrapeRequestBytes, "more is awaited than may come");
        return;
    }
    const std::string answer = scrape_answer(status, "tegu_jobs 1\n");
    require(starts_with(answer, "HTTP/1.1 " + std::to_string(status) + " "), "an answer of another status");
    require(starts_with(answer.substr(answer.find("\r\n\r\n") + 4), "tegu_jobs") == (status == 200),
            "a wrong body");
    if (status == 200)
        require(starts_with(bytes, "GET /metrics ") || starts_with(bytes, "GET /metrics?"),
                "metrics not asked for");
    else
        require(status == 400 || status == 404 || status == 405 || status == 431,
                "a status that is not said");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::string_view piece = bytes.substr(0, bytes.size() * data[0] / 256);
    const unsigned early = scrape_status(piece), status = scrape_status(bytes);
    check(early, piece);
    check(status, bytes);
    require(early == 0 || status == early || status == 431, "a decision that does not hold");
    return 0;
}
