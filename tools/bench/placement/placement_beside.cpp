// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_beside.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/fd.h"
#include "tools/bench/placement/placement_daemon.h"

namespace tegu::bench {
namespace {

using client::Buffer;
using client::Expected;
using client::Request;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kElements = 1'000'000;
constexpr int kWarmUp = 200;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Latencies latencies_of(std::vector<double> times, std::size_t on_gpu) {
    Latencies found;
    if (times.empty()) return found;
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times[std::min(times.size() - 1,
                              static_cast<std::size_t>(share * static_cast<double>(times.size())))];
    };
    found.jobs = times.size();
    found.p50_us = at(0.5);
    found.p90_us = at(0.9);
    found.p99_us = at(0.99);
    found.max_us = times.back();
    found.on_gpu = static_cast<double>(on_gpu) / static_cast<double>(times.size());
    return found;
}

Result<Latencies> time_sums(client::Client& client, const Request& sum, double seconds) {
    std::vector<double> times;
    std::size_t on_gpu = 0;
    const Clock::time_point begin = Clock::now();
    while (seconds_since(begin) < seconds) {
        const Clock::time_point asked = Clock::now();
        const Expected<client::Result> result = client.run(sum);
        if (!result) return from(result.error());
        times.push_back(seconds_since(asked) * 1e6);
        on_gpu += result->backend() == TEGU_BACKEND_GPU;
    }
    return latencies_of(std::move(times), on_gpu);
}

// The other process: computes maps until it is ended. Writes one byte for each finished map.
[[noreturn]] void make_maps(const std::string& socket, const BesideOptions& options, int pipe) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    client::Options connect;
    connect.socket_path = socket;
    Expected<client::Client> client = client::Client::connect(connect);
    if (!client) ::_exit(1);
    const std::uint64_t pixels = options.side * options.side;
    Expected<Buffer> image = client->create_buffer(pixels);
    if (!image) ::_exit(1);
    for (std::uint64_t i = 0; i < pixels; ++i)
        image->as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
    if (!image->freeze()) ::_exit(1);
    std::vector<Buffer> maps;
    for (unsigned i = 0; i < options.depth; ++i) {
        Expected<Buffer> map = client->create_buffer(pixels * sizeof(float));
        if (!map) ::_exit(1);
        maps.push_back(std::move(*map));
    }
    const auto submit = [&](unsigned slot) {
        Request request = long_job().request;
        request.input(*image, TEGU_U8, options.side, options.side).into(maps[slot]);
        return client->submit(request);
    };
    std::vector<std::uint64_t> ids;
    for (unsigned slot = 0; slot < options.depth; ++slot) {
        const Expected<std::uint64_t> id = submit(slot);
        if (!id) ::_exit(1);
        ids.push_back(*id);
    }
    for (unsigned slot = 0;; slot = (slot + 1) % options.depth) {
        const Expected<client::Result> done = client->wait(ids[slot]);
        const char byte = 1;
        if (!done || ::write(pipe, &byte, 1) != 1) ::_exit(1);
        const Expected<std::uint64_t> id = submit(slot);
        if (!id) ::_exit(1);
        ids[slot] = *id;
    }
}

// The process, and the end of a pipe from which a byte comes for each map.
class OtherProcess {
  public:
    static Result<OtherProcess> start(const std::string& socket, const BesideOptions& options) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("a pipe", errno);
        OtherProcess other;
        other.maps_ = Fd(ends[0]);
        const Fd write_end(ends[1]);
        other.pid_ = ::fork();
        if (other.pid_ < 0) return io_error("a process", errno);
        if (other.pid_ == 0) make_maps(socket, options, write_end.get());
        return other;
    }
    OtherProcess(OtherProcess&& from) noexcept
        : pid_(std::exchange(from.pid_, -1)), maps_(std::move(from.maps_)) {}
    ~OtherProcess() {
        if (pid_ <= 0) return;
        (void)::kill(pid_, SIGKILL);
        (void)::waitpid(pid_, nullptr, 0);
    }
    // False: it failed.
    bool wait_for_map() const {
        char byte = 0;
        return ::read(maps_.get(), &byte, 1) == 1;
    }
    std::uint64_t count_maps() const {
        std::uint64_t count = 0;
        (void)::fcntl(maps_.get(), F_SETFL, O_NONBLOCK);
        for (char bytes[256];;) {
            const ssize_t size = ::read(maps_.get(), bytes, sizeof bytes);
            if (size <= 0) return count;
            count += static_cast<std::uint64_t>(size);
        }
    }

  private:
    OtherProcess() = default;
    pid_t pid_ = -1;
    Fd maps_;
};

}  // namespace

Result<BesideResult> run_beside(const PlacementOptions& options, const BesideOptions& beside) {
    Result<PlacementDaemon> daemon = PlacementDaemon::start(options);
    if (!daemon) return std::move(daemon).error();
    Expected<Buffer> buffer = daemon->client().create_buffer(kElements * sizeof(float));
    if (!buffer) return from(buffer.error());
    for (std::uint64_t i = 0; i < kElements; ++i) buffer->as<float>()[i] = static_cast<float>(i % 1000);
    if (const Expected<void> frozen = buffer->freeze(); !frozen) return from(frozen.error());
    Request sum = Request::reduce(TEGU_STAT_SUM);
    sum.input(*buffer, TEGU_F32, 1, kElements);
    for (int i = 0; i < kWarmUp; ++i)
        if (const Expected<client::Result> result = daemon->client().run(sum); !result)
            return from(result.error());
    BesideResult result;
    Result<Latencies> alone = time_sums(daemon->client(), sum, std::min(2.0, beside.seconds));
    if (!alone) return std::move(alone).error();
    result.alone = *alone;

    Result<OtherProcess> other = OtherProcess::start(daemon->socket_path(), beside);
    if (!other) return std::move(other).error();
    if (!other->wait_for_map())
        return make_error(Status::Unavailable, "the process that asks for maps ended");
    Result<Latencies> sums = time_sums(daemon->client(), sum, beside.seconds);
    if (!sums) return std::move(sums).error();
    result.beside = *sums;
    result.maps = other->count_maps();
    return result;
}

}  // namespace tegu::bench
