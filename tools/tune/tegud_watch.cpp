// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud_watch.h"

#include <dirent.h>

#include <cctype>
#include <fstream>

#include "client/tegu.hpp"

namespace tegu::tune {
namespace {

bool is_process_here(const std::string& sysroot, const std::string& name) {
    const std::string proc = sysroot + "/proc";
    DIR* const folder = ::opendir(proc.c_str());
    if (folder == nullptr) return false;
    bool found = false;
    while (const dirent* entry = found ? nullptr : ::readdir(folder)) {
        if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
        std::ifstream file(proc + "/" + entry->d_name + "/comm");
        std::string comm;
        found = std::getline(file, comm) && comm == name;
    }
    ::closedir(folder);
    return found;
}

std::uint64_t number_in(const client::Expected<std::vector<client::Field>>& fields, const std::string& name) {
    if (!fields) return 0;
    for (const client::Field& field : *fields)
        if (field.name == name)
            if (const auto* number = std::get_if<std::uint64_t>(&field.value)) return *number;
    return 0;
}

}  // namespace

struct TegudWatch::State {
    explicit State(client::Client connected) : client(std::move(connected)) {}
    client::Client client;
    std::uint64_t pid = 0, connections = 0, jobs = 0;
};

TegudWatch::TegudWatch() = default;
TegudWatch::TegudWatch(TegudWatch&&) noexcept = default;
TegudWatch& TegudWatch::operator=(TegudWatch&&) noexcept = default;
TegudWatch::~TegudWatch() = default;

TegudWatch TegudWatch::open(const std::string& socket, const std::string& sysroot) {
    TegudWatch watch;
    if (socket.empty() && !is_process_here(sysroot, "tegud")) return watch;
    client::Options options;
    options.socket_path = socket;
    options.name = "tegu-tune";
    options.reconnect_ms = 0;
    client::Expected<client::Client> connected = client::Client::connect(options);
    if (!connected) return watch;
    watch.state_ = std::make_unique<State>(std::move(*connected));
    State& state = *watch.state_;
    state.pid = number_in(state.client.info(), "pid");
    const auto stats = state.client.stats();
    state.connections = number_in(stats, "connections");
    state.jobs = number_in(stats, "jobs_total");
    return watch;
}

bool TegudWatch::is_there() const {
    return state_ != nullptr;
}

std::string TegudWatch::warning() const {
    if (!state_) return "";
    const std::uint64_t others = state_->connections > 0 ? state_->connections - 1 : 0;
    return "tegud (pid " + std::to_string(state_->pid) + ") runs here, with " + std::to_string(others) +
           " other connection" + (others == 1 ? "" : "s") +
           ": jobs of its clients disturb the measurement. To be sure, stop it meanwhile: "
           "systemctl stop tegud.socket tegud.service";
}

std::uint64_t TegudWatch::jobs_since() {
    if (!state_) return 0;
    const auto stats = state_->client.stats();
    if (!stats) {
        state_.reset();  // it ended: nothing disturbs any more
        return 0;
    }
    const std::uint64_t jobs = number_in(stats, "jobs_total"), before = state_->jobs;
    state_->jobs = jobs;
    return jobs > before ? jobs - before : 0;
}

}  // namespace tegu::tune
