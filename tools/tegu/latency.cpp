// SPDX-License-Identifier: Apache-2.0
// tegu latency: measures round trips of small jobs, one at a time or several in flight, like redis-cli
// --latency. With --intrinsic it measures the host only: the gaps in a loop that reads the clock.
#include <chrono>
#include <memory>

#include "base/latency_histogram.h"
#include "tools/tegu/command.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMaxElements = 16384;  // 64 KiB: what travels in the message
constexpr std::uint64_t kMaxPipeline = 1024;
constexpr int kSliceMs = 100;

struct LatencyOptions {
    CommonOptions common;
    std::uint64_t count = 0;  // 0: as long as `seconds`
    double seconds = 3;
    std::uint64_t pipeline = 1, size = 1024;
    bool intrinsic = false;
};

std::string times_text(const LatencyHistogram& times) {
    return "min " + duration_text(times.min_ns()) + ", avg " + duration_text(times.mean_ns()) + ", p50 " +
           duration_text(times.percentile_ns(0.5)) + ", p90 " + duration_text(times.percentile_ns(0.9)) +
           ", p99 " + duration_text(times.percentile_ns(0.99)) + ", max " + duration_text(times.max_ns());
}

// When to stop, and the live line of a terminal. Cheap enough to be asked after each sample.
class Run {
  public:
    Run(const LatencyOptions& options, Progress& progress) : options_(options), progress_(progress) {}

    bool ended(const LatencyHistogram& times) {
        if (interrupted() || (options_.count != 0 && times.count() >= options_.count)) return true;
        const Clock::time_point now = Clock::now();
        if (options_.count == 0 && now >= end_) return true;
        if (now >= next_) show(times, now);
        return false;
    }
    double elapsed_ns() const {
        return std::chrono::duration<double, std::nano>(Clock::now() - start_).count();
    }

  private:
    void show(const LatencyHistogram& times, Clock::time_point now) {
        next_ = now + std::chrono::milliseconds(200);
        progress_.line(times_text(times) + " (" + std::to_string(times.count()) + " samples)");
        if (!options_.intrinsic) guard_timeout(options_.common, "latency");
    }
    const LatencyOptions& options_;
    Progress& progress_;
    const Clock::time_point start_ = Clock::now();
    const Clock::time_point end_ =
        start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    Clock::time_point next_ = start_;
};

std::uint64_t nanoseconds(Clock::duration time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

void measure_host(Run& run, LatencyHistogram& gaps) {
    Clock::time_point last = Clock::now();
    for (unsigned i = 0;; ++i) {
        const Clock::time_point now = Clock::now();
        gaps.add(nanoseconds(now - last));
        last = now;
        if (i % 4096 != 0) continue;
        if (run.ended(gaps)) return;
        last = Clock::now();  // what the live line cost is not the host's
    }
}

Expected<void> measure_pings(client::Client& client, Run& run, LatencyHistogram& times) {
    while (!run.ended(times)) {
        Expected<std::uint64_t> time = client.ping();
        if (!time) return time.error();
        times.add(*time);
    }
    return {};
}

struct InFlight {
    std::uint64_t id;
    Clock::time_point start;
};

Expected<void> measure_jobs(const LatencyOptions& options, client::Client& client, Run& run,
                            LatencyHistogram& times) {
    std::vector<float> data(options.size);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 256);
    client::Request request = client::Request::reduce(data.data(), data.size(), TEGU_STAT_SUM);
    if (options.common.timeout > 0)
        request.deadline(static_cast<std::uint64_t>(options.common.timeout * 1e9));
    std::vector<InFlight> flying;
    std::uint64_t submitted = 0;
    for (bool more = true;;) {
        more = more && !run.ended(times) && (options.count == 0 || submitted < options.count);
        while (more && flying.size() < options.pipeline &&
               (options.count == 0 || submitted < options.count)) {
            const Clock::time_point start = Clock::now();
            Expected<std::uint64_t> id = client.submit(request);
            if (!id) return id.error();
            flying.push_back({*id, start});
            ++submitted;
        }
        if (flying.empty()) return {};
        client::Done done = client.wait_any(kSliceMs);
        const Clock::time_point now = Clock::now();
        if (!done.result && (done.id != 0 || done.result.error().status != TEGU_DEADLINE_EXCEEDED))
            return done.result.error();
        for (InFlight& job : flying) {
            if (job.id != done.id) continue;
            times.add(nanoseconds(now - job.start));
            job = flying.back();
            flying.pop_back();
            break;
        }
    }
}

