// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu_load.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "client/tegu.hpp"
#include "tools/bench/content_hash.h"

namespace tegu::bench {
namespace {

using Clock = std::chrono::steady_clock;
using client::Buffer;
using client::Client;
using client::Expected;
using client::Request;

constexpr std::uint64_t kElements = 1'000'000;  // of a sum
constexpr unsigned kMostClients = 8;
constexpr std::size_t kMostTimes = 1 << 20;  // of one client
constexpr int kWarmUp = 200;
constexpr auto kLongestStart = std::chrono::seconds(60);

// A map of bytes: side x side pixels, a square window, levels. `side` 0: none.
struct Maps {
    std::uint64_t side = 0;
    std::uint32_t window = 0, levels = 0;
};

// Written by the client processes, read by this one.
struct Shared {
    std::atomic<unsigned> ready{0};
    std::atomic<bool> go{false}, stop{false}, failed{false};
    std::atomic<std::uint64_t> maps{0};
    struct Times {
        std::atomic<std::uint64_t> count{0};
        float us[kMostTimes];
    } clients[kMostClients];
};

class SharedArea {
  public:
    SharedArea()
        : memory_(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ != MAP_FAILED) shared_ = new (memory_) Shared;
    }
    ~SharedArea() {
        if (shared_ != nullptr) (void)::munmap(memory_, sizeof(Shared));
    }
    SharedArea(const SharedArea&) = delete;
    SharedArea& operator=(const SharedArea&) = delete;
    Shared* get() const { return shared_; }

