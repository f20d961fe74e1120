// SPDX-License-Identifier: Apache-2.0
// Whole jobs through the socket, by the client's clock; copies by the daemon's. New content is
// copied for the job that reads it. Both daemons get the same content and give the same bytes.
#include "tools/bench/gpu_divided.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "client/tegu.hpp"
#include "tools/bench/content_hash.h"
#include "tools/bench/private_daemon.h"
#include "tools/bench/report.h"

namespace tegu::bench {
namespace {

using Clock = std::chrono::steady_clock;
using client::Buffer;
using client::Client;
using client::Expected;
using client::Request;

constexpr std::uint64_t kSide = 8192;  // of the square input, f32
constexpr int kWarmUp = 3;

struct Case {
    const char* name;
    Request request;
    bool into_buffer, new_content;
};

struct Times {
    double whole_ns = 0, copy_ns = 0;  // medians
    long gpus = 1;                     // that shared the last job
    std::uint64_t digest = 0;          // of all its results
};

std::vector<Case> all_cases() {
    const Request sum = Request::reduce(TEGU_STAT_SUM);
    Request rows = sum;
    rows.by_rows();
    Request map = Request::entropy_map(5, 5, 16);
    map.params.entropy_map.has_range = 1;  // without one such a map is not divided
    map.params.entropy_map.hi = 1;
    return {{"sum, resident", sum, false, false},
            {"sum, new content", sum, false, true},
            {"sums of rows, new content", rows, false, true},
            {"entropy map 5x5/16, resident", map, true, false},
            {"entropy map 5x5/16, new content", map, true, true}};
}

long gpus_of(const char* policy) {
    const char* const found = std::strstr(policy, "gpus=");
    return found == nullptr ? 1 : std::strtol(found + std::strlen("gpus="), nullptr, 10);
}

// A daemon with a client, and the buffers of all cases.
struct Side {
    PrivateDaemon daemon;
    Client client;
    Buffer input, output;

    static Result<Side> start(const std::string& tegud, const char* devices) {
        Result<PrivateDaemon> daemon = PrivateDaemon::start(
            tegud, 1, std::string("backend = \"gpu\"\n[gpu]\ndevices = \"") + devices + "\"\n");
        if (!daemon) return std::move(daemon).error();
        client::Options options;
        options.socket_path = daemon->socket_path();
        Expected<Client> client = Client::connect(options);
        if (!client) return from(client.error());
        Expected<Buffer> input = client->create_buffer(kSide * kSide * sizeof(float));
        if (!input) return from(input.error());
        Expected<Buffer> output = client->create_buffer(kSide * kSide * sizeof(float));
        if (!output) return from(output.error());
        for (std::uint64_t i = 0; i < kSide * kSide; ++i)
            input->as<float>()[i] = static_cast<float>(i * 2654435761u >> 8 & 0xffff) * 0x1p-16f;
        input->commit();
        return Side{std::move(daemon).value(), std::move(*client), std::move(*input), std::move(*output)};
    }

    Expected<std::uint64_t> gpus() {
        const Expected<std::vector<client::Field>> fields = client.info();
        if (!fields) return fields.error();
        for (const client::Field& field : *fields)
            if (field.name == "gpus") return std::get<std::uint64_t>(field.value);
        return std::uint64_t{0};
    }

    Result<Times> time(const Case& which, int repetitions) {
        Request request = which.request;
        request.input(input, TEGU_F32, kSide, kSide).backend = TEGU_BACKEND_GPU;
        if (which.into_buffer) request.into(output);
        std::vector<double> whole, copies;
        Times times;
        for (int i = -kWarmUp; i < repetitions; ++i) {
            if (which.new_content) {
                input.as<float>()[0] = static_cast<float>(i + kWarmUp) * 0x1p-10f;
                input.commit();
            }
            const Clock::time_point began = Clock::now();
            const Expected<client::Result> result = client.run(request);
            const std::chrono::duration<double, std::nano> took = Clock::now() - began;
            if (!result) return from(result.error());
            const client::Array array = result->array(0);
            times.digest = times.digest * 31 + hash_of(array.data, array.bytes());
            times.gpus = gpus_of(result->policy());
            if (i < 0) continue;
            whole.push_back(took.count());
            copies.push_back(static_cast<double>(result->timing().copy_ns));
        }
        times.whole_ns = median(whole);
        times.copy_ns = median(copies);
        return times;
    }
};

}  // namespace

Result<void> run_gpu_divided(const std::string& tegud, int repetitions) {
    Result<Side> all = Side::start(tegud, "all");
    if (!all) return std::move(all).error();
    std::printf("\n");
    const Expected<std::uint64_t> gpus = all->gpus();
    if (!gpus) return from(gpus.error());
    if (*gpus < 2) {
        std::printf("One GPU: no job is divided.\n");
        return {};
    }
    Result<Side> one = Side::start(tegud, "auto");
    if (!one) return std::move(one).error();
    std::printf(
        "| 8192 x 8192 f32, ms | one GPU | of it copies | all GPUs | of it copies | GPUs |\n"
        "|---|---|---|---|---|---|\n");
    for (const Case& each : all_cases()) {
        const Result<Times> alone = one->time(each, repetitions);
        if (!alone) return alone.error();
        const Result<Times> shared = all->time(each, repetitions);
        if (!shared) return shared.error();
        if (alone->digest != shared->digest)
            return make_error(Status::Internal, std::string("the results differ: ") + each.name);
        std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %ld |\n", each.name, alone->whole_ns / 1e6,
                    alone->copy_ns / 1e6, shared->whole_ns / 1e6, shared->copy_ns / 1e6, shared->gpus);
        std::fflush(stdout);
    }
    return {};
}

}  // namespace tegu::bench
