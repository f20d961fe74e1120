// SPDX-License-Identifier: Apache-2.0
#include "daemon/tuning/tuning.h"

#include <algorithm>
#include <new>

#include "base/log.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kMostLogged = 20;  // lines about one load

// Those that the state before had not.
void log_ignored(const TuningState& before, const TuningState& now) {
    std::size_t lines = 0;
    for (const IgnoredRow& ignored : now.ignored()) {
        const std::string text = ignored_text(ignored);
        const bool known = std::any_of(before.ignored().begin(), before.ignored().end(),
                                       [&](const IgnoredRow& other) { return ignored_text(other) == text; });
        if (known) continue;
        if (++lines > kMostLogged) break;
        log(LogLevel::Warning, text);
    }
    if (lines > kMostLogged)
        log(LogLevel::Warning, "more rows of tuning tables are ignored; health lists them");
}

std::string count_text(unsigned count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

// One reading of the files. The helper's thread fills it in, the io thread takes it.
struct Tuning::Load {
    std::string directory, overlay;
    std::shared_ptr<const TuningState> state;  // null: there was no memory for it

    void read(const MachineNames& names, Span<const device::DeviceInfo> gpus) {
        try {
            const config::TuningFiles files =
                config::load_tuning_files(directory, overlay, tables_for(names, gpus));
            state = std::make_shared<TuningState>(files, names, gpus);
        } catch (const std::bad_alloc&) {
        }
    }
};

namespace {

std::string directory_of(const config::Settings::Tuning& settings) {
    return settings.directory.empty() ? config::installed_tuning_directory() : settings.directory;
}

}  // namespace

Tuning::Tuning(const config::Settings::Tuning& settings, const std::string& sysroot,
               std::vector<device::DeviceInfo> gpus)
    : gpus_(std::move(gpus)), names_(read_machine_names(sysroot)) {
    Load load{directory_of(settings), settings.overlay, nullptr};
    load.read(names_, gpus_);
    take(load);
}

void Tuning::reload(const config::Settings::Tuning& settings, HelperThread& helper) {
    const auto load = std::make_shared<Load>(Load{directory_of(settings), settings.overlay, nullptr});
    HelperThread::Task task;
    task.work = [this, load] { load->read(names_, gpus_); };
    task.done = [this, load] {
        if (load != wanted_) return;
        wanted_.reset();
        take(*load);
        log(LogLevel::Notice,
            "tuning tables read again: " +
                count_text(static_cast<unsigned>(state_->tables().size()), "table") + ", " +
                count_text(state_->rows(), "row") + ", " +
                count_text(static_cast<unsigned>(state_->ignored().size()), "ignored part"));
    };
    wanted_ = load;
    if (!helper.submit(task, HelperThread::Turn::First)) wanted_.reset();  // the daemon ends
}

void Tuning::take(const Load& load) {
    ++loads_;
    if (load.state == nullptr)
        return log(LogLevel::Warning, "no memory for the tuning tables: those in force stay");
    log_ignored(*state_, *load.state);
    state_ = load.state;
    directory_ = load.directory;
    overlay_ = load.overlay;
}

}  // namespace tegu::daemon
