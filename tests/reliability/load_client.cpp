// SPDX-License-Identifier: Apache-2.0
// A client of the reliability tests in C++: load_client BOARD INDEX SEED PAUSE_MS, with $TEGU_SOCKET. Does at
// random what clients do, as mixed_load.py, and compares every result bit for bit with one of before the
// load. Is told when by the board, whose numbers board.py explains; writes its waits and its report as lines.
// Ends with 1 if one result was wrong or one job was lost.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/tegu.hpp"

namespace {

namespace tc = tegu::client;
using Clock = std::chrono::steady_clock;

enum Command : std::uint8_t { kPrepare, kRun, kRest, kLeave, kBreathe };
enum State : std::uint8_t {
    kStarting,
    kReady,
    kWorking,
    kRegistering,
    kFreezing,
    kReplies,
    kReleasing,
    kRested
};
constexpr std::size_t kBoardBytes = 64;
constexpr double kGapSeconds = 0.010, kWarmUpSeconds = 1.5;
constexpr std::uint32_t kReconnectMs = 120000, kAllStatistics = (1u << 15) - 1;

// A failure ends the program: what the test then reports is this line.
[[noreturn]] void fail(const std::string& what) {
    std::printf("failed: %s\n", what.c_str());
    std::fflush(stdout);
    std::_Exit(1);
}

std::string text_of(const tc::Error& error) {
    return std::string(error.word()) + " " + error.field + " " + error.message;
}

double now_s() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

tc::Client connect() {
    tc::Options options;
    options.connect_ms = options.reconnect_ms = kReconnectMs;
    auto client = tc::Client::connect(options);
    if (!client) fail("connect: " + text_of(client.error()));
    return std::move(client).value();
}

struct Source {
    std::uint8_t type = 0;
    std::uint64_t rows = 0, cols = 0;
    std::vector<std::uint8_t> bytes;
};

template <class T, class Draw>
Source make_source(std::uint64_t count, Draw draw) {
    Source source;
    source.type = tc::element_type<T>();
    source.cols = 200;
    source.rows = count / source.cols;
    source.bytes.resize(count * sizeof(T));
    for (std::uint64_t i = 0; i < count; ++i) {
        const T value = static_cast<T>(draw());
        std::memcpy(&source.bytes[i * sizeof(T)], &value, sizeof(T));
    }
    return source;
}

std::vector<Source> make_sources() {
    std::mt19937 random(2026);
    const auto real = [&random] { return static_cast<double>(random()) / 4.0e7 - 50.0; };
    const auto whole = [&random] { return static_cast<int>(random() % 200001) - 100000; };
    const auto level = [&random] { return random() % 100; };
    std::vector<Source> sources;
    for (const std::uint64_t count : {2000u, 40000u, 100000u}) {
        sources.push_back(make_source<float>(count, real));
        sources.push_back(make_source<double>(count, real));
        sources.push_back(make_source<std::int32_t>(count, whole));
        sources.push_back(make_source<std::uint8_t>(count, level));
    }
    return sources;
}

struct Case {
    const char* name;
    const Source* source;
    tc::Request request;  // without its inputs
    bool of_rows;         // of the image, else of all its elements in one row
    std::string expected = std::string();

