// SPDX-License-Identifier: Apache-2.0
// The good client beside a hostile one: good_client BOARD TIMES, with $TEGU_SOCKET. Works as a control loop
// does, some hundred times a second: two small jobs, which the daemon computes where it reads them, then one
// that goes through its queue. Writes each job's moment, round trip and kind to TIMES as three doubles, and
// compares every result with the first. Begins and ends as the board says (board.py).
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/tegu.hpp"

namespace {

namespace tc = tegu::client;

constexpr std::size_t kBoardBytes = 64;
constexpr std::uint8_t kPrepare = 0, kLeave = 3, kReady = 1, kRested = 7;
constexpr std::uint64_t kSide = 256;
constexpr int kSmall = 0, kQueued = 1;

[[noreturn]] void fail(const std::string& what) {
    std::printf("failed: %s\n", what.c_str());
    std::fflush(stdout);
    std::_Exit(1);
}

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string bits(const tc::Result& result) {
    const tc::Array array = result.array(0);
    return std::string(static_cast<const char*>(array.data), array.bytes());
}

// A job that is done again and again.
class Job {
  public:
    Job(tc::Request request, int kind) : request_(std::move(request)), kind_(kind) {}
    void run(tc::Client& client, std::FILE* times) {
        const double begin = now_s();
        const auto result = client.run(request_);
        const double took = now_s() - begin;
        if (!result) fail(std::string(result.error().word()) + " " + result.error().message);
        if (expected_.empty()) expected_ = bits(*result);
        if (bits(*result) != expected_) fail("another result than the first");
        const double entry[] = {begin, took, static_cast<double>(kind_)};
        if (times != nullptr && std::fwrite(entry, sizeof entry, 1, times) != 1)
            fail("cannot write the times");
    }

  private:
    tc::Request request_;
    int kind_;
    std::string expected_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) fail("usage: good_client BOARD TIMES");
    const int fd = open(argv[1], O_RDWR | O_CLOEXEC);
    void* mapped =
        fd < 0 ? MAP_FAILED : mmap(nullptr, kBoardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    std::FILE* times = std::fopen(argv[2], "wb");
    if (mapped == MAP_FAILED || times == nullptr)
        fail("cannot open " + std::string(argv[1]) + " or " + argv[2]);
    volatile std::uint8_t* board = static_cast<std::uint8_t*>(mapped);

    tc::Options options;
    options.connect_ms = 60000;
    options.reconnect_ms = 0;  // a daemon that ends is a failure here
    auto client = tc::Client::connect(options);
    if (!client) fail(std::string("connect: ") + client.error().message);
    std::mt19937 random(7);
    std::vector<float> values(1024);
    for (float& value : values) value = static_cast<float>(random() % 1000) / 8;
    auto image = client->create_buffer(kSide * kSide);
    if (!image) fail("buffer: " + image.error().message);
    for (std::uint64_t i = 0; i < kSide * kSide; ++i)
        image->as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random());
    image->commit();
    Job small(tc::Request::reduce(values.data(), values.size(), TEGU_STAT_SUM), kSmall);
    tc::Request map = tc::Request::entropy_map(9, 9, 64);
    Job queued(map.input(*image, TEGU_U8, kSide, kSide), kQueued);
    for (int i = 0; i < 100; ++i) {
        small.run(*client, nullptr);
        queued.run(*client, nullptr);
    }
    board[1] = kReady;
    while (board[0] == kPrepare) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (board[0] != kLeave) {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        small.run(*client, times);
        small.run(*client, times);
        queued.run(*client, times);
    }
    if (std::fclose(times) != 0) fail("cannot write the times");
    board[1] = kRested;
    return 0;
}
