// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_daemon.h"

#include <dirent.h>
#include <sched.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tools/bench/placement/placement_run.h"

namespace tegu::bench {
namespace {

constexpr unsigned kMinCores = 8;  // of a machine that has some to spare
constexpr int kClientCore = 0, kIoCore = 1, kGpuCore = 2;
constexpr auto kProbingEnds = std::chrono::seconds(30);

std::string text_of(const client::Field& field) {
    if (const std::string* const text = std::get_if<std::string>(&field.value)) return *text;
    if (const std::uint64_t* const number = std::get_if<std::uint64_t>(&field.value))
        return std::to_string(*number);
    return {};
}

void pin(pid_t thread, int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    (void)::sched_setaffinity(thread, sizeof cores, &cores);  // one that is not allowed stays where it is
}

// The placement of threads on cores changes a short round trip by a quarter, for seconds. So the threads of
// each round trip are pinned to the same cores in all daemons.
void pin_daemon(pid_t pid) {
    pin(pid, kIoCore);
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
    DIR* const list = ::opendir(tasks.c_str());
    if (list == nullptr) return;
    while (const dirent* const entry = ::readdir(list)) {
        std::string name;
        std::getline(std::ifstream(tasks + entry->d_name + "/comm"), name);
        if (name.compare(0, 9, "tegud-gpu") == 0) pin(std::atoi(entry->d_name), kGpuCore);
    }
    ::closedir(list);
}

}  // namespace

void pin_threads(const std::vector<PlacementDaemon>& daemons) {
    if (std::thread::hardware_concurrency() < kMinCores) return;
    pin(0, kClientCore);
    for (const PlacementDaemon& daemon : daemons) pin_daemon(daemon.pid());
}

Result<PlacementDaemon> PlacementDaemon::start(const PlacementOptions& options) {
    Result<PrivateDaemon> daemon =
        PrivateDaemon::start(options.tegud, options.threads, "backend = \"auto\"\n", options.environment);
    if (!daemon) return std::move(daemon).error();
    client::Options connect;
    connect.socket_path = daemon->socket_path();
    client::Expected<client::Client> client = client::Client::connect(connect);
    if (!client) return from(client.error());
    PlacementDaemon made(std::move(*daemon), std::move(*client));
    if (made.text("backend") != "gpu")
        return make_error(Status::Unsupported, "no GPU runs jobs: " + made.text("backend_reason"));
    const auto end = std::chrono::steady_clock::now() + kProbingEnds;
    while (made.text("placement_probing") == "1" && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return made;
}

std::string PlacementDaemon::text(const std::string& name) {
    const client::Expected<std::vector<client::Field>> fields = client_.info();
    if (!fields) return {};
    for (const client::Field& field : *fields)
        if (field.name == name) return text_of(field);
    return {};
}

std::vector<std::pair<std::string, std::uint64_t>> PlacementDaemon::placed() {
    std::vector<std::pair<std::string, std::uint64_t>> counts;
    const client::Expected<std::vector<client::Field>> fields = client_.stats();
    if (!fields) return counts;
    for (const client::Field& field : *fields)
        if (const std::uint64_t* const count = std::get_if<std::uint64_t>(&field.value))
            if (field.name.compare(0, 7, "placed_") == 0) counts.emplace_back(field.name, *count);
    return counts;
}

}  // namespace tegu::bench