    // `buffer`: holds the source's bytes; null: sent from memory.
    tc::Request complete(const tc::Buffer* buffer) const {
        tc::Request made = request;
        const std::uint64_t rows = of_rows ? source->rows : 1, cols = source->rows * source->cols / rows;
        const bool two = request.operation == TEGU_ADD || request.operation == TEGU_DOT;
        if (buffer != nullptr) {
            made.input(*buffer, source->type, rows, cols);
            if (two) made.second_input(*buffer);
        } else {
            made.input(source->bytes.data(), source->type, rows, cols);
            if (two) made.second_input(source->bytes.data());
        }
        return made;
    }
};

std::string bits(const tc::Result& result) {
    std::string all;
    for (std::size_t i = 0; i < result.count(); ++i) {
        const tc::Array array = result.array(i);
        const std::uint64_t head[] = {array.role, array.type, array.rows, array.cols};
        all.append(reinterpret_cast<const char*>(head), sizeof head);
        all.append(static_cast<const char*>(array.data), array.bytes());
    }
    return all;
}

std::vector<Case> make_cases(const std::vector<Source>& sources) {
    static const double quantiles[] = {0.1, 0.5, 0.99};
    std::vector<Case> cases;
    for (const Source& source : sources) {
        const bool is_float = source.type == TEGU_F32 || source.type == TEGU_F64;
        const auto add = [&](const char* name, tc::Request request, bool of_rows = false) {
            cases.push_back(Case{name, &source, std::move(request), of_rows});
        };
        add("reduce", tc::Request::reduce(kAllStatistics));
        add("reduce of rows", tc::Request::reduce(TEGU_STAT_SUM | TEGU_STAT_ARGMAX | TEGU_STAT_VAR).by_rows(),
            true);
        add("topk", tc::Request::topk(100));
        add("topk distinct", tc::Request::topk(50, false, true));
        add("entropy map", tc::Request::entropy_map(5, 5, 16), true);
        add("add", tc::Request(TEGU_ADD));
        add("dot", tc::Request(TEGU_DOT));
        if (is_float) add("rowscale", tc::Request::rowscale(), true);
        add("quantile", tc::Request(tc::Part::quantile(quantiles, 3)));
        add("histogram", tc::Request(tc::Part::histogram(300)));
        add("entropy", tc::Request(tc::Part::entropy(256)));
        add("fused", tc::Request::fused(
                         {tc::Part::reduce(kAllStatistics), tc::Part::histogram(64), tc::Part::topk(7)}));
    }
    tc::Client client = connect();
    for (Case& each : cases) {
        auto result = client.run(each.complete(nullptr));
        if (!result) fail(std::string(each.name) + " before the load: " + text_of(result.error()));
        each.expected = bits(*result);
    }
    return cases;
}

// What this client shows, and how long it waited.
class Watch {
  public:
    Watch(std::uint8_t* board, int index) : board_(board), place_(board + 1 + index) {}
    Command command() const { return static_cast<Command>(*static_cast<volatile std::uint8_t*>(board_)); }
    void set(State state) { *static_cast<volatile std::uint8_t*>(place_) = state; }
    void quiet(bool is) { quiet_ = is; }  // warming up
    void submitted() {
        if (since_ == 0) since_ = now_s();
    }
    void answered() {
        const double now = now_s();
        if (since_ != 0 && now - since_ > kGapSeconds && !quiet_) std::printf("gap %.6f %.6f\n", since_, now);
        since_ = now;
    }
    void idle() { since_ = 0; }

  private:
    std::uint8_t* board_;
    std::uint8_t* place_;
    double since_ = 0;
    bool quiet_ = false;
};

class Worker {
  public:
    Worker(const std::vector<Case>& cases, Watch& watch, unsigned seed)
        : cases_(cases), watch_(watch), random_(seed), client_(connect()) {}

    void act() {
        const Case& each = any();
        const unsigned kind = random_() % 24;
        if (kind < 6) return on_array(each);
        if (kind < 12) return on_buffer(each);
        if (kind < 16) return pipelined();
        if (kind < 18) return cancelled(each);
        if (kind < 20) return overdue(each);
        if (kind < 22) return in_place();
        if (kind == 22) return registered(each);
        return left(each);
    }
    void pause(double max_s) {
        std::this_thread::sleep_for(std::chrono::duration<double>(max_s * uniform()));
    }
    // A fresh connection, without memory that the library keeps for more jobs.
    void renew() {
        reconnects_ += client_.reconnects();
        client_ = connect();
    }
    void report() const {
        std::printf("{\"jobs\": %llu, \"reconnects\": %llu, \"resent\": %llu, \"outcomes\": {", jobs_,
                    reconnects_, resent_);
        const char* comma = "";
        for (const auto& outcome : outcomes_) {
            std::printf("%s\"%s\": %llu", comma, outcome.first, outcome.second);
            comma = ", ";
        }
        std::printf("}}\n");
        std::fflush(stdout);
    }

