// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/class_search.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "tools/tune/measure/effort.h"
#include "tools/tune/measure/policy_text.h"

namespace tegu::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMinCandidates = 4, kMaxCandidates = 48;
constexpr std::size_t kFinalists = 3;
constexpr unsigned kFirstSamples = 2;
constexpr unsigned kStepSamples = 6;               // of a neighbour
constexpr unsigned kMinPairs = 5, kMaxPairs = 40;  // of one of the two final comparisons
constexpr double kSearchShare = 0.65;              // of the time; the rest is for the final comparisons
constexpr double kSampleShare = 0.6;               // of the search: for the halving
constexpr double kStep = 0.995;                    // of the best time: a slower candidate is no step
constexpr double kAsGood = 1.005;                  // a field whose default is that good goes back to it

struct Contender {
    tuning::PolicySet policies;
    Samples samples;
    bool checked = false;
    bool out = false;
};

class Search {
  public:
    Search(const PolicySubject& subject, ClassMeter& meter, const SearchOptions& options,
           const Stop& interrupted, std::vector<std::string>* wrong)
        : subject_(subject),
          meter_(meter),
          options_(options),
          interrupted_(interrupted),
          wrong_(wrong),
          begin_(Clock::now()),
          space_(policy_space(subject, options.known)) {}

    Result<SearchResult> run();

  private:
    Result<void> measure_default();
    Result<void> choose_candidates();
    Result<std::vector<PolicyPoint>> run_halving();
    Result<PolicyPoint> climb(PolicyPoint best);
    Result<PolicyPoint> simplify(PolicyPoint best);
    // Whether the policy stands the final comparisons; result_ then has it.
    Result<bool> decide(const PolicyPoint& point);

    // Its time over the default's. No value: it is out. Errors: those that end the class.
    Result<std::optional<double>> score(const PolicyPoint& point, unsigned samples);
    Result<bool> admit(const PolicyPoint& point, Contender& contender);
    double score_of(const Contender& contender) const;

    double spent() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
    bool is_over(double share) const { return interrupted_() || spent() >= options_.seconds * share; }

    const PolicySubject& subject_;
    ClassMeter& meter_;
    const SearchOptions& options_;
    const Stop& interrupted_;
    std::vector<std::string>* const wrong_;
    const Clock::time_point begin_;
    PolicySpace space_;
    std::map<PolicyPoint, Contender> contenders_;
    std::vector<PolicyPoint> candidates_;
    std::vector<double> default_us_;  // of each job
    SearchResult result_;
};

double Search::score_of(const Contender& contender) const {
    std::vector<double> ratios;
    for (std::size_t job = 0; job < meter_.jobs(); ++job)
        ratios.push_back(median(contender.samples[job]) / default_us_[job]);
    return geometric_mean(ratios);
}

// Each candidate's results are compared before it is timed.
Result<bool> Search::admit(const PolicyPoint& point, Contender& contender) {
    if (contender.checked) return !contender.out;
    contender.checked = true;
    contender.policies = policies_at(space_, subject_, point);
    ++result_.candidates;
    const Result<ClassMeter::Checked> checked = meter_.check(contender.policies);
    if (!checked) return checked.error();
    contender.out = !checked->ok();
    if (!checked->cannot_run.empty()) ++result_.refused;
    if (!checked->wrong.empty())
        wrong_->push_back(
            changes_text(tuning::changed_values(subject_.backend, subject_.operation, contender.policies)) +
            ": " + checked->wrong);
    return !contender.out;
}

Result<std::optional<double>> Search::score(const PolicyPoint& point, unsigned samples) {
    Contender& contender = contenders_[point];
    const Result<bool> admitted = admit(point, contender);
    if (!admitted) return admitted.error();
    if (!*admitted) return std::optional<double>();
    Result<void> sampled = meter_.sample(contender.policies, samples, &contender.samples);
    if (!sampled && ends_class(sampled.error())) return std::move(sampled).error();
    if (!sampled) {
        contender.out = true;
        ++result_.refused;
        return std::optional<double>();
    }
    return std::optional<double>(score_of(contender));
}

Result<void> Search::measure_default() {
    const PolicyPoint point = default_point(space_);
    Contender& contender = contenders_[point];
    const std::size_t wrong = wrong_->size();
    const Result<bool> admitted = admit(point, contender);
    if (!admitted) return admitted.error();
    if (wrong_->size() != wrong)
        return make_error(Status::Internal, "its default policy gives a wrong result: " + wrong_->back());
    if (!*admitted) return make_error(Status::Unavailable, "the device cannot run the default policy");
    Result<void> done = meter_.calibrate(contender.policies);
    if (done) done = meter_.sample(contender.policies, kStepSamples, &contender.samples);
    if (!done) return done;
    const double min = kMinCandidates * (meter_.check_seconds() + kFirstSamples * meter_.sample_seconds()) +
                       4 * kMinPairs * meter_.sample_seconds();
    if (min > options_.max_seconds)
        return make_error(Status::DeadlineExceeded, "it needs about " + seconds_text(min) + ", and has " +
                                                        seconds_text(options_.max_seconds) + " at most");
    for (const std::vector<double>& samples : contender.samples)
        default_us_.push_back(std::max(median(samples), 1e-3));
    return {};
}

