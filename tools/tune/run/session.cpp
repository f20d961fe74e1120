// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/run/session.h"

#include <algorithm>
#include <new>

#include "kernels/tuning/revisions.h"
#include "tools/tune/measure/effort.h"
#include "tools/tune/table/hash.h"

namespace tegu::tune {
namespace {

constexpr double kCostWeight = 0.12;   // of a cost against a class
constexpr double kMinShare = 1;        // second that a class gets: fewer classes are better than bad ones
constexpr double kMaxShares = 4;       // a step that needs more than so many shares of the time is left out
constexpr double kMaxForCosts = 0.25;  // of all the time
constexpr double kMinSeconds = 0.05;   // that the search of a class has
constexpr int kTries = 2;              // of a step that jobs of tegud disturbed
constexpr unsigned kMaxSlow = 3;       // steps in a row for which the board stayed slow
constexpr char kWrong[] = "wrong";     // the id of a record of the journal that names a wrong result

double weight_of(const WorkStep& step) {
    return step.tune != nullptr ? 1 : kCostWeight;
}

unsigned revision_of(const WorkStep& step) {
    const TuningClass& jobs = step.tune != nullptr ? step.tune->jobs : step.cost->jobs;
    return tuning::revision_of(step.backend, find_operation(jobs.operation)->operation);
}

StepNews news_of(const Finding& finding) {
    return {finding_line(finding), !finding.rows.empty(), finding.speed()};
}

std::string message_of(const Error& error) {
    return error.field.empty() ? error.message : error.field + ": " + error.message;
}

}  // namespace

Session::Session(const SessionMachine& machine, Journal& journal, Pace& pace, Reporter& reporter,
                 const std::atomic<bool>& interrupted)
    : machine_(machine),
      journal_(journal),
      pace_(pace),
      reporter_(reporter),
      interrupted_(interrupted),
      data_(*machine.pool, machine.host_bytes) {}

Bench& SessionMachine::bench_of(TuningBackend backend) const {
    return **std::find_if(benches.begin(), benches.end(),
                          [&](const Bench* bench) { return bench->backend() == backend; });
}

kernels::StopToken Session::stop_token() const {
    return kernels::StopToken(&interrupted_, Clock::time_point::max());
}

double Session::seconds_left() const {
    return std::chrono::duration<double>(end_ - Clock::now()).count();
}

// Records of other kernel versions are ignored, and their steps run again.
Result<void> Session::take_from_journal(const Work& work) {
    std::size_t outdated = 0;
    for (const WorkStep& step : work.steps()) {
        const JournalRecord* record = journal_.find(step.id);
        if (record == nullptr) {
            pending_.push_back(&step);
            continue;
        }
        Result<Finding> finding = parse_finding(record->id, record->text);
        if (!finding)
            return make_error(Status::BadRequest, journal_.path() + ": " + message_of(finding.error()));
        if (finding->revision == revision_of(step)) {
            result_.findings.push_back(std::move(*finding));
            continue;
        }
        ++outdated;
        pending_.push_back(&step);
    }
    if (outdated != 0)
        reporter_.note(std::to_string(outdated) + " records of " + journal_.path() +
                       " are of kernels of another revision: these steps are measured again");
    for (const JournalRecord& record : journal_.records())
        if (record.id == kWrong) wrong_.push_back(record.text);
    return {};
}

double Session::share_of(const WorkStep& step) const {
    double weights = 0;
    for (const WorkStep* other : pending_) weights += weight_of(*other);
    return std::max(kMinShare, std::max(0.0, seconds_left()) / weights) * weight_of(step);
}

// Whether the time of this kind of step is over. Classes leave costs their part.
bool Session::is_over(const WorkStep& step) const {
    double costs = 0;
    if (step.tune != nullptr)
        for (const WorkStep* other : pending_) costs += other->cost != nullptr ? kCostWeight * kMinShare : 0;
    return seconds_left() <= std::min(costs, kMaxForCosts * seconds_);
}

void Session::leave_out(const WorkStep& step, const std::string& reason) {
    ++result_.left_out;
    reporter_.left_out(step, reason);
}

Result<SessionEnd> Session::run(const Work& work, double seconds) {
    seconds_ = seconds;
    end_ = Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
    Result<void> taken = take_from_journal(work);
    if (!taken) return std::move(taken).error();
    result_.steps = work.steps().size();
    reporter_.begin(result_.steps, result_.findings.size(), seconds);
    unsigned slow = 0;
    for (; !pending_.empty() && !interrupted_; pending_.erase(pending_.begin())) {
        const WorkStep& step = *pending_.front();
        if (is_over(step)) {
            ++result_.out_of_time;
            leave_out(step, kOutOfTime);
            continue;
        }
        reporter_.step_begins(step);
        Result<Outcome> outcome = do_step(step, share_of(step));
        const bool is_slow = !outcome && outcome.error().status == Status::Busy;
        slow = is_slow ? slow + 1 : 0;
        if (!outcome && outcome.error().status == Status::Cancelled) break;
        if (!outcome &&
            (outcome.error().status == Status::DeviceLost || outcome.error().status == Status::Io))
            return std::move(outcome).error();
        if (!outcome)
            leave_out(step, message_of(outcome.error()));
        else if (!outcome->finding)
            leave_out(step, outcome->left_out);
        result_.stays_slow = slow == kMaxSlow;
        if (result_.stays_slow) break;
    }
    result_.interrupted = interrupted_;
    result_.wrong = wrong_;
    return std::move(result_);
}

Result<Session::Outcome> Session::do_step(const WorkStep& step, double seconds) {
    const double min = min_seconds(step, machine_.facts.cpu_threads);
    if (min > kMaxShares * seconds)
        return Outcome{std::nullopt, "it needs about " + seconds_text(min) +
                                         ", and its share of the time is " + seconds_text(seconds)};
    for (int tries = 1;; ++tries) {
        (void)machine_.foreign_jobs();
        found_wrong_.clear();
        Result<Outcome> outcome = within_memory(step, seconds);
        // Reports and keeps wrong results, however the step ended.
        Result<void> kept = keep_wrong(step);
        if (!kept) return std::move(kept).error();
        if (!outcome || !outcome->finding) return outcome;
        const std::uint64_t jobs = machine_.foreign_jobs();
        if (jobs != 0)
            reporter_.note("tegud ran " + std::to_string(jobs) + " jobs while " + step.id + " was measured" +
                           (tries < kTries ? ": it is measured again" : " again: its times may be wrong"));
        if (jobs != 0 && tries < kTries) continue;
        Result<void> written = journal_.append({step.id, finding_text(*outcome->finding)});
        if (!written) return std::move(written).error();
        reporter_.step_ends(step, news_of(*outcome->finding));
        found_is_current_ = false;
        result_.findings.push_back(*outcome->finding);
        return outcome;
    }
}

Result<void> Session::keep_wrong(const WorkStep& step) {
    for (const std::string& found : found_wrong_) {
        const std::string wrong = step.id + " " + found;
        if (std::find(wrong_.begin(), wrong_.end(), wrong) != wrong_.end()) continue;
        wrong_.push_back(wrong);
        reporter_.note("WRONG RESULT, a bug: " + wrong);
        Result<void> written = journal_.append({kWrong, wrong});
        if (!written) return written;
    }
    return {};
}

// Arrays of a class may be more than this machine has just now.
Result<Session::Outcome> Session::within_memory(const WorkStep& step, double seconds) {
    try {
        return step.tune != nullptr ? tune(step, seconds) : measure_cost(step, seconds);
    } catch (const std::bad_alloc&) {
        return Outcome{std::nullopt, "there is not enough memory"};
    }
}

Result<std::vector<std::unique_ptr<MeasuredJob>>> Session::prepare(const WorkStep& step) {
    std::vector<std::unique_ptr<MeasuredJob>> jobs;
    for (const SampleJob& sample : step.tune->samples) {
        Result<std::shared_ptr<const Reference>> reference =
            make_reference(sample, data_, *machine_.pool, stop_token());
        if (!reference) return std::move(reference).error();
        Result<std::unique_ptr<MeasuredJob>> job =
            machine_.bench_of(step.backend).prepare(std::move(*reference));
        if (!job) return std::move(job).error();
        jobs.push_back(std::move(*job));
    }
    return jobs;
}

Result<Session::Outcome> Session::tune(const WorkStep& step, double seconds) {
    const Clock::time_point begin = Clock::now();
    Result<std::vector<std::unique_ptr<MeasuredJob>>> jobs = prepare(step);
    if (!jobs) return std::move(jobs).error();
    const PolicySubject subject{step.backend, step.tune->jobs.operation, machine_.facts.limits,
                                machine_.facts.cpu_threads};
    SearchOptions options;
    const double prepared = std::chrono::duration<double>(Clock::now() - begin).count();
    options.seconds = std::max(kMinSeconds, seconds - prepared);
    options.max_seconds = std::max(kMaxShares * seconds, 10 * kMinSeconds);
    options.seed = hash_of(step.id);
    for (const SampleJob& sample : step.tune->samples)
        options.known.push_back(*machine_.known->choose(step.backend, tuning::class_of(sample.job)).policies);
    ClassMeter meter(std::move(*jobs), pace_, interrupted_);
    Result<SearchResult> found = search_class(
        subject, meter, options, [this] { return interrupted_.load(); }, &found_wrong_);
    if (!found && found.error().status == Status::DeadlineExceeded)
        return Outcome{std::nullopt, found.error().message};
    if (!found) return std::move(found).error();
    Finding finding;
    finding.id = step.id;
    finding.revision = revision_of(step);
    finding.candidates = found->candidates;
    finding.refused = found->refused;
    finding.best_speed = found->best_seen.speed();
    finding.worst = found->has_row() ? found->gain.worst : 1;
    if (found->has_row()) finding.rows.push_back(row_of(step, *found));
    return Outcome{std::move(finding), ""};
}

TuningEvidence Session::evidence_of(TuningBackend backend) const {
    TuningEvidence evidence = machine_.evidence;
    evidence.clock_mhz = machine_.clock_mhz(backend);
    return evidence;
}

TuningRow Session::row_of(const WorkStep& step, const SearchResult& found) const {
    TuningRow row;
    row.id = step.tune->id;
    row.jobs = step.tune->jobs;
    row.revision = revision_of(step);
    row.policy = found.policy;
    row.evidence = evidence_of(step.backend);
    row.evidence.time_us = found.gain.time_us;
    row.evidence.default_us = found.gain.default_us;
    row.evidence.noise = found.gain.noise;
    return row;
}

// Costs are those of the policies that jobs will get.
void Session::use_found_rows() {
    if (found_is_current_) return;
    TuningTable table;
    table.key = "found";
    for (const Finding& finding : result_.findings)
        table.rows.insert(table.rows.end(), finding.rows.begin(), finding.rows.end());
    found_ = tuning::DeviceTuning(machine_.facts, {}, &table);
    found_is_current_ = true;
}

Result<double> Session::cost_point(const SampleJob& sample, const WorkStep& step, double seconds) {
    Result<std::shared_ptr<const Reference>> reference = make_unknown_reference(sample, data_);
    if (!reference) return std::move(reference).error();
    Result<std::unique_ptr<MeasuredJob>> job = machine_.bench_of(step.backend).prepare(std::move(*reference));
    if (!job) return std::move(job).error();
    tuning::PolicySet policies = *found_.choose(step.backend, tuning::class_of(sample.job)).policies;
    if (step.cost->threads != 0) policies.cpu.share.threads = step.cost->threads;
    return wall_us(**job, policies, pace_, seconds, interrupted_);
}

// Points follow each other until the next one would take longer than all that is left for the row.
Result<Session::Outcome> Session::measure_cost(const WorkStep& step, double seconds) {
    use_found_rows();
    const Clock::time_point begin = Clock::now();
    CostRow row;
    row.jobs = step.cost->jobs;
    row.threads = step.cost->threads;
    row.revision = revision_of(step);
    row.evidence = evidence_of(step.backend);
    for (const SampleJob& point : step.cost->points) {
        const double left =
            std::max(seconds, 10 * kMinSeconds) - std::chrono::duration<double>(Clock::now() - begin).count();
        const double elements = static_cast<double>(point.job.rows) * static_cast<double>(point.job.cols);
        const double expected =
            row.points.empty() ? 0 : row.points.back().time_us * 1e-6 * elements / row.points.back().elements;
        if (!row.points.empty() && kMinCostRuns * expected > left) break;
        Result<double> us = cost_point(point, step, left / 3);
        if (!us && us.error().status == Status::OutOfMemory && !row.points.empty()) break;
        if (!us) return std::move(us).error();
        row.points.push_back({elements, *us});
    }
    Finding finding;
    finding.id = step.id;
    finding.revision = row.revision;
    finding.costs.push_back(std::move(row));
    return Outcome{std::move(finding), ""};
}

}  // namespace tegu::tune
