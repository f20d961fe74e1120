// SPDX-License-Identifier: Apache-2.0
#include "tools/field/run_command.h"

#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <thread>

#include "config/tuning_load.h"
#include "tools/bench/commit.h"
#include "tools/field/field_json.h"
#include "tools/field/runner.h"
#include "tools/options/finite.h"

namespace tegu::field {
namespace {

constexpr int kUsage = 64, kInterrupted = 130, kWrongResult = 70;
constexpr std::uint64_t kMaxMemory = std::uint64_t{2} << 30;  // of one case

std::atomic<bool> g_interrupted{false};

// The second signal ends the program at once.
void interrupt(int) {
    g_interrupted = true;
}

void catch_signals() {
    struct sigaction action {};
    action.sa_handler = interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) (void)sigaction(number, &action, nullptr);
}

struct CommandLine {
    RunOptions options;
    std::string output;
    std::string root = "/";
    std::string tuning;
    unsigned threads = 0;
    bool restart = false, list = false, quiet = false, no_gpu = false;
};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::vector<std::string> part_names() {
    std::vector<std::string> names;
    for (const Part& part : all_parts()) names.emplace_back(part.name);
    return names;
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const OperationInfo& info : operation_infos()) names.emplace_back(info.stem);
    return names;
}

void describe(CLI::App& app, CommandLine& line) {
    app.footer("A file that is there already is gone on with: what is in it is not measured again. Parts: " +
               joined(part_names()) + ".");
    app.add_option("-o,--output", line.output, "the file to write; one for each board")->type_name("FILE");
    app.add_option("-m,--minutes", line.options.minutes, "time allowed [10]")
        ->check(CLI::Range(0.01, 10000.0))
        ->check(finite());
    app.add_option("--operations", line.options.operations, "measure these alone, separated by commas")
        ->delimiter(',')
        ->type_name("WORD")
        ->check(CLI::IsMember(operation_names()).description(""));
    app.add_option("--parts", line.options.parts, "run these parts alone, separated by commas")
        ->delimiter(',')
        ->type_name("WORD")
        ->check(CLI::IsMember(part_names()).description(""));
    app.add_option("-t,--threads", line.threads, "threads of the CPU [all cores]")
        ->check(CLI::Range(1u, 1024u));
    app.add_flag("--no-gpu", line.no_gpu, "measure the CPU alone");
    app.add_flag("--quick", line.options.quick, "small inputs, one run of each: to see that all work");
    app.add_flag("--restart", line.restart, "replace the file in place of going on with it");
    app.add_flag("--list", line.list, "print the cases and run none");
    app.add_flag("-q,--quiet", line.quiet, "print nothing but errors");
    app.add_option("--tegud", line.options.tegud, "the daemon to start [beside this program]")
        ->type_name("FILE");
    app.add_option("--tuning", line.tuning, "folder of the tuning tables [those that came with tegu]")
        ->type_name("DIR");
    app.add_option("--root", line.root, "read the board's files below this folder [/]")->type_name("DIR");
}

// Everything that the parts use, in the order in which it is made.
struct Bench {
    device::DeviceList devices;
    std::optional<device::DeviceInfo> device;
    std::unique_ptr<GpuLab> lab;
    std::unique_ptr<board::BoardWatch> watch;
    std::unique_ptr<kernels::ThreadPool> pool;
    std::unique_ptr<InputStore> inputs;
    board::BoardIdentity identity;
    tuning::DeviceTuning tuning;
    std::string gpu_reason;  // why there is none
    std::uint64_t memory_bytes = 0;
    std::vector<std::string> notes;  // for people
};

void open_gpu(Bench& bench, board::BoardSource& source) {
    bench.devices = device::probe_devices();
    Result<device::DeviceInfo> device = device::choose_device(bench.devices, device::DeviceWish());
    if (!device) {
        bench.gpu_reason = bench.devices.reason.empty() ? device.error().message : bench.devices.reason;
        if (!bench.devices.devices.empty())
            bench.device = bench.devices.devices.front();  // named with its error
        return;
    }
    bench.device = *device;
    source.gpu_address = board::gpu_address(device->ordinal);
    Result<std::unique_ptr<GpuLab>> lab = GpuLab::open(*device);
    if (lab) {
        bench.lab = std::move(*lab);
    } else {
        bench.gpu_reason = lab.error().message;
        bench.device->unusable = lab.error().message;
    }
}

// The tables that the daemon of this machine would use.
void read_tuning(const CommandLine& line, const board::BoardSource& source, Bench& bench) {
    const std::string overlay = source.root + "/etc/tegud/tuning.toml";
    const config::TuningFiles files = config::load_tuning_files(
        line.tuning.empty() ? config::installed_tuning_directory() : line.tuning, overlay);
    tuning::TuningMachine machine;
    machine.has_gpu = bench.lab != nullptr;
    if (bench.lab != nullptr) {
        machine.device_name = bench.lab->info().name;
        machine.limits = bench.lab->limits();
    }
    machine.board_name = bench.identity.board;
    machine.cpu_name = bench.identity.cpu.name;
    machine.cpu_threads = bench.identity.cpu.cores;
    bench.tuning = tuning::DeviceTuning(machine, files.tables, files.overlay ? &*files.overlay : nullptr);
    for (const IgnoredRow& ignored : files.ignored) bench.notes.push_back(ignored_text(ignored));
    for (const IgnoredRow& ignored : bench.tuning.ignored()) bench.notes.push_back(ignored_text(ignored));
}

