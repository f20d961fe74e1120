// SPDX-License-Identifier: Apache-2.0
// A client that checks every answer, for the scenarios here to put load on the daemon and to hold connections
// while it restarts.
//   load_client run SECONDS SEED    keeps eight jobs in flight for so long; then prints "jobs N reconnects
//                                   R"; 1 if one failed
//   load_client hold RECONNECT_MS   does what the lines of its input say, and answers each with one line:
//       ping           "ok" or the status word
//       submit N       N long jobs, then a ping: "ok" means that the daemon has accepted them all
//       wait           for all of them: "ok N" if all were right, else how often each status came: "OK 2
//                      SHUTTING_DOWN 1"
//       buffer         makes one more buffer: "ok", or status word and field
//       keep           makes a buffer that is filled with its number: "ok", or status word and field
//       check          a job on each of these: "ok N" if all were right
//       drop           gives these back: "ok" when the daemon has
//       reconnects     the number
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace {

namespace tc = tegu::client;

// A failure ends the program: what the scenario then reports is this line.
[[noreturn]] void fail(const std::string& what) {
    std::printf("failed: %s\n", what.c_str());
    std::fflush(stdout);
    std::exit(1);
}

std::string text_of(const tc::Error& error) {
    return std::string(error.word()) + " " + error.field + " " + error.message;
}

tc::Client connect(std::uint32_t reconnect_ms, bool busy_retry) {
    tc::Options options;
    options.connect_ms = 60000;
    options.reconnect_ms = reconnect_ms;
    options.busy_retry = busy_retry;
    auto client = tc::Client::connect(options);
    if (!client) fail("connect: " + text_of(client.error()));
    return std::move(client).value();
}

// A permutation of 0..n-1 as data, so that every answer is known.
struct Sequence {
    std::vector<std::int32_t> values;
    std::vector<std::int64_t> place;  // of each value

    Sequence(std::size_t n, std::uint32_t seed) : values(n), place(n) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int32_t>(i);
        for (std::size_t i = n; i > 1; --i) std::swap(values[i - 1], values[random() % i]);
        for (std::size_t i = 0; i < n; ++i)
            place[static_cast<std::size_t>(values[i])] = static_cast<std::int64_t>(i);
    }
    std::int64_t size() const { return static_cast<std::int64_t>(values.size()); }
};

constexpr std::uint32_t kStatistics = TEGU_STAT_SUM | TEGU_STAT_ARGMAX;

bool right_statistics(const tc::Result& result, const Sequence& sequence) {
    const auto sum = result.find(tc::role_of(TEGU_STAT_SUM));
    const auto argmax = result.find(tc::role_of(TEGU_STAT_ARGMAX));
    return sum && argmax && sum->as<std::int64_t>()[0] == sequence.size() * (sequence.size() - 1) / 2 &&
           argmax->as<std::int64_t>()[0] == sequence.place.back();
}

bool right_top(const tc::Result& result, const Sequence& sequence, std::uint64_t k) {
    const auto values = result.find(TEGU_ROLE_VALUES);
    const auto indices = result.find(TEGU_ROLE_INDICES);
    if (!values || !indices || values->size() != k || indices->size() != k) return false;
    for (std::uint64_t i = 0; i < k; ++i) {
        const std::int64_t value = sequence.size() - 1 - static_cast<std::int64_t>(i);
        if (values->as<std::int32_t>()[i] != value) return false;
        if (indices->as<std::int64_t>()[i] != sequence.place[static_cast<std::size_t>(value)]) return false;
    }
    return true;
}

int run(double seconds, std::uint32_t seed) {
    constexpr std::uint64_t kTop = 10;
    constexpr std::size_t kInFlight = 8;
    tc::Client client = connect(60000, true);
    const Sequence inline_data(512, seed), sent_data(50000, seed + 1), shared_data(200000, seed + 2);
    auto buffer = client.create_buffer(shared_data.values.size() * sizeof(std::int32_t));
    if (!buffer) fail("buffer: " + text_of(buffer.error()));
    std::memcpy(buffer->data(), shared_data.values.data(), buffer->bytes());

    enum class Kind { Inline, Sent, Shared };
    std::map<std::uint64_t, Kind> in_flight;
    std::mt19937 random(seed);
    const auto submit = [&] {
        const Kind kind = static_cast<Kind>(random() % 3);
        tc::Request request =
            kind == Kind::Inline
                ? tc::Request::reduce(inline_data.values.data(), inline_data.values.size(), kStatistics)
            : kind == Kind::Sent ? tc::Request::topk(sent_data.values.data(), sent_data.values.size(), kTop)
                                 : tc::Request::reduce(kStatistics);
        if (kind == Kind::Shared) request.input(*buffer, TEGU_I32, 1, shared_data.values.size());
        auto id = client.submit(request);
        if (!id) fail("submit: " + text_of(id.error()));
        in_flight[*id] = kind;
    };
    std::uint64_t jobs = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end || !in_flight.empty()) {
        while (in_flight.size() < kInFlight && std::chrono::steady_clock::now() < end) submit();
        if (in_flight.empty()) break;
        const tc::Done done = client.wait_any(120000);
        const auto job = in_flight.find(done.id);
        if (job == in_flight.end()) fail("no job ended within 120 s");
        if (!done.result) fail("job: " + text_of(done.result.error()));
        const bool right = job->second == Kind::Inline ? right_statistics(*done.result, inline_data)
                           : job->second == Kind::Sent ? right_top(*done.result, sent_data, kTop)
                                                       : right_statistics(*done.result, shared_data);
        if (!right) fail("wrong answer");
        in_flight.erase(job);
        ++jobs;
    }
    std::printf("jobs %llu reconnects %llu\n", static_cast<unsigned long long>(jobs),
                static_cast<unsigned long long>(client.reconnects()));
    return 0;
}

