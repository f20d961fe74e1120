// SPDX-License-Identifier: Apache-2.0
// Measures two times of a GPU client: the round trip of a job on a buffer that is on the device, and from
// connecting to the first reply. Beside a round trip stands the daemon's computing time. Jobs run one at a
// time, so that they do not overlap; gpu_load.h and gpu_divided.h add tables of other loads.
#include "tools/bench/gpu_roundtrip.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "client/tegu.hpp"
#include "tools/bench/gpu_divided.h"
#include "tools/bench/gpu_load.h"
#include "tools/bench/private_daemon.h"
#include "tools/bench/report.h"

namespace tegu::bench {
namespace {

using Clock = std::chrono::steady_clock;
using client::Client;
using client::Expected;
using client::Request;

constexpr int kWarmUp = 50;
constexpr std::uint64_t kSmall = 1024;  // f32 elements of the job of a new client

double elapsed_ns(Clock::time_point since) {
    return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
}

struct Trip {
    std::vector<double> whole, computed, around;  // ns
};

double percentile(std::vector<double> values, std::size_t percent) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

void print(const char* name, std::uint64_t n, const Trip& trip) {
    std::printf("| %s | %llu | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name,
                static_cast<unsigned long long>(n), median(trip.whole) / 1e3,
                percentile(trip.whole, 99) / 1e3, median(trip.computed) / 1e3, median(trip.around) / 1e3,
                percentile(trip.around, 99) / 1e3);
}

void add(Trip& trip, double whole, const client::Result& result) {
    trip.whole.push_back(whole);
    trip.computed.push_back(static_cast<double>(result.timing().compute_ns));
    trip.around.push_back(whole - trip.computed.back());
}

// The sum of a frozen buffer, which the device copies, registers or reads once and for all.
Result<void> resident_sum(const client::Options& options, std::uint64_t n, int repetitions) {
    Expected<Client> client = Client::connect(options);
    if (!client) return from(client.error());
    Expected<client::Buffer> buffer = client->create_buffer(n * sizeof(float));
    if (!buffer) return from(buffer.error());
    std::mt19937 random(1);
    for (std::uint64_t i = 0; i < n; ++i) buffer->as<float>()[i] = static_cast<float>(random()) * 0x1p-32f;
    if (const Expected<void> frozen = buffer->freeze(); !frozen) return from(frozen.error());
    Request job = Request::reduce(TEGU_STAT_SUM);
    job.input(*buffer, TEGU_F32, 1, n).backend = TEGU_BACKEND_GPU;
    Trip trip;
    for (int i = -kWarmUp; i < repetitions; ++i) {
        const Clock::time_point began = Clock::now();
        const Expected<client::Result> result = client->run(job);
        const double whole = elapsed_ns(began);
        if (!result) return from(result.error());
        if (i >= 0) add(trip, whole, *result);
    }
    print("sum of a resident buffer, f32", n, trip);
    return {};
}

// From connect() to the answer, each time a new client; the daemon has computed on the GPU before.
Result<void> first_answer(const client::Options& options, int repetitions) {
    const std::vector<float> values(kSmall, 0.5f);
    Trip trip;
    for (int i = -1; i < repetitions; ++i) {
        Request job = Request::reduce(values.data(), values.size(), TEGU_STAT_SUM);
        job.backend = TEGU_BACKEND_GPU;
        const Clock::time_point began = Clock::now();
        Expected<Client> client = Client::connect(options);
        if (!client) return from(client.error());
        const Expected<client::Result> result = client->run(job);
        const double whole = elapsed_ns(began);
        if (!result) return from(result.error());
        if (i >= 0) add(trip, whole, *result);
    }
    print("new client to first answer, f32", kSmall, trip);
    return {};
}

Result<void> run(const std::string& tegud, int repetitions, double load_seconds, unsigned spin_us) {
    const Result<PrivateDaemon> daemon = PrivateDaemon::start(tegud, 1, "backend = \"gpu\"\n");
    if (!daemon) return daemon.error();
    client::Options options;
    options.socket_path = daemon->socket_path();
    options.spin_us = spin_us;
    std::printf(
        "| case | elements | round trip, us | p99 | computing, us | the rest, us | p99 "
        "|\n|---|---|---|---|---|---|---|\n");
    for (const std::uint64_t n : {std::uint64_t{1000}, std::uint64_t{1000000}, std::uint64_t{10000000}}) {
        const Result<void> done = resident_sum(options, n, repetitions);
        if (!done) return done;
    }
    const Result<void> done = first_answer(options, std::max(1, repetitions / 10));
    if (!done || load_seconds <= 0) return done;
    std::printf("\n");
    return run_gpu_load(options.socket_path, load_seconds);
}

}  // namespace

int round_trip_command(int argc, const char* const* argv, const std::string& tegud) {
    CLI::App app(
        "Times jobs on the GPU through the socket of a private tegud. Computing: by the daemon's clock.",
        "tegu-bench round-trip");
    std::string program = tegud;
    int repetitions = 1000, divided = 9;
    double load_seconds = 2;
    unsigned spin_us = client::Options().spin_us;
    app.add_option("--tegud", program, "the daemon to start; default: the one beside this program");
    app.add_option("-r,--repetitions", repetitions, "jobs of each case")->check(CLI::Range(1, 1000000));
    app.add_option("--load", load_seconds,
                   "seconds of each case with several clients, and beside maps; 0: none")
        ->check(CLI::Range(0.0, 60.0));
    app.add_option("--spin-us", spin_us,
                   "how long the client of the first table looks for a reply before it sleeps")
        ->check(CLI::Range(0, 10000));
    app.add_option("--divided", divided,
                   "jobs of each case that several GPUs may share, if there are several; 0: none")
        ->check(CLI::Range(0, 1000));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 64;
    }
    Result<void> done = run(program, repetitions, load_seconds, spin_us);
    if (done && divided > 0) done = run_gpu_divided(program, divided);
    if (done) return 0;
    std::fprintf(stderr, "tegu-bench round-trip: %s\n", done.error().message.c_str());
    return done.error().status == Status::Unsupported ? 69 : status_info(done.error().status).exit_code;
}

}  // namespace tegu::bench
