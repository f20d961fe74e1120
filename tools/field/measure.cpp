// SPDX-License-Identifier: Apache-2.0
#include "tools/field/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tools/board/energy.h"
#include "tools/field/statistics.h"

namespace tegu::field {
namespace {

using Wall = std::chrono::steady_clock;

constexpr std::size_t kFewest = 5;  // timed runs, where there is time for them
constexpr std::size_t kMax = 2000;
constexpr std::size_t kEnough = 31;  // from here on a steady median ends it
constexpr double kSteady = 0.001;    // relative uncertainty of the median
constexpr double kSlowRuns = 4;      // times the seconds allowed, for kFewest runs of a slow case

double since(Wall::time_point began) {
    return std::chrono::duration<double>(Wall::now() - began).count();
}

class Repetition {
  public:
    Repetition(Case& one, const MeasureSettings& settings) : case_(one), settings_(settings) {}

    Result<double> run() {
        Result<void> ready = case_.before ? case_.before(turn_) : Result<void>();
        if (!ready) return std::move(ready).error();
        const std::size_t turn = turn_++;
        if (case_.clock == Clock::Stream) {
            if (settings_.gpu == nullptr) return make_error(Status::Unavailable, "there is no GPU");
            return settings_.gpu->time([&] { return case_.run(turn); });
        }
        const Wall::time_point began = Wall::now();
        Result<void> done = case_.run(turn);
        if (!done) return std::move(done).error();
        return since(began);
    }

    // Runs until clocks and caches have had time to settle. A first run that takes long is the measurement
    // itself.
    Result<std::vector<double>> warm_up() {
        const Wall::time_point began = Wall::now();
        while (true) {
            const Result<double> seconds = run();
            if (!seconds) return seconds.error();
            if (*seconds > settings_.seconds) return std::vector<double>{*seconds};
            if (since(began) >= settings_.seconds / 4 || settings_.stopped()) return std::vector<double>();
        }
    }

    bool is_enough(const std::vector<double>& runs, double elapsed, double at_least) const {
        if (settings_.stopped() && !runs.empty()) return true;
        if (runs.empty() || elapsed < at_least) return false;
        if (runs.size() >= kMax) return true;
        if (elapsed >= settings_.seconds)
            return runs.size() >= kFewest || elapsed >= kSlowRuns * settings_.seconds;
        // The standard error of a median of n values is about 1.25 deviations / sqrt(n), a deviation 1.48
        // median deviations.
        if (runs.size() < kEnough || runs.size() % 8 != 0 || elapsed < settings_.seconds / 3) return false;
        return 1.85 * noise(runs) / std::sqrt(static_cast<double>(runs.size())) < kSteady;
    }

    // Adds runs to those of the warm-up.
    Result<void> repeat(std::vector<double>& runs, double at_least) {
        const Wall::time_point began = Wall::now();
        while (!is_enough(runs, since(began), at_least)) {
            const Result<double> seconds = run();
            if (!seconds) return seconds.error();
            runs.push_back(*seconds);
        }
        return {};
    }

  private:
    Case& case_;
    const MeasureSettings& settings_;
    std::size_t turn_ = 0;
};

Result<Measurement> measure_samples(Case& one, const MeasureSettings& settings) {
    Result<std::vector<double>> samples = one.sample(settings.once ? 0 : settings.seconds);
    if (!samples) return std::move(samples).error();
    if (samples->empty()) return make_error(Status::Unavailable, "it was stopped before its first run");
    return Measurement{std::move(*samples), std::nullopt};
}

}  // namespace

Result<Measurement> measure(Case& one, board::BoardWatch& board, const MeasureSettings& settings) {
    if (one.sample) return measure_samples(one, settings);
    Repetition repetition(one, settings);
    Measurement measured;
    if (settings.once) {
        const Result<double> seconds = repetition.run();
        if (!seconds) return seconds.error();
        measured.seconds.push_back(*seconds);
        return measured;
    }
    Result<std::vector<double>> first = repetition.warm_up();
    if (!first) return std::move(first).error();
    measured.seconds = std::move(*first);
    const bool with_energy = settings.energy && !one.before;  // work between the runs would count, too
    board::EnergyMeter meter(board);
    const std::size_t before = measured.seconds.size();
    if (with_energy) meter.start();
    Result<void> done = repetition.repeat(measured.seconds, with_energy ? board::kMinEnergySeconds : 0);
    const std::optional<double> joules = with_energy ? meter.stop() : std::nullopt;
    if (!done) return std::move(done).error();
    const std::size_t runs = measured.seconds.size() - before;
    if (joules && runs > 0) measured.energy_j = *joules / static_cast<double>(runs);
    return measured;
}

}  // namespace tegu::field