  private:
    using Count = unsigned long long;

    double uniform() { return static_cast<double>(random_()) / 4294967296.0; }
    const Case& any() { return cases_[random_() % cases_.size()]; }
    const Case& any_add() {
        for (;;) {
            const Case& each = any();
            if (each.request.operation == TEGU_ADD) return each;
        }
    }

    std::uint64_t submit(const tc::Request& request) {
        auto id = client_.submit(request);
        if (!id) fail("submit: " + text_of(id.error()));
        watch_.submitted();
        return *id;
    }
    tc::Expected<tc::Result> wait(std::uint64_t id, std::size_t in_flight = 1) {
        const std::uint64_t before = client_.reconnects();
        auto result = client_.wait(id);
        watch_.answered();
        ++jobs_;
        if (client_.reconnects() != before) resent_ += in_flight;
        return result;
    }
    // The job is right, or failed with `allowed`, which counts as `outcome`.
    void settle(const Case& each, std::uint64_t id, const char* what, int allowed = TEGU_OK,
                const char* outcome = "", std::size_t in_flight = 1) {
        const auto result = wait(id, in_flight);
        if (!result) {
            if (allowed == TEGU_OK || result.error().status != allowed)
                fail(std::string(each.name) + " " + what + ": " + text_of(result.error()));
            ++outcomes_[outcome];
            return;
        }
        if (bits(*result) != each.expected)
            fail(std::string(each.name) + " " + what + ": another result than before");
        ++outcomes_["right"];
    }
    void begin(State state) {
        watch_.set(state);
        watch_.submitted();
    }
    void end() {
        watch_.answered();
        watch_.set(kWorking);
    }
    tc::Buffer make_buffer(const Source& source) {
        begin(kRegistering);
        auto buffer = client_.create_buffer(source.bytes.size());
        if (!buffer) fail("buffer: " + text_of(buffer.error()));
        end();
        std::memcpy(buffer->data(), source.bytes.data(), source.bytes.size());
        buffer->commit();
        return std::move(*buffer);
    }
    void release(tc::Buffer buffer) {
        begin(kReleasing);
        buffer = tc::Buffer();
        if (auto done = client_.ping(); !done) fail("ping: " + text_of(done.error()));
        end();
    }

