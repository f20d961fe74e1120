// SPDX-License-Identifier: Apache-2.0
// Round trips of a client: a private tegud, and jobs of one client through its socket, one at a time and many
// in flight. The median and the 99th percentile are separate records.
#include <chrono>
#include <memory>

#include "client/tegu.hpp"
#include "kernels/operation.h"
#include "tools/bench/private_daemon.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

using Wall = std::chrono::steady_clock;
using bench::from;
using client::Client;
using client::Expected;
using client::Request;

constexpr std::size_t kFewestJobs = 200;  // jobs, for a 99th percentile
constexpr std::size_t kMaxJobs = 100000;
constexpr unsigned kDepth = 16;  // jobs in flight

double since(Wall::time_point began) {
    return std::chrono::duration<double>(Wall::now() - began).count();
}

// A daemon and a client of it, started when the first case needs them.
struct Service {
    std::string program;
    unsigned threads = 1;
    std::string settings;
    std::unique_ptr<bench::PrivateDaemon> daemon;
    std::unique_ptr<Client> client;
    std::vector<float> values;
    std::unique_ptr<client::Buffer> buffer;

    Result<void> start() {
        if (client != nullptr) return {};
        Result<bench::PrivateDaemon> started = bench::PrivateDaemon::start(program, threads, settings);
        if (!started) return std::move(started).error();
        daemon = std::make_unique<bench::PrivateDaemon>(std::move(*started));
        client::Options options;
        options.socket_path = daemon->socket_path();
        Expected<Client> connected = Client::connect(options);
        if (!connected) return from(connected.error());
        client = std::make_unique<Client>(std::move(*connected));
        return {};
    }
    // A frozen buffer: the device copies it once and for all.
    Result<void> make_buffer(std::uint64_t n) {
        Expected<client::Buffer> made = client->create_buffer(n * sizeof(float));
        if (!made) return from(made.error());
        buffer = std::make_unique<client::Buffer>(std::move(*made));
        for (std::uint64_t i = 0; i < n; ++i)
            buffer->as<float>()[i] = static_cast<float>(i % 1000) * 0x1p-10f;
        if (const Expected<void> frozen = buffer->freeze(); !frozen) return from(frozen.error());
        return {};
    }
};
using Services = std::shared_ptr<Service>;

// Times of `call`, one after the other.
template <class Call>
Result<std::vector<double>> repeat(double seconds, const Call& call) {
    std::vector<double> times;
    const Wall::time_point began = Wall::now();
    const std::size_t fewest = seconds > 0 ? kFewestJobs : 10;
    const std::size_t warm_up = fewest / 4;
    for (std::size_t i = 0; times.size() < fewest || (since(began) < seconds && times.size() < kMaxJobs);
         ++i) {
        const Wall::time_point started = Wall::now();
        Result<void> done = call();
        if (!done) return std::move(done).error();
        if (i >= warm_up) times.push_back(since(started));
    }
    return times;
}

Result<void> run_job(Client& client, const Request& job) {
    const Expected<client::Result> result = client.run(job);
    if (!result) return from(result.error());
    return {};
}

// The sum is that of the same job in this process, bit for bit.
Result<void> check_sum(Client& client, const Request& request, const float* values, std::uint64_t n) {
    const Expected<client::Result> result = client.run(request);
    if (!result) return from(result.error());
    Job job;
    job.cols = n;
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    job.params = params;
    double sum = 0;
    const kernels::InputView input{reinterpret_cast<const std::byte*>(values), n};
    const kernels::OutputView output{reinterpret_cast<std::byte*>(&sum)};
    const Result<kernels::RunReport> done =
        kernels::run_job(job, {&input, 1}, {&output, 1}, nullptr, kernels::StopToken());
    if (!done) return done.error();
    if (result->number(static_cast<std::uint8_t>(role_of(Statistic::Sum))) == sum) return {};
    return make_error(Status::Internal, "the daemon's sum differs from that of the CPU on one thread");
}

// Seconds of each job while kDepth are in flight.
Result<std::vector<double>> pipelined(Client& client, const Request& job, double seconds) {
    constexpr std::size_t kBatch = 200;
    std::vector<double> times;
    for (unsigned i = 0; i < kDepth; ++i)
        if (const Expected<std::uint64_t> id = client.submit(job); !id) return from(id.error());
    const Wall::time_point began = Wall::now();
    do {
        const Wall::time_point started = Wall::now();
        for (std::size_t i = 0; i < kBatch; ++i) {
            const client::Done one = client.wait_any();
            if (!one.result) return from(one.result.error());
            if (const Expected<std::uint64_t> id = client.submit(job); !id) return from(id.error());
        }
        times.push_back(since(started) / static_cast<double>(kBatch));
    } while (since(began) < seconds);
    for (unsigned i = 0; i < kDepth; ++i)
        if (const client::Done one = client.wait_any(); !one.result) return from(one.result.error());
    return times;
}

