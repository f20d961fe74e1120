// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/tegud_watch.h"

#include "tools/tune/tegud/tegud_process.h"

namespace tegu::tune {
namespace {

std::uint64_t count_in(const client::Expected<std::vector<client::Field>>& fields, const std::string& name) {
    return fields ? number_in(*fields, name) : 0;
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
    client::Expected<client::Client> connected = connect_tegud(socket, sysroot);
    if (!connected) return watch;
    watch.state_ = std::make_unique<State>(std::move(*connected));
    State& state = *watch.state_;
    state.pid = count_in(state.client.info(), "pid");
    const auto stats = state.client.stats();
    state.connections = count_in(stats, "connections");
    state.jobs = count_in(stats, "jobs_total");
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
    const std::uint64_t jobs = count_in(stats, "jobs_total"), before = state_->jobs;
    state_->jobs = jobs;
    return jobs > before ? jobs - before : 0;
}

}  // namespace tegu::tune