    void on_array(const Case& each) { settle(each, submit(each.complete(nullptr)), "as an array"); }
    void on_buffer(const Case& each) {
        tc::Buffer buffer = make_buffer(*each.source);
        for (unsigned i = random_() % 4 + 1; i > 0; --i)
            settle(each, submit(each.complete(&buffer)), "in a buffer");
        if (random_() % 3 == 0) {
            begin(kFreezing);
            if (auto done = buffer.freeze(); !done) fail("freeze: " + text_of(done.error()));
            end();
            settle(each, submit(each.complete(&buffer)), "in a frozen buffer");
        }
        release(std::move(buffer));
    }
    void pipelined() {
        std::vector<std::pair<std::uint64_t, const Case*>> jobs;
        for (int i = 0; i < 24; ++i) {
            const Case& each = any();
            tc::Request request = each.complete(nullptr);
            request.priority = static_cast<std::uint8_t>(random_() % 3);
            jobs.emplace_back(submit(request), &each);
        }
        std::shuffle(jobs.begin(), jobs.end(), random_);
        watch_.set(kReplies);
        for (; !jobs.empty(); jobs.pop_back())
            settle(*jobs.back().second, jobs.back().first, "among many", TEGU_OK, "", jobs.size());
        watch_.set(kWorking);
    }
    void cancelled(const Case& each) {
        std::uint64_t ids[3];
        for (std::uint64_t& id : ids) id = submit(each.complete(nullptr));
        for (const std::uint64_t id : ids)
            if (auto done = client_.cancel(id); !done) fail("cancel: " + text_of(done.error()));
        for (std::size_t i = 0; i < 3; ++i)
            settle(each, ids[i], "that was to be cancelled", TEGU_CANCELLED, "cancelled", 3 - i);
    }
    void overdue(const Case& each) {
        tc::Request request = each.complete(nullptr);
        request.deadline(static_cast<std::uint64_t>(std::pow(10.0, 4.5 + 2.5 * uniform())));
        settle(each, submit(request), "with a deadline", TEGU_DEADLINE_EXCEEDED, "overdue");
    }
    // x + x over x: undone, and said so, if the connection was lost meanwhile.
    void in_place() {
        const Case& each = any_add();
        tc::Buffer buffer = make_buffer(*each.source);
        tc::Request request = each.complete(&buffer);
        request.into(buffer);
        const auto result = wait(submit(request));
        if (!result) {
            if (result.error().status != TEGU_IO || result.error().field != "output")
                fail("in place: " + text_of(result.error()));
            ++outcomes_["undone"];
        } else {
            if (bits(*result) != each.expected) fail("in place: another result than before");
            ++outcomes_["right"];
        }
        release(std::move(buffer));
    }
    // Memory of our own.
    void registered(const Case& each) {
        const std::vector<std::uint8_t>& bytes = each.source->bytes;
        // MFD_CLOEXEC | MFD_ALLOW_SEALING
        const int fd = static_cast<int>(syscall(SYS_memfd_create, "load", 3));
        if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            fail("memfd");
        begin(kRegistering);
        auto buffer = client_.register_buffer(fd, bytes.size());
        if (!buffer) fail("register: " + text_of(buffer.error()));
        end();
        close(fd);
        settle(each, submit(each.complete(&*buffer)), "in memory of our own");
        release(std::move(*buffer));
    }
    // Goes with jobs in flight and a buffer open.
    void left(const Case& each) {
        const tc::Buffer buffer = make_buffer(*each.source);
        for (int i = 0; i < 3; ++i) submit(each.complete(&buffer));
        renew();
        watch_.answered();
    }

    const std::vector<Case>& cases_;
    Watch& watch_;
    std::mt19937 random_;
    tc::Client client_;
    Count jobs_ = 0, reconnects_ = 0, resent_ = 0;
    std::map<const char*, Count, bool (*)(const char*, const char*)> outcomes_{
        [](const char* a, const char* b) { return std::strcmp(a, b) < 0; }};
};

void nap() {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) fail("usage: load_client BOARD INDEX SEED PAUSE_MS");
    const int fd = open(argv[1], O_RDWR | O_CLOEXEC);
    void* board = fd < 0 ? MAP_FAILED : mmap(nullptr, kBoardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (board == MAP_FAILED) fail(std::string("cannot map ") + argv[1]);
    close(fd);
    Watch watch(static_cast<std::uint8_t*>(board), std::atoi(argv[2]));
    const unsigned seed = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    const double pause_s = std::strtod(argv[4], nullptr) / 1000;
    const std::vector<Source> sources = make_sources();
    const std::vector<Case> cases = make_cases(sources);
    watch.quiet(true);
    {
        Worker warm(cases, watch, seed);
        for (const double end = now_s() + kWarmUpSeconds; now_s() < end;) warm.act();
    }
    watch.quiet(false);
    watch.idle();
    Worker worker(cases, watch, seed);
    watch.set(kReady);
    while (watch.command() == kPrepare) nap();
    watch.set(kWorking);
    while (watch.command() == kRun || watch.command() == kBreathe) {
        worker.act();
        watch.idle();
        if (watch.command() == kBreathe) {
            worker.renew();
            watch.set(kReady);
            while (watch.command() == kBreathe) nap();
            watch.set(kWorking);
        }
        worker.pause(pause_s);
    }
    worker.renew();
    worker.report();
    watch.set(kRested);
    while (watch.command() != kLeave) nap();
    return 0;
}
