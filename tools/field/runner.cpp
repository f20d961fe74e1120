// SPDX-License-Identifier: Apache-2.0
#include "tools/field/runner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/board/throttle_reasons.h"
#include "tools/field/measure.h"
#include "tools/field/statistics.h"

namespace tegu::field {
namespace {

constexpr double kMeasuredShare = 0.5;  // of a case's time; the rest makes inputs and checks the result
constexpr double kMinSeconds = 0.02, kMaxSeconds = 1;  // of timed runs of a case
constexpr double kRunsOfCase = 4;    // that a case takes at least: its check, a warm-up and some timed
constexpr double kBoardSeconds = 5;  // between readings of the board within a part
constexpr double kCoolSeconds = 60;  // that one case may wait for the board to cool
constexpr double kCoolShare = 0.15;  // of the whole run, that waiting may take
constexpr int kTries = 3;            // of a measurement that was throttled

std::chrono::steady_clock::duration seconds_of(double seconds) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
}

std::string percent_name(const Case& one, unsigned percent) {
    return one.name + " p" + std::to_string(percent);
}

void add_note(ResultRecord& record, const std::string& words) {
    record.note += (record.note.empty() ? "" : "; ") + words;
}

// Whether the file already has all records of the case.
bool is_known(const Recorder& recorder, const Part& part, const Case& one) {
    if (one.percentiles.empty()) return recorder.has(part.name, one.name, one.backend);
    return std::all_of(one.percentiles.begin(), one.percentiles.end(), [&](unsigned percent) {
        return recorder.has(part.name, percent_name(one, percent), one.backend);
    });
}

ResultRecord record_of(const Part& part, const Case& one) {
    ResultRecord record;
    record.part = part.name;
    record.name = one.name;
    record.operation = one.operation;
    record.backend = one.backend;
    record.method = one.method;
    record.axes = one.axes;
    record.bytes = one.bytes;
    record.flops = one.flops;
    record.kernel = one.kernel;
    record.note = one.note;
    return record;
}

}  // namespace

Runner::Runner(PartContext& context, Recorder& recorder, Progress& progress, std::function<bool()> stopped)
    : context_(context),
      recorder_(recorder),
      progress_(progress),
      stopped_(std::move(stopped)),
      began_(Wall::now()),
      deadline_(began_ + seconds_of(60 * context.options.minutes)),
      cooling_left_s_(60 * context.options.minutes * kCoolShare) {}

double Runner::left(Wall::time_point deadline) const {
    return std::chrono::duration<double>(deadline - Wall::now()).count();
}

Result<RunSummary> Runner::run(const std::vector<Part>& parts) {
    summary_.continued = recorder_.continued();
    double weight = 0;
    for (const Part& part : parts) weight += part.weight;
    for (const Part& part : parts) {
        if (stopped_()) break;
        const double seconds = std::max(left(deadline_), 0.0) * part.weight / weight;
        weight -= part.weight;
        Result<void> done = run_part(part, Wall::now() + seconds_of(seconds));
        if (!done) return std::move(done).error();
    }
    summary_.stopped = stopped_();
    summary_.seconds = std::chrono::duration<double>(Wall::now() - began_).count();
    if (!summary_.stopped) {
        Result<void> done = recorder_.finish();
        if (!done) return std::move(done).error();
    }
    return summary_;
}

Result<void> Runner::run_part(const Part& part, Wall::time_point deadline) {
    CaseList declared;
    part.declare(context_, declared);
    for (SkippedRecord& skipped : declared.skipped()) {
        if (recorder_.has(part.name, skipped.name, skipped.backend)) continue;
        skipped.part = part.name;
        ++summary_.skipped;
        Result<void> done = recorder_.add(skipped);
        if (!done) return done;
    }
    std::vector<Case> cases;
    for (Case& one : declared.cases())
        if (!is_known(recorder_, part, one)) cases.push_back(std::move(one));
    if (cases.empty()) return {};
    std::stable_sort(cases.begin(), cases.end(),
                     [](const Case& a, const Case& b) { return a.priority < b.priority; });
    progress_.begin_part(part.title, cases.size());
    Result<void> done = read_board(part, Moment::Before);
    if (done) done = run_cases(part, cases, deadline);
    if (done) done = read_board(part, Moment::After);
    return done;
}

Result<void> Runner::run_cases(const Part& part, std::vector<Case>& cases, Wall::time_point deadline) {
    bool board_read = false;
    for (std::size_t i = 0; i < cases.size() && !stopped_(); ++i) {
        Case one = std::move(cases[i]);
        cases[i] = Case();
        const double allotted = left(deadline) / static_cast<double>(cases.size() - i);
        show(part, i, cases.size(), last_);
        Result<void> done = run_case(part, std::move(one), allotted, deadline);
        if (done && (!board_read || Wall::now() - board_read_at_ >= seconds_of(kBoardSeconds))) {
            board_read = true;
            done = read_board(part, Moment::During);
        }
        if (!done) return done;
    }
    return {};
}

std::string Runner::no_time_reason(const Case& one, Wall::time_point deadline) const {
    if (context_.options.quick) return {};
    const double seconds = left(deadline);
    if (seconds <= 0) return "no time was left for it";
    const auto rate = seconds_per_work_.find(one.series + '\n' + one.backend);
    if (one.series.empty() || rate == seconds_per_work_.end()) return {};
    const double run = rate->second * one.work;
    if (run * kRunsOfCase <= seconds) return {};
    return "one run would take about " + seconds_text(run) + ", which is too long for what is left";
}