Result<void> Search::choose_candidates() {
    const double each = meter_.check_seconds() + 2 * kFirstSamples * meter_.sample_seconds();
    const double affordable = options_.seconds * kSearchShare * kSampleShare / std::max(each, 1e-6);
    const auto count = static_cast<std::size_t>(
        std::clamp(affordable, static_cast<double>(kMinCandidates), static_cast<double>(kMaxCandidates)));
    for (const tuning::PolicySet& known : options_.known) {
        PolicyPoint point = point_of(space_, subject_, known);
        if (space_.allows(point) && point != default_point(space_)) candidates_.push_back(std::move(point));
    }
    for (PolicyPoint& point : sample_points(space_, count, options_.seed))
        candidates_.push_back(std::move(point));
    return {};
}

Result<std::vector<PolicyPoint>> Search::run_halving() {
    std::optional<Error> failed;
    const Score scored = [&](std::size_t candidate, unsigned samples) -> std::optional<double> {
        const Result<std::optional<double>> value = score(candidates_[candidate], samples);
        if (value) return *value;
        failed = value.error();
        return std::nullopt;
    };
    // Some are measured even where the time is short: without them nothing was searched.
    const std::size_t min = result_.candidates + kMinCandidates;
    const Stop stop = [&] {
        return failed || interrupted_() ||
               (result_.candidates >= min && is_over(kSearchShare * kSampleShare));
    };
    std::vector<PolicyPoint> best;
    for (const std::size_t candidate : halve(candidates_.size(), {kFirstSamples, kFinalists}, scored, stop))
        best.push_back(candidates_[candidate]);
    if (failed) return *failed;
    return best;
}

// Steps to the best neighbour while that is faster.
Result<PolicyPoint> Search::climb(PolicyPoint best) {
    std::set<PolicyPoint> seen = {best};
    for (bool moved = true; moved && !is_over(kSearchShare);) {
        moved = false;
        Result<std::optional<double>> here = score(best, kFirstSamples);
        if (!here) return std::move(here).error();
        if (!*here) return best;
        double min = **here * kStep;
        for (const PolicyPoint& neighbour : neighbours_of(space_, best)) {
            if (is_over(kSearchShare)) break;
            if (!seen.insert(neighbour).second) continue;
            const Result<std::optional<double>> value = score(neighbour, kStepSamples);
            if (!value) return value.error();
            if (!*value || **value >= min) continue;
            min = **value;
            best = neighbour;
            moved = true;
        }
    }
    return best;
}

// Removes fields without effect from a row, so that equal neighbours can be merged.
Result<PolicyPoint> Search::simplify(PolicyPoint best) {
    for (std::size_t axis = 0; axis < best.size(); ++axis) {
        PolicyPoint simpler = best;
        simpler[axis] = space_.axes[axis].initial;
        if (simpler == best || !space_.allows(simpler) || interrupted_()) continue;
        const Result<std::optional<double>> without = score(simpler, kStepSamples);
        const Result<std::optional<double>> with = score(best, kStepSamples);
        if (!without || !with) return without ? with.error() : without.error();
        if (*without && *with && **without <= **with * kAsGood) best = simpler;
    }
    return best;
}

Result<bool> Search::decide(const PolicyPoint& point) {
    if (point == default_point(space_) || contenders_[point].out) return false;
    const double left = std::max(options_.seconds * (1 - kSearchShare), options_.seconds - spent()) / 2;
    const double affordable = left / std::max(2 * meter_.sample_seconds(), 1e-9);
    const auto pairs = static_cast<unsigned>(
        std::clamp(affordable, static_cast<double>(kMinPairs), static_cast<double>(kMaxPairs)));
    const tuning::PolicySet& policies = contenders_[point].policies;
    Gain gain;
    for (int round = 0; round < 2; ++round) {
        const Result<std::vector<Duel>> duels = meter_.duel(policies, tuning::PolicySet(), pairs);
        if (!duels && ends_class(duels.error())) return duels.error();
        if (!duels) return false;
        gain = gain_of(*duels);
        if (result_.best_seen.time_us == 0 || gain.speed() > result_.best_seen.speed())
            result_.best_seen = gain;
        if (!is_clear(gain)) return false;
    }
    result_.policy = tuning::changed_values(subject_.backend, subject_.operation, policies);
    result_.gain = gain;
    return true;
}

Result<SearchResult> Search::run() {
    Result<void> ready = measure_default();
    if (ready) ready = choose_candidates();
    if (!ready) return std::move(ready).error();
    Result<std::vector<PolicyPoint>> finalists = run_halving();
    if (!finalists) return std::move(finalists).error();
    if (!finalists->empty()) {
        Result<PolicyPoint> best = climb(finalists->front());
        if (best) best = simplify(std::move(*best));
        if (!best) return std::move(best).error();
        finalists->insert(finalists->begin(), std::move(*best));
    }
    std::set<PolicyPoint> compared;
    for (const PolicyPoint& point : *finalists) {
        if (compared.size() == kFinalists || interrupted_()) break;
        if (!compared.insert(point).second) continue;
        const Result<bool> stands = decide(point);
        if (!stands) return stands.error();
        if (*stands) break;
    }
    if (interrupted_()) return make_error(Status::Cancelled, "interrupted");
    return std::move(result_);
}

}  // namespace

Result<SearchResult> search_class(const PolicySubject& subject, ClassMeter& meter,
                                  const SearchOptions& options, const Stop& interrupted,
                                  std::vector<std::string>* wrong) {
    return Search(subject, meter, options, interrupted, wrong).run();
}

}  // namespace tegu::tune
