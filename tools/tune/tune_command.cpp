// SPDX-License-Identifier: Apache-2.0
// tegu-tune: searches, stores the findings in a journal, and writes the table.
#include <cstdio>

#include "config/tuning_load.h"
#include "config/tuning_write.h"
#include "tools/tune/commands.h"
#include "tools/tune/measure/interrupts.h"
#include "tools/tune/measuring.h"
#include "tools/tune/run/progress.h"
#include "tools/tune/run/results.h"
#include "tools/tune/table/files.h"

namespace tegu::tune {
namespace {

Result<Journal> open_journal(const TuneOptions& options, const std::string& path, const std::string& identity,
                             Progress& progress) {
    if (options.restart) {
        const Result<std::string> aside = set_journal_aside(path);
        if (!aside) return aside.error();
        if (!aside->empty()) progress.note("the journal of an earlier run is now " + *aside);
    }
    Result<Journal> journal = Journal::open(path, identity);
    if (!journal && journal.error().status == Status::BadRequest)
        journal.error().message += "; --restart sets it aside, --output names another file";
    if (journal && journal->cut_bytes() != 0)
        progress.note(path + " ends within a record: its last " + std::to_string(journal->cut_bytes()) +
                      " bytes are dropped");
    return journal;
}

// Reports wrong results and left-out steps, after the table is written.
void say_end(const SessionEnd& end, const Journal& journal, Progress& progress) {
    if (!end.wrong.empty())
        progress.note(std::to_string(end.wrong.size()) +
                      " results were wrong, the first one: " + end.wrong.front());
    if (end.stays_slow) progress.note("the board stays slow: cool it, and run the same command again");
    if (end.left_out > end.out_of_time)
        progress.note(std::to_string(end.left_out - end.out_of_time) +
                      " steps were left out: they take too long for --minutes, or need more memory");
    if (end.out_of_time != 0)
        progress.note("the time was over before " + std::to_string(end.out_of_time) + " of " +
                      std::to_string(end.steps) + " steps");
    if (!end.is_complete())
        progress.note("run the same command again to go on; what is done is in " + journal.path());
}

int exit_code_of(const SessionEnd& end) {
    if (!end.wrong.empty()) return kBug;
    if (end.interrupted) return kInterrupted;
    return end.stays_slow ? kTryAgain : kDone;
}

}  // namespace

int tune_command(const TuneOptions& options) {
    const MeasureOptions& measure = options.measure;
    Progress progress(measure.quiet);
    Result<std::unique_ptr<Measuring>> measuring = Measuring::open(measure, progress);
    if (!measuring) return fail(measuring.error());
    Machine& machine = (*measuring)->machine();
    const TuningDevice device = machine.table_device();
    const std::string path = options.output.empty() ? table_key(device) + ".toml" : options.output;
    // Now, not when all is measured.
    if (const Result<void> possible = check_replaceable(path); !possible) return fail(possible.error());
    Result<Journal> journal = open_journal(options, path + ".journal", machine.text(), progress);
    if (!journal) return fail(journal.error());

    WorkWish wish;
    wish.operations = measure.operations;
    wish.backends = machine.backends();
    wish.tune = options.rows;
    wish.costs = options.costs;
    const Work work(wish, machine.limits(measure.max_elements));
    Session session((*measuring)->session_machine(), *journal, (*measuring)->pace(), progress, interrupts());
    Result<SessionEnd> end = session.run(work, measure.minutes * 60);
    progress.end();
    if (!end) {
        const int code = fail(end.error());
        return session.wrong().empty() ? code : kBug;
    }

    Result<void> written = config::write_tuning(path, table_of(end->findings, device, path));
    if (!written) return fail(written.error());
    say_end(*end, *journal, progress);
    if (end->is_complete()) {
        Result<void> removed = journal->remove();
        if (!removed) return fail(removed.error());
    }
    if (measure.json)
        std::printf("%s\n", session_json(*end, machine.text(), path).c_str());
    else
        std::printf("%s\n%s%s\n", machine.text().c_str(), summary_text(speeds_of(end->findings)).c_str(),
                    path.c_str());
    return exit_code_of(*end);
}

int fail(const Error& error) {
    std::fprintf(stderr, "tegu-tune: %s%s%s\n", error.field.empty() ? "" : (error.field + ": ").c_str(),
                 error.message.c_str(), error.allowed.empty() ? "" : ("; allowed: " + error.allowed).c_str());
    return status_info(error.status).exit_code;
}

void warn(const std::string& line) {
    std::fprintf(stderr, "tegu-tune: %s\n", line.c_str());
}

}  // namespace tegu::tune