Result<void> Runner::run_case(const Part& part, Case one, double allotted, Wall::time_point deadline) {
    if (gpu_lost_ && one.backend != "cpu") return skip(part, one, "the GPU was lost", true);
    const std::string reason = no_time_reason(one, deadline);
    if (!reason.empty()) return skip(part, one, reason, true);
    ResultRecord record;
    Result<void> done = one.prepare ? one.prepare(one) : Result<void>();
    if (done && one.check) done = one.check();
    if (!done) return fail_case(part, one, done.error());
    record = record_of(part, one);
    record.checked = static_cast<bool>(one.check);
    return measure_case(part, one, allotted, record);
}

Result<void> Runner::measure_case(const Part& part, Case& one, double allotted, ResultRecord& record) {
    MeasureSettings settings;
    settings.seconds = std::min(std::max(kMeasuredShare * allotted, kMinSeconds), kMaxSeconds);
    settings.once = context_.options.quick;
    // A counter of the GPU says nothing of work on the CPU.
    settings.energy = one.energy && (one.backend != "cpu" ||
                                     context_.board.energy_source() != board::EnergySource::GpuCounter);
    settings.gpu = context_.gpu;
    settings.stopped = stopped_;
    (void)context_.board.throttling();  // from here on it counts
    for (int tries = 1;; ++tries) {
        Result<Measurement> measured = measure(one, context_.board, settings);
        if (!measured) return fail_case(part, one, measured.error());
        if (one.finish) one.finish(one);
        record.method = one.method;
        const std::vector<std::string> slowed = context_.board.throttling();
        const std::vector<std::string> reasons = board::passing_reasons(slowed);
        if (!reasons.empty() && tries < kTries && cool_down(reasons)) continue;
        record.throttled = !reasons.empty();
        record.energy_j = measured->energy_j;
        if (!slowed.empty())
            add_note(record, record.throttled ? "throttled: " + board::in_words(reasons)
                                              : "clocks held down: " + board::in_words(slowed));
        return record_case(one, std::move(record), measured->seconds);
    }
}

// Whether the measurement is worth another try.
bool Runner::cool_down(const std::vector<std::string>& reasons) {
    const double seconds = std::min({kCoolSeconds, cooling_left_s_, left(deadline_)});
    if (seconds <= 1 || context_.options.quick) return false;
    progress_.note("throttled (" + board::in_words(reasons) + "): measured again when the board has cooled");
    const Wall::time_point began = Wall::now();
    const bool cool = board::wait_for_full_speed(context_.board, seconds, stopped_);
    cooling_left_s_ -= std::chrono::duration<double>(Wall::now() - began).count();
    return cool;
}

Result<void> Runner::record_case(const Case& one, ResultRecord record, const std::vector<double>& seconds) {
    record.repeats = static_cast<unsigned>(seconds.size());
    record.noise = noise(seconds);
    record.seconds = median(seconds);
    if (one.work > 0 && !one.series.empty())
        seconds_per_work_[one.series + '\n' + one.backend] = record.seconds / one.work;
    char scatter[32];
    std::snprintf(scatter, sizeof scatter, " +-%.1f %%", 100 * record.noise);
    last_ = one.name + " " + one.backend + ": " + seconds_text(record.seconds) + scatter;
    summary_.throttled += record.throttled ? 1 : 0;
    ++summary_.measured;
    if (one.percentiles.empty()) return recorder_.add(record);
    for (const unsigned percent : one.percentiles) {
        ResultRecord at = record;
        at.name = percent_name(one, percent);
        at.axes.emplace_back("percentile", std::int64_t{percent});
        at.seconds = percentile(seconds, percent);
        Result<void> done = recorder_.add(at);
        if (!done) return done;
    }
    return {};
}

Result<void> Runner::skip(const Part& part, const Case& one, std::string reason, bool retry) {
    ++(retry ? summary_.no_time : summary_.skipped);
    return recorder_.add(SkippedRecord{part.name, one.name, one.backend, std::move(reason), retry});
}

Result<void> Runner::fail_case(const Part& part, const Case& one, const Error& error) {
    if (stopped_()) return {};  // the stop may have caused the failure
    if (error.status == Status::DeviceLost) {
        gpu_lost_ = true;
        progress_.note("the GPU was lost: " + error.message);
        return skip(part, one, "the GPU was lost: " + error.message, true);
    }
    if (error.status == Status::Internal) {
        summary_.wrong.push_back(std::string(part.name) + ": " + one.name + " " + one.backend + ": " +
                                 error.message);
        progress_.note("WRONG: " + summary_.wrong.back());
    }
    const bool retry = error.status == Status::Internal || error.status == Status::Unavailable;
    return skip(part, one, error.message, retry);
}

Result<void> Runner::read_board(const Part& part, Moment moment) {
    board_read_at_ = Wall::now();
    ConditionRecord record;
    record.part = part.name;
    record.at = moment;
    record.elapsed_s =
        recorder_.elapsed_before_s() + std::chrono::duration<double>(board_read_at_ - began_).count();
    record.state = context_.board.now();
    return recorder_.add(record);
}

void Runner::show(const Part& part, std::size_t done, std::size_t cases, const std::string& last) {
    ProgressState state;
    state.seconds_left = left(deadline_);
    state.share = 1 - state.seconds_left / (60 * context_.options.minutes);
    state.part = part.name;
    state.done = done;
    state.cases = cases;
    state.last = last;
    progress_.show(state);
}

}  // namespace tegu::field