std::string subject_text(const LatencyOptions& options) {
    if (options.intrinsic) return "gaps between two readings of the clock on this host, no server";
    if (options.size == 0) return "pings";
    return "sums of " + std::to_string(options.size) + " f32, " + std::to_string(options.pipeline) +
           " in flight";
}

Expected<void> report(const LatencyOptions& options, const LatencyHistogram& times, double elapsed_ns) {
    const double rate = static_cast<double>(times.count()) / elapsed_ns * 1e9;
    if (options.common.json) {
        Json json = begin_report("latency");
        json.key("count").integer(times.count()).key("seconds").number(elapsed_ns / 1e9);
        json.key("per_second")
            .number(rate)
            .key("pipeline")
            .integer(options.pipeline)
            .key("size")
            .integer(options.size);
        json.key("intrinsic").boolean(options.intrinsic).key("timing_us").begin_object();
        json.key("min").number(times.min_ns() / 1e3).key("avg").number(times.mean_ns() / 1e3);
        json.key("p50")
            .number(times.percentile_ns(0.5) / 1e3)
            .key("p90")
            .number(times.percentile_ns(0.9) / 1e3);
        json.key("p99")
            .number(times.percentile_ns(0.99) / 1e3)
            .key("max")
            .number(times.max_ns() / 1e3)
            .end_object();
        return finish_report(json);
    }
    Table table("rrrrrr");
    table.heading({"min", "avg", "p50", "p90", "p99", "max"});
    table.row({duration_text(times.min_ns()), duration_text(times.mean_ns()),
               duration_text(times.percentile_ns(0.5)), duration_text(times.percentile_ns(0.9)),
               duration_text(times.percentile_ns(0.99)), duration_text(times.max_ns())});
    return print(subject_text(options) + ": " + std::to_string(times.count()) + " in " +
                 duration_text(elapsed_ns) + ", " + number_text(std::floor(rate)) + " a second\n" +
                 table.text(stdout_has_colour()));
}

Expected<void> run_latency(const LatencyOptions& options) {
    catch_interrupt();
    Progress progress;
    LatencyHistogram times;
    if (options.intrinsic) {
        Run run(options, progress);
        measure_host(run, times);
        progress.clear();
        return report(options, times, run.elapsed_ns());
    }
    guard_timeout(options.common, "latency");
    Expected<client::Client> client = connect(options.common);
    if (!client) return client.error();
    Run run(options, progress);
    Expected<void> measured =
        options.size == 0 ? measure_pings(*client, run, times) : measure_jobs(options, *client, run, times);
    const double elapsed_ns = run.elapsed_ns();
    progress.clear();
    if (!measured) return measured;
    return report(options, times, elapsed_ns);
}

}  // namespace

Action setup_latency(CommandLine& line) {
    auto options = std::make_shared<LatencyOptions>();
    line.count("-c,--count", options->count, "Stop after this many round trips", 1);
    line.seconds("--seconds", options->seconds, "Stop after this long; Ctrl-C stops too [3]", 0.001);
    line.exclude("--seconds", "--count");
    line.count("--pipeline", options->pipeline, "Jobs in flight at once, 1 to 1024 [1]", 1, kMaxPipeline);
    line.count("--size", options->size,
               "Elements (f32) of each job, up to 16384; 0 for a ping without a job [1024]", 0, kMaxElements);
    line.flag("--intrinsic", options->intrinsic, "Measure this host alone, without a server");
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run_latency(*options); };
}

}  // namespace cli
}  // namespace tegu