  private:
    void* memory_;
    Shared* shared_ = nullptr;
};

// The processes of a case; the destructor ends them.
class Processes {
  public:
    Processes() = default;
    ~Processes() {
        for (const pid_t pid : pids_) (void)::kill(pid, SIGKILL);
        for (const pid_t pid : pids_) (void)::waitpid(pid, nullptr, 0);
    }
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    // Returns when all have ended.
    void wait() {
        for (const pid_t pid : pids_) (void)::waitpid(pid, nullptr, 0);
        pids_.clear();
    }
    // `work` returns whether it succeeded.
    template <class Work>
    Result<void> start(Shared& shared, Work work) {
        pids_.reserve(pids_.size() + 1);
        const pid_t pid = ::fork();
        if (pid < 0) return io_error("a process", errno);
        if (pid == 0) {
            (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (!work()) shared.failed = true;
            ::_exit(0);
        }
        pids_.push_back(pid);
        return {};
    }

  private:
    std::vector<pid_t> pids_;
};

Expected<Client> connect(const std::string& socket_path) {
    client::Options options;
    options.socket_path = socket_path;
    return Client::connect(options);
}

void wait_for_start(Shared& shared) {
    ++shared.ready;
    while (!shared.go) ::usleep(100);
}

// Whether a job gave these bytes.
bool gives(Client& client, const Request& job, double expected) {
    const Expected<client::Result> result = client.run(job);
    return result && result->count() == 1 && result->array(0).as<double>()[0] == expected;
}

bool time_sums(const std::string& socket_path, Shared& shared, Shared::Times& times) {
    Expected<Client> client = connect(socket_path);
    if (!client) return false;
    Expected<Buffer> buffer = client->create_buffer(kElements * sizeof(float));
    if (!buffer) return false;
    for (std::uint64_t i = 0; i < kElements; ++i) buffer->as<float>()[i] = static_cast<float>(i % 1000);
    constexpr double expected = kElements / 1000 * (999.0 * 1000 / 2);
    if (!buffer->freeze()) return false;
    Request sum = Request::reduce(TEGU_STAT_SUM);
    sum.input(*buffer, TEGU_F32, 1, kElements).backend = TEGU_BACKEND_GPU;
    for (int i = 0; i < kWarmUp; ++i)
        if (!gives(*client, sum, expected)) return false;
    wait_for_start(shared);
    std::size_t count = 0;
    while (!shared.stop && count < kMostTimes) {
        const Clock::time_point began = Clock::now();
        if (!gives(*client, sum, expected)) return false;
        times.us[count++] = std::chrono::duration<float, std::micro>(Clock::now() - began).count();
        times.count.store(count, std::memory_order_release);
    }
    return true;
}

bool make_maps(const std::string& socket_path, const Maps& maps, Shared& shared) {
    Expected<Client> client = connect(socket_path);
    if (!client) return false;
    const std::uint64_t pixels = maps.side * maps.side;
    Expected<Buffer> image = client->create_buffer(pixels),
                     map = client->create_buffer(pixels * sizeof(float));
    if (!image || !map) return false;
    for (std::uint64_t i = 0; i < pixels; ++i)
        image->as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
    if (!image->freeze()) return false;
    Request request = Request::entropy_map(maps.window, maps.window, maps.levels);
    request.input(*image, TEGU_U8, maps.side, maps.side).into(*map).backend = TEGU_BACKEND_GPU;
    if (!client->run(request)) return false;
    const std::uint64_t alone = hash_of(map->data(), map->bytes());
    wait_for_start(shared);
    for (; !shared.stop; ++shared.maps)
        if (!client->run(request)) return false;
    return hash_of(map->data(), map->bytes()) == alone;
}

void print(const char* name, unsigned clients, double seconds, const Shared& shared) {
    std::vector<float> all;
    for (const Shared::Times& times : shared.clients) {
        const auto count = static_cast<std::ptrdiff_t>(times.count.load(std::memory_order_acquire));
        all.insert(all.end(), times.us, times.us + count);
    }
    std::sort(all.begin(), all.end());
    if (all.empty()) all.push_back(0);
    const auto at = [&](std::size_t permille) {
        return static_cast<double>(all[std::min(all.size() - 1, all.size() * permille / 1000)]);
    };
    std::printf("| %s | %u | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name, clients,
                static_cast<double>(all.size()) / seconds / 1e3, at(500), at(990), at(999),
                static_cast<double>(all.back()), static_cast<double>(shared.maps.load()) / seconds);
    std::fflush(stdout);
}

Result<void> run_case(const std::string& socket_path, const char* name, unsigned clients, const Maps& maps,
                      double seconds) {
    const SharedArea area;
    if (area.get() == nullptr) return io_error("memory for times", errno);
    Shared& shared = *area.get();
    Processes processes;
    for (unsigned i = 0; i < clients; ++i) {
        Result<void> started =
            processes.start(shared, [&] { return time_sums(socket_path, shared, shared.clients[i]); });
        if (!started) return started;
    }
    if (maps.side != 0) {
        Result<void> started = processes.start(shared, [&] { return make_maps(socket_path, maps, shared); });
        if (!started) return started;
    }
    const Clock::time_point began = Clock::now();
    while (shared.ready < clients + (maps.side != 0 ? 1 : 0) && !shared.failed) {
        if (Clock::now() - began > kLongestStart) shared.failed = true;
        ::usleep(1000);
    }
    if (!shared.failed) {
        shared.go = true;
        const Clock::time_point start = Clock::now();
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        shared.stop = true;
        const double took = std::chrono::duration<double>(Clock::now() - start).count();
        processes.wait();
        print(name, clients, took, shared);
    }
    if (shared.failed)
        return make_error(Status::Unavailable, std::string("a client failed, or a result is wrong: ") + name);
    return {};
}

}  // namespace

Result<void> run_gpu_load(const std::string& socket_path, double seconds) {
    std::printf(
        "| sums of 1e6 f32, resident | clients | 1000 jobs/s | p50, us | p99 | p99.9 | most | maps/s "
        "|\n|---|---|---|---|---|---|---|---|\n");
    for (const unsigned clients : {1u, 4u, 8u}) {
        Result<void> done = run_case(socket_path, "alone", clients, Maps(), seconds);
        if (!done) return done;
    }
    Result<void> done = run_case(socket_path, "beside maps 4096^2 5x5/16", 1, Maps{4096, 5, 16}, seconds);
    if (!done) return done;
    return run_case(socket_path, "beside maps 8192^2 63x63/256", 1, Maps{8192, 63, 256}, seconds);
}

}  // namespace tegu::bench
