// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/scrape_request.h"

#include <gtest/gtest.h>

#include <random>

namespace tegu::daemon {
namespace {

constexpr char kOfPrometheus[] =
    "GET /metrics HTTP/1.1\r\nHost: localhost:9469\r\nUser-Agent: Prometheus/2.42.0\r\nAccept: "
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/"
    "plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n"
    "Accept-Encoding: gzip\r\nX-Prometheus-Scrape-Timeout-Seconds: 10\r\n\r\n";

TEST(ScrapeRequest, AScrapeIsAnsweredWhenItIsWhole) {
    const std::string_view whole = kOfPrometheus;
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        EXPECT_EQ(0u, scrape_status(whole.substr(0, bytes))) << bytes;
    EXPECT_EQ(200u, scrape_status(whole));
    // pipelined: one answer is all there is
    EXPECT_EQ(200u, scrape_status(std::string(whole) + std::string(whole)));
    EXPECT_EQ(200u, scrape_status("GET /metrics HTTP/1.0\r\n\r\n"));
    EXPECT_EQ(200u, scrape_status("GET /metrics?name=x HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(200u, scrape_status("GET /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\nsome body"));
}

TEST(ScrapeRequest, WhatIsNoScrapeIsRefused) {
    const auto status = [](const std::string& line) { return scrape_status(line + "\r\nHost: x\r\n\r\n"); };
    EXPECT_EQ(404u, status("GET / HTTP/1.1"));
    EXPECT_EQ(404u, status("GET /metricsx HTTP/1.1"));
    EXPECT_EQ(404u, status("GET /metrics/../metrics HTTP/1.1"));
    EXPECT_EQ(404u, status("POST /x HTTP/1.1"));
    for (const char* method : {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "BREW"})
        EXPECT_EQ(405u, status(method + std::string(" /metrics HTTP/1.1"))) << method;
    EXPECT_EQ(400u, status("GET /metrics HTTP/2.0"));
    EXPECT_EQ(400u, status("GET /metrics HTTP/0.9"));
    for (const char* line : {"", " ", "GET", "GET /metrics", "GET  /metrics HTTP/1.1",
                             "GET /metrics HTTP/1.1 ", "GET /metrics HTTP/x.y", "GET /met\trics HTTP/1.1",
                             "G\1T /metrics HTTP/1.1", "\x16\x03\x01\x02", "hello"})
        EXPECT_EQ(400u, status(line)) << line;
    EXPECT_EQ(400u, scrape_status("GET /metrics HTTP/1.1\nHost: x\n\n"));
    EXPECT_EQ(400u, scrape_status("GET /metrics HTTP/1.1\r\nno field\r\n\r\n"));
    EXPECT_EQ(400u, scrape_status("GET /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n"));
    EXPECT_EQ(400u, scrape_status(
                        "GET /metrics HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
}

TEST(ScrapeRequest, AHeaderHasItsLimit) {
    const std::string line = "GET /metrics HTTP/1.1\r\n";
    const auto padded = [&](std::size_t bytes) {
        const std::string end = "\r\n\r\n";
        return line + "X: " + std::string(bytes - line.size() - 3 - end.size(), 'x') + end;
    };
    EXPECT_EQ(200u, scrape_status(padded(kMaxScrapeRequestBytes)));
    EXPECT_EQ(431u, scrape_status(padded(kMaxScrapeRequestBytes + 1)));
    // One that never ends, in a field, in the request line, in many fields.
    EXPECT_EQ(431u, scrape_status(line + "X: " + std::string(kMaxScrapeRequestBytes, 'x')));
    EXPECT_EQ(431u, scrape_status("GET /" + std::string(kMaxScrapeRequestBytes, 'x')));
    std::string many = line;
    while (many.size() <= kMaxScrapeRequestBytes) many += "a: b\r\n";
    EXPECT_EQ(431u, scrape_status(many));
}

// Whatever comes, there is a verdict, and at the latest with the bytes that are too many.
TEST(ScrapeRequest, AnyBytesHaveAVerdict) {
    const std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = kOfPrometheus;
        for (std::size_t i = random() % 8; i > 0; --i)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        if (random() % 4 == 0)
            bytes.insert(random() % bytes.size(), random() % 10000, static_cast<char>(random()));
        bytes.resize(random() % (bytes.size() + 1));
        const unsigned status = scrape_status(bytes);
        const bool known =
            status == 0 || status == 200 || status == 400 || status == 404 || status == 405 || status == 431;
        EXPECT_TRUE(known) << status << ", seed " << seed << " round " << round;
        if (bytes.size() > kMaxScrapeRequestBytes) {
            EXPECT_NE(0u, status) << "seed " << seed << " round " << round;
        }
    }
}

TEST(ScrapeAnswer, SaysWhatItHolds) {
    EXPECT_EQ(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: "
        "4\r\nCache-Control: no-store\r\n"
        "Connection: close\r\n\r\nx 1\n",
        scrape_answer(200, "x 1\n"));
    const std::string refused = scrape_answer(405, "x 1\n");
    EXPECT_EQ(0u, refused.find("HTTP/1.1 405 Method Not Allowed\r\n"));
    EXPECT_NE(std::string::npos, refused.find("\r\nAllow: GET\r\n"));
    const std::string body = refused.substr(refused.find("\r\n\r\n") + 4);
    EXPECT_EQ("tegud answers GET /metrics, by HTTP/1.1, and nothing else.\n", body);
    EXPECT_NE(std::string::npos, refused.find("Content-Length: " + std::to_string(body.size()) + "\r\n"));
}

}  // namespace
}  // namespace tegu::daemon
