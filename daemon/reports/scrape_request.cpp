// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/scrape_request.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

namespace tegu::daemon {
namespace {

namespace http = boost::beast::http;

constexpr char kPath[] = "/metrics";

bool is_path(std::string_view target) {
    return target.substr(0, target.find('?')) == kPath;
}

unsigned status_of(const http::request<http::empty_body>& request) {
    const auto target = request.target();
    if (!is_path({target.data(), target.size()})) return 404;
    return request.method() == http::verb::get ? 200 : 405;
}

std::string_view reason(unsigned status) {
    switch (status) {
        case 200: return "OK";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 431: return "Request Header Fields Too Large";
        default: return "Bad Request";
    }
}

}  // namespace

unsigned scrape_status(std::string_view bytes) {
    // The limit is checked here, because the parser's own is not exact and differs between versions.
    const std::size_t end = bytes.find("\r\n\r\n");
    if ((end == std::string_view::npos ? bytes.size() : end + 4) > kMaxScrapeRequestBytes) return 431;
    http::request_parser<http::empty_body> parser;
    parser.header_limit(2 * kMaxScrapeRequestBytes);
    boost::beast::error_code error;
    (void)parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error) return error == http::error::need_more ? 0 : 400;
    return parser.is_header_done() ? status_of(parser.get()) : 0;
}

std::string scrape_answer(unsigned status, std::string_view text) {
    const std::string help = "tegud answers GET /metrics, by HTTP/1.1, and nothing else.\n";
    const std::string_view body = status == 200 ? text : std::string_view(help);
    std::string answer = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\n";
    answer += status == 200 ? "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                            : "Content-Type: text/plain; charset=utf-8\r\n";
    if (status == 405) answer += "Allow: GET\r\n";
    answer += "Content-Length: " + std::to_string(body.size()) +
              "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    answer += body;
    return answer;
}

}  // namespace tegu::daemon
