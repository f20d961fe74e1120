// SPDX-License-Identifier: Apache-2.0
// Time to the first result of a new process, which computes one small sum itself or through a running daemon.
// Each sample starts this program again, as `tegu-bench first-result` (first_result.h).
#include <memory>

#include "tools/bench/private_daemon.h"
#include "tools/field/first_result.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

constexpr std::size_t kFewestStarts = 5, kMaxStarts = 50;

struct Daemon {
    std::unique_ptr<bench::PrivateDaemon> running;
};

// Samples of `pick` of each start.
Result<std::vector<double>> start_again(double seconds, const std::string& program,
                                        const std::vector<std::string>& how, double FirstResultTimes::*pick) {
    std::vector<double> samples;
    double spent = 0;
    const std::size_t fewest = seconds > 0 ? kFewestStarts : 1;
    while (samples.size() < fewest || (spent < seconds && samples.size() < kMaxStarts)) {
        const Result<FirstResultTimes> times = start_first_result(program, how);
        if (!times) return times.error();
        samples.push_back((*times).*pick);
        spent += times->whole_s;
    }
    return samples;
}

// Its result is compared there.
Result<void> start_once(const std::string& program, const std::vector<std::string>& how) {
    const Result<FirstResultTimes> times = start_first_result(program, how);
    if (!times) return times.error();
    return {};
}

Case described(const char* name, const char* backend, const char* method) {
    Case one;
    one.name = name;
    one.operation = "reduce";
    one.backend = backend;
    one.method = method;
    one.axes = {{"type", std::string("f32")}, {"elements", std::int64_t{kFirstResultElements}}};
    one.priority = 0;
    return one;
}

void add_alone(PartContext& context, const char* backend, CaseList& cases) {
    const std::string program = context.options.program;
    const bool on_gpu = std::string(backend) == "cuda";
    const std::vector<std::string> how = {on_gpu ? "gpu" : "cpu"};
    Case one = described("new process to first result, alone", backend,
                         on_gpu ? "a CUDA context of its own" : "the CPU backend in its own process");
    one.check = [program, how] { return start_once(program, how); };
    one.sample = [program, how](double seconds) {
        return start_again(seconds, program, how, &FirstResultTimes::whole_s);
    };
    cases.add(std::move(one));
    if (!on_gpu) return;
    Case made = described("making a CUDA context", "cuda", "probe and context, within a new process");
    made.sample = [program, how](double seconds) {
        return start_again(seconds, program, how, &FirstResultTimes::context_s);
    };
    cases.add(std::move(made));
}

void add_through_daemon(PartContext& context, const char* backend, CaseList& cases) {
    const auto daemon = std::make_shared<Daemon>();
    const std::string program = context.options.program, tegud = context.options.tegud;
    const unsigned threads = context.threads;
    const bool on_gpu = std::string(backend) == "cuda";
    Case one = described("new process to first result, through the daemon", backend,
                         "libtegu and a tegud that is warm");
    one.prepare = [daemon, tegud, threads](Case&) -> Result<void> {
        Result<bench::PrivateDaemon> started =
            bench::PrivateDaemon::start(tegud, threads, "backend = \"auto\"\n");
        if (!started) return std::move(started).error();
        daemon->running = std::make_unique<bench::PrivateDaemon>(std::move(*started));
        return {};
    };
    const auto how = [daemon, on_gpu] {
        return std::vector<std::string>{on_gpu ? "daemon-gpu" : "daemon-cpu", daemon->running->socket_path()};
    };
    one.check = [program, how] { return start_once(program, how()); };
    one.sample = [program, how](double seconds) {
        return start_again(seconds, program, how(), &FirstResultTimes::whole_s);
    };
    cases.add(std::move(one));
}

}  // namespace

void add_coldstart_cases(PartContext& context, CaseList& cases) {
    if (!context.options.wants("reduce")) return;
    std::vector<const char*> backends = {"cpu"};
    if (context.gpu != nullptr && context.gpu->has_kernels()) backends.push_back("cuda");
    for (const char* const backend : backends) {
        add_alone(context, backend, cases);
        add_through_daemon(context, backend, cases);
    }
    Case ready;
    ready = described("start of the daemon until it is ready", "cpu", "tegud by itself");
    ready.operation = "start";
    const std::string tegud = context.options.tegud;
    const unsigned threads = context.threads;
    ready.sample = [tegud, threads](double seconds) -> Result<std::vector<double>> {
        std::vector<double> samples;
        double spent = 0;
        while (samples.size() < (seconds > 0 ? kFewestStarts : 1) ||
               (spent < seconds && samples.size() < kMaxStarts)) {
            const Result<bench::PrivateDaemon> daemon = bench::PrivateDaemon::start(tegud, threads);
            if (!daemon) return daemon.error();
            samples.push_back(daemon->ready_ns() * 1e-9);
            spent += samples.back();
        }
        return samples;
    };
    cases.add(std::move(ready));
}

}  // namespace tegu::field