// The table that goes first, and how many rows of all tables are in use.
ProgramIdentity identify_program(const tuning::DeviceTuning& tuning) {
    ProgramIdentity program{TEGU_VERSION, TEGU_COMMIT, {}, 0};
    for (const tuning::TableUse& table : tuning.tables()) {
        if (program.tuning_key.empty()) program.tuning_key = table.key;
        program.tuning_rows += table.cuda_rows + table.cpu_rows;
    }
    return program;
}

Result<void> set_up(const CommandLine& line, Bench& bench) {
    board::BoardSource source;
    source.root = line.root;
    if (line.no_gpu)
        bench.gpu_reason = "--no-gpu";
    else
        open_gpu(bench, source);
    const device::DeviceInfo* const device = bench.device ? &*bench.device : nullptr;
    Result<board::BoardIdentity> identity = board::identify_board(source, device);
    if (!identity) return std::move(identity).error();
    bench.identity = std::move(*identity);
    Result<std::unique_ptr<board::BoardWatch>> watch = board::BoardWatch::open(source, device);
    if (!watch) return std::move(watch).error();
    bench.watch = std::move(*watch);
    const unsigned threads =
        line.threads != 0 ? line.threads : std::max(1u, std::thread::hardware_concurrency());
    bench.pool = std::make_unique<kernels::ThreadPool>(threads);
    read_tuning(line, source, bench);
    // A quarter of the free memory, so that the board does not swap.
    const std::uint64_t free = board::available_memory(source);
    bench.memory_bytes = free != 0 ? std::min(free / 4, kMaxMemory) : kMaxMemory / 8;
    bench.inputs = std::make_unique<InputStore>(*bench.pool, bench.memory_bytes / 2);
    return {};
}

std::uint64_t device_bytes(GpuLab* lab) {
    if (lab == nullptr) return 0;
    const Result<std::size_t> free = lab->gpu().free_bytes();
    return free ? std::min<std::uint64_t>(*free / 4, kMaxMemory) : 0;
}

std::vector<Part> wanted_parts(const RunOptions& options) {
    std::vector<Part> parts;
    for (const Part& part : all_parts())
        if (options.parts.empty() ||
            std::find(options.parts.begin(), options.parts.end(), part.name) != options.parts.end())
            parts.push_back(part);
    return parts;
}

int list_cases(PartContext& context, const std::vector<Part>& parts) {
    for (const Part& part : parts) {
        CaseList cases;
        part.declare(context, cases);
        for (const Case& one : cases.cases())
            std::printf("%s\t%s\t%s\n", part.name, one.backend.c_str(), one.name.c_str());
    }
    return 0;
}

int fail(const Error& error) {
    std::fprintf(stderr, "tegu-bench run: %s\n", error.message.c_str());
    return status_info(error.status).exit_code;
}

int report(const RunSummary& summary, const CommandLine& line) {
    for (const std::string& wrong : summary.wrong)
        std::fprintf(stderr, "tegu-bench run: wrong result: %s\n", wrong.c_str());
    if (!line.quiet) {
        std::fprintf(stderr, "%zu results in %.0f s", summary.measured, summary.seconds);
        if (summary.continued != 0) std::fprintf(stderr, ", %zu of runs before", summary.continued);
        if (summary.throttled != 0) std::fprintf(stderr, ", %zu throttled", summary.throttled);
        if (summary.skipped != 0) std::fprintf(stderr, ", %zu not possible here", summary.skipped);
        if (summary.no_time != 0)
            std::fprintf(stderr, ", %zu without time: the same command measures them", summary.no_time);
        std::fprintf(stderr, "\n%s%s\n", line.output.c_str(),
                     summary.stopped ? ": interrupted; the same command goes on" : "");
    }
    if (!summary.wrong.empty()) return kWrongResult;
    return summary.stopped ? kInterrupted : 0;
}

int run(const CommandLine& line) {
    Bench bench;
    Result<void> ready = set_up(line, bench);
    if (!ready) return fail(ready.error());
    PartContext context{line.options,       *bench.watch,
                        bench.tuning,       *bench.pool,
                        *bench.inputs,      bench.pool->threads(),
                        bench.lab.get(),    bench.devices,
                        bench.memory_bytes, device_bytes(bench.lab.get())};
    const std::vector<Part> parts = wanted_parts(line.options);
    if (line.list) return list_cases(context, parts);
    const FieldHead head{identity_json(bench.identity, identify_program(bench.tuning)),
                         options_json(line.options)};
    Result<Recorder> recorder =
        line.restart ? Recorder::replace(line.output, head) : Recorder::open(line.output, head);
    if (!recorder) return fail(recorder.error());
    catch_signals();
    Progress progress(line.quiet ? nullptr : stderr);
    for (const std::string& note : bench.notes) progress.note(note);
    if (bench.lab == nullptr) progress.note("the CPU alone: " + bench.gpu_reason);
    Runner runner(context, *recorder, progress, [] { return g_interrupted.load(); });
    const Result<RunSummary> summary = runner.run(parts);
    if (!summary) return fail(summary.error());
    return report(*summary, line);
}

}  // namespace

int run_command(int argc, const char* const* argv, const std::string& program, const std::string& tegud) {
    CommandLine line;
    line.options.program = program;
    line.options.tegud = tegud;
    CLI::App app("Measures what this board can do and writes it into one file, for tegu-bench compare.",
                 "tegu-bench run");
    describe(app, line);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (line.output.empty() && !line.list) {
        std::fprintf(stderr, "tegu-bench run: --output: name the file to write, such as board.json\n");
        return kUsage;
    }
    return run(line);
}

}  // namespace tegu::field
