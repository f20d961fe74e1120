// SPDX-License-Identifier: Apache-2.0
// tegu-tune apply FILE: installs a table as the overlay and reloads the daemon. Then one job of each
// operation checks the result and reports the tuning row. After a failure the previous overlay is restored.
#include <cstdio>
#include <new>

#include "config/tuning_write.h"
#include "tools/tune/commands.h"
#include "tools/tune/measure/interrupts.h"
#include "tools/tune/table/overlay.h"
#include "tools/tune/tables.h"
#include "tools/tune/tegud/applied_jobs.h"
#include "tools/tune/tegud/daemon_reload.h"

namespace tegu::tune {
namespace {

// Whether any part of the table is usable here. Reports unusable parts.
Result<void> check_table(const TuningTable& table, const tuning::TuningMachine& facts) {
    const tuning::DeviceTuning tuning(facts, {}, &table);
    for (const IgnoredRow& ignored : tuning.ignored()) warn(ignored_text(ignored));
    for (const tuning::TableUse& use : tuning.tables())
        if (use.cuda_rows + use.cpu_rows + use.costs != 0) {
            std::printf("%s: %u rows of the GPU, %u of the CPU, %u costs; %u ignored\n", use.path.c_str(),
                        use.cuda_rows, use.cpu_rows, use.costs, use.ignored);
            return {};
        }
    return make_error(Status::BadRequest, table.path + " has nothing that can be used on this machine");
}

// Has the daemon read the table that was put back: the one that runs now, which may be another process than
// before.
Result<void> read_again(const ApplyOptions& options) {
    Result<Daemon> daemon = Daemon::find(options.socket, options.machine.sysroot);
    if (daemon) return daemon->reload();
    if (daemon.error().status == Status::NotFound) return {};
    return std::move(daemon).error();
}

void take_back(Overlay& overlay, const ApplyOptions& options) {
    warn("the table that was there before is put back");
    Result<void> restored = overlay.restore();
    if (!restored) return (void)fail(restored.error());
    const Result<void> read = read_again(options);
    if (!read) warn("tegud did not read it: " + read.error().message + "; restart it");
}

// Returns how many results are wrong.
Result<std::size_t> check_jobs(const TuningTable& table, const ApplyOptions& options, Machine& machine,
                               const std::string& path) {
    Result<Daemon> daemon = Daemon::find(options.socket, options.machine.sysroot);
    if (!daemon && daemon.error().status == Status::NotFound) {
        std::printf("tegud does not run: it reads the table when it starts\n");
        return std::size_t{0};
    }
    if (!daemon) return std::move(daemon).error();
    if (daemon->overlay() != path)
        warn(daemon->name() + " looks for the overlay in " +
             (daemon->overlay().empty() ? "no file" : daemon->overlay()) + ", not in " + path +
             ": see tuning.overlay in its settings");
    Result<void> reloaded = daemon->reload();
    if (!reloaded) return std::move(reloaded).error();
    Result<std::vector<AppliedJob>> jobs = run_applied_jobs(table, options.socket, machine);
    if (!jobs) return std::move(jobs).error();
    std::size_t wrong = 0;
    for (const AppliedJob& job : *jobs) {
        std::printf("%s\n", applied_line(job).c_str());
        wrong += job.difference.empty() ? 0 : 1;
    }
    return wrong;
}

// The exit code. Whatever goes wrong, no table stays that was not seen to work.
int use_table(const TuningTable& table, const ApplyOptions& options, Machine& machine, Overlay& overlay,
              const std::string& path) {
    Result<std::size_t> wrong = make_error(Status::OutOfMemory, "there is no memory for the jobs");
    try {
        wrong = check_jobs(table, options, machine, path);
    } catch (const std::bad_alloc&) {
    }
    if (wrong && *wrong == 0) return kDone;
    int code = kBug;
    if (wrong)
        warn(std::to_string(*wrong) + " results are not those of the CPU backend");
    else
        code = fail(wrong.error());
    take_back(overlay, options);
    return !wrong && interrupts() ? kInterrupted : code;
}

}  // namespace

int apply_command(const ApplyOptions& options) {
    (void)interrupts();  // Ctrl-C takes the table back, too
    Result<TuningTable> table = load_table(options.table);
    if (!table) return fail(table.error());
    Result<std::unique_ptr<Machine>> machine = Machine::open(options.machine);
    if (!machine) return fail(machine.error());
    Result<void> usable = check_table(*table, (*machine)->facts());
    if (!usable) return fail(usable.error());
    const std::string path =
        options.overlay.empty() ? tuning_places(options.settings).overlay : options.overlay;
    if (path.empty())
        return fail(make_error(Status::BadRequest,
                               options.settings + " says that there is no overlay: tuning.overlay is empty"));
    Result<Overlay> overlay = Overlay::install(options.table, path);
    if (!overlay) return fail(overlay.error());
    std::printf("installed as %s\n", path.c_str());
    if (options.only_install) return kDone;
    return use_table(*table, options, **machine, *overlay, path);
}

}  // namespace tegu::tune
