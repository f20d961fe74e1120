// SPDX-License-Identifier: Apache-2.0
#include "daemon/tuning/tuning.h"

#include <unistd.h>

#include <new>

#include "base/log.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxLogged = 20;  // lines about one load

// The rows that are ignored now and were not before.
std::vector<std::string> new_lines(const TuningState& before, const TuningState& now) {
    std::vector<std::string> lines;
    for (const IgnoredRow& ignored : now.ignored()) {
        std::string text = ignored_text(ignored);
        if (before.ignores(text)) continue;
        if (lines.size() == kMaxLogged) {
            lines.emplace_back("more rows of tuning tables are ignored; health lists some of them");
            break;
        }
        lines.push_back(std::move(text));
    }
    return lines;
}

std::string count_text(unsigned count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

// The result of reading the files. The helper's thread writes it, the io thread takes it.
struct Tuning::Load {
    std::string directory, overlay;
    std::shared_ptr<const TuningState> before;  // the state that it replaces
    std::shared_ptr<const TuningState> state;   // null: out of memory
    std::vector<std::string> lines;             // of the log: newly ignored rows

    void read(const MachineNames& names, Span<const device::DeviceInfo> gpus) {
        try {
            const config::TuningFiles files =
                config::load_tuning_files(directory, overlay, tables_for(names, gpus));
            const auto made = std::make_shared<TuningState>(files, names, gpus);
            lines = new_lines(*before, *made);
            state = made;
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
    Load load{directory_of(settings), settings.overlay, state_, nullptr, {}};
    load.read(names_, gpus_);
    take(load);
}

void Tuning::reload(const config::Settings::Tuning& settings, HelperThread& helper) {
    const auto load =
        std::make_shared<Load>(Load{directory_of(settings), settings.overlay, state_, nullptr, {}});
    HelperThread::Task task;
    task.work = [this, load] {
        load->read(names_, gpus_);
        return HelperThread::Progress::Done;
    };
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
    HelperThread::Turn turn = HelperThread::turn_of(::getuid(), std::move(task));
    wanted_ = load;
    if (!helper.submit_turn(turn)) wanted_.reset();  // the daemon ends
}

void Tuning::take(const Load& load) {
    ++loads_;
    if (load.state == nullptr)
        return log(LogLevel::Warning, "no memory for the tuning tables: those in force stay");
    for (const std::string& line : load.lines) log(LogLevel::Warning, line);
    state_ = load.state;
    directory_ = load.directory;
    overlay_ = load.overlay;
}

}  // namespace tegu::daemon