// A job of some 100 ms that goes through the queue: the map of a noisy image, always the same.
class LongJob {
  public:
    LongJob() : image_(kSide * kSide) {
        std::mt19937 random(7);
        for (std::uint8_t& pixel : image_) pixel = static_cast<std::uint8_t>(random() >> 24);
    }
    tc::Request request() const {
        tc::Request request = tc::Request::entropy_map(63, 63, 256);
        request.input(image_.data(), TEGU_U8, kSide, kSide);
        return request;
    }
    // True if the map is the one that the first call saw.
    bool same_as_first(const tc::Result& result) {
        const auto map = result.find(TEGU_ROLE_MAP);
        if (!map || map->size() != kSide * kSide) return false;
        const std::vector<float> values(map->as<float>(), map->as<float>() + map->size());
        if (first_.empty()) first_ = values;
        return std::memcmp(first_.data(), values.data(), values.size() * sizeof(float)) == 0;
    }

  private:
    static constexpr std::uint64_t kSide = 1024;
    std::vector<std::uint8_t> image_;
    std::vector<float> first_;
};

// Buffers whose content is known: as many times their number.
class KeptBuffers {
  public:
    std::string add(tc::Client& client) {
        constexpr std::uint64_t kBytes = 1 << 20;
        auto buffer = client.create_buffer(kBytes);
        if (!buffer) return std::string(buffer.error().word()) + " " + buffer.error().field;
        std::memset(buffer->data(), static_cast<int>(buffers_.size() + 1), kBytes);
        buffers_.push_back(std::move(buffer).value());
        return "ok";
    }
    std::string check(tc::Client& client) const {
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
            request.input(buffers_[i], TEGU_U8, 1, buffers_[i].bytes());
            const auto result = client.run(request);
            if (!result) return text_of(result.error());
            const auto sum = result->find(tc::role_of(TEGU_STAT_SUM));
            if (!sum || sum->as<std::uint64_t>()[0] != (i + 1) * buffers_[i].bytes()) return "WRONG";
        }
        return "ok " + std::to_string(buffers_.size());
    }
    std::string drop(tc::Client& client) {
        buffers_.clear();
        return client.ping() ? "ok" : "failed";
    }

  private:
    std::vector<tc::Buffer> buffers_;
};

int hold(std::uint32_t reconnect_ms) {
    tc::Client client = connect(reconnect_ms, false);
    LongJob job;
    std::vector<std::uint64_t> in_flight;
    std::vector<tc::Buffer> buffers;
    KeptBuffers kept;
    const auto say = [](const std::string& line) { std::cout << line << std::endl; };
    {
        auto first = client.run(job.request());
        if (!first || !job.same_as_first(*first))
            fail("first job: " + (first ? "no map" : text_of(first.error())));
    }
    say("ready");
    for (std::string line, word; std::getline(std::cin, line);) {
        std::istringstream words(line);
        words >> word;
        if (word == "ping") {
            const auto done = client.ping();
            say(done ? "ok" : done.error().word());
        } else if (word == "submit") {
            std::size_t count = 0;
            words >> count;
            for (; count > 0; --count) {
                const auto id = client.submit(job.request());
                if (!id) fail("submit: " + text_of(id.error()));
                in_flight.push_back(*id);
            }
            // a connection is read in order: the jobs before it have been admitted
            const auto accepted = client.ping();
            say(accepted ? "ok" : accepted.error().word());
        } else if (word == "wait") {
            std::map<std::string, int> statuses;
            for (const std::uint64_t id : in_flight) {
                const auto result = client.wait(id);
                ++statuses[!result ? result.error().word() : job.same_as_first(*result) ? "OK" : "WRONG"];
            }
            std::string text;
            for (const auto& status : statuses)
                text += " " + status.first + " " + std::to_string(status.second);
            const bool all_right = statuses.size() == 1 && statuses.count("OK") == 1;
            say(all_right ? "ok " + std::to_string(in_flight.size()) : text.substr(text.empty() ? 0 : 1));
            in_flight.clear();
        } else if (word == "buffer") {
            auto buffer = client.create_buffer(4096);
            say(buffer ? "ok" : std::string(buffer.error().word()) + " " + buffer.error().field);
            if (buffer) buffers.push_back(std::move(buffer).value());
        } else if (word == "keep") {
            say(kept.add(client));
        } else if (word == "check") {
            say(kept.check(client));
        } else if (word == "drop") {
            say(kept.drop(client));
        } else if (word == "reconnects") {
            say(std::to_string(client.reconnects()));
        } else {
            fail("unknown command " + line);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "run" && argc == 4)
        return run(std::stod(argv[2]), static_cast<std::uint32_t>(std::stoul(argv[3])));
    if (mode == "hold" && argc == 3) return hold(static_cast<std::uint32_t>(std::stoul(argv[2])));
    std::fputs("usage: load_client run SECONDS SEED | hold RECONNECT_MS\n", stderr);
    return 64;
}