Case described(const Services& service, const char* name, const char* operation, const char* backend,
               std::int64_t n) {
    Case one;
    one.name = name;
    one.operation = operation;
    one.backend = backend;
    one.method = "one client of a private tegud, one job at a time";
    one.axes = {{"type", std::string("f32")}, {"elements", n}};
    one.percentiles = {50, 99};
    one.priority = 0;
    one.prepare = [service](Case&) { return service->start(); };
    return one;
}

void add_small_cases(const Services& service, const char* backend, CaseList& cases) {
    constexpr std::uint64_t kSmall = 1024;
    const auto job = [service, on_gpu = std::string(backend) == "cuda"] {
        service->values.assign(kSmall, 0.5f);
        Request request = Request::reduce(service->values.data(), service->values.size(), TEGU_STAT_SUM);
        request.backend = on_gpu ? TEGU_BACKEND_GPU : TEGU_BACKEND_CPU;
        return request;
    };
    const auto check = [service, job] {
        const Request request = job();
        return check_sum(*service->client, request, service->values.data(), kSmall);
    };
    Case one = described(service, "sum f32 1024 in the message", "reduce", backend, kSmall);
    one.check = check;
    one.sample = [service, job](double seconds) {
        const Request request = job();
        return repeat(seconds, [&] { return run_job(*service->client, request); });
    };
    cases.add(std::move(one));
    Case many = described(service, "sum f32 1024 in the message, 16 in flight", "reduce", backend, kSmall);
    many.method = "one client of a private tegud, 16 jobs in flight: time for each";
    many.percentiles.clear();
    many.check = check;
    many.axes.emplace_back("depth", std::int64_t{kDepth});
    many.sample = [service, job](double seconds) { return pipelined(*service->client, job(), seconds); };
    cases.add(std::move(many));
}

void add_buffer_case(const Services& service, const char* backend, std::uint64_t n, CaseList& cases) {
    const std::string name = "sum f32 " + std::string(n == 1000000 ? "1e6" : "1e7") + " of a frozen buffer";
    Case one = described(service, name.c_str(), "reduce", backend, static_cast<std::int64_t>(n));
    one.bytes = n * sizeof(float);
    one.prepare = [service, n](Case&) {
        Result<void> done = service->start();
        return done ? service->make_buffer(n) : done;
    };
    const auto job = [service, n, on_gpu = std::string(backend) == "cuda"] {
        Request request = Request::reduce(TEGU_STAT_SUM);
        request.input(*service->buffer, TEGU_F32, 1, n).backend =
            on_gpu ? TEGU_BACKEND_GPU : TEGU_BACKEND_CPU;
        return request;
    };
    one.check = [service, job, n] {
        return check_sum(*service->client, job(), service->buffer->as<float>(), n);
    };
    one.sample = [service, job](double seconds) {
        const Request request = job();
        return repeat(seconds, [&] { return run_job(*service->client, request); });
    };
    cases.add(std::move(one));
}

}  // namespace

void add_roundtrip_cases(PartContext& context, CaseList& cases) {
    if (!context.options.wants("reduce")) return;
    const auto service = std::make_shared<Service>();
    service->program = context.options.tegud;
    service->threads = context.threads;
    service->settings = "backend = \"auto\"\n";
    Case ping = described(service, "ping", "ping", "cpu", 0);
    ping.axes.clear();
    ping.sample = [service](double seconds) {
        return repeat(seconds, [&]() -> Result<void> {
            const Expected<std::uint64_t> trip = service->client->ping();
            if (!trip) return from(trip.error());
            return {};
        });
    };
    cases.add(std::move(ping));
    std::vector<const char*> backends = {"cpu"};
    if (context.gpu != nullptr && context.gpu->has_kernels()) backends.push_back("cuda");
    for (const char* const backend : backends) {
        add_small_cases(service, backend, cases);
        for (const std::uint64_t n : {std::uint64_t{1000000}, std::uint64_t{10000000}})
            if (!context.options.quick || n == 1000000) add_buffer_case(service, backend, n, cases);
    }
}

}  // namespace tegu::field
