// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/job.h"

#include <algorithm>
#include <chrono>

#include "tools/tegu/archive.h"
#include "tools/tegu/outlook.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kFileHelp =
    "A .npy, .npz (as x.npz:name), .png, .jpg, .tif, .pgm or .ppm file, raw elements with --dtype, or - for "
    "stdin";
constexpr int kSliceMs = 200;  // how often a waiting command shows that it lives

std::uint64_t nanoseconds_since(Clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

std::uint8_t priority_of(const std::string& word) {
    return word == "high" ? TEGU_PRIORITY_HIGH : word == "low" ? TEGU_PRIORITY_LOW : TEGU_PRIORITY_NORMAL;
}

std::uint8_t backend_of(const std::string& word) {
    return word == "cpu" ? TEGU_BACKEND_CPU : word == "gpu" ? TEGU_BACKEND_GPU : TEGU_BACKEND_AUTO;
}

const char* backend_word(int backend) {
    return backend == TEGU_BACKEND_CPU ? "cpu" : backend == TEGU_BACKEND_GPU ? "gpu" : "none";
}

// "2 x 3 i16"
std::string what_it_holds(const InputHeader& header) {
    return shape_text(header.array.shape) + " " + tegu_element_word(header.array.type);
}

// Opens the inputs and reads their headers into `job`. Two inputs must be of one type and shape.
Expected<std::vector<Source>> open_inputs(const JobOptions& options, Finished& job, Progress& progress) {
    std::vector<std::string> paths = {options.input};
    if (!options.second.empty()) paths.push_back(options.second);
    if (options.input == "-" && options.second == "-")
        return failure(kUsage, "x and y cannot both be stdin", "y", "a file, if x is -");
    std::vector<Source> sources;
    for (const std::string& path : paths) {
        Expected<Source> source = open_input(path, !options.raw.dtype.empty(), progress);
        if (!source) return source.error();
        Expected<InputHeader> header = read_header(*source, options.raw);
        if (!header) return header.error();
        sources.push_back(std::move(*source));
        job.headers.push_back(std::move(*header));
    }
    const formats::ArrayHeader &x = job.headers.front().array, &y = job.headers.back().array;
    if (x.type == y.type && x.shape == y.shape) return sources;
    const std::string wanted = what_it_holds(job.headers.front());
    return failure(kDataError,
                   sources[1].name() + " holds " + what_it_holds(job.headers.back()) + ", " +
                       sources[0].name() + " holds " + wanted,
                   "inputs[1]", wanted);
}

// How elements are read, and where and when the job runs.
void add_way_options(CommandLine& line, JobOptions& options) {
    line.text("--dtype", options.raw.dtype, "TYPE",
              "Raw elements of this type: " + element_type_words() + "; or as in NumPy: float32, <f4");
    line.flag("--raw", options.raw.raw, "Raw elements even of a file that has a header of its own");
    line.need("--raw", "--dtype");
    line.text("--shape", options.raw.shape, "SHAPE",
              "Shape of raw elements, as 1000 or 480x640 [all of the file]");
    line.word("--priority", options.priority, {"high", "normal", "low"}, "high, normal or low [normal]");
    line.word("--backend", options.backend, {"auto", "cpu", "gpu"},
              "What must run it: auto, cpu or gpu [auto]");
    add_common_options(line, options.common, 0);
}

Expected<client::Result> submit_and_wait(client::Client& client, const client::Request& request,
                                         Progress& progress) {
    Expected<std::uint64_t> id = client.submit(request);
    if (!id) return id.error();
    const Clock::time_point start = Clock::now();
    std::optional<Outlook> outlook;
    for (;;) {
        client::Done done = client.wait_any(kSliceMs);
        if (done.id != 0 || done.result.ok()) return std::move(done.result);
        if (done.result.error().status != TEGU_DEADLINE_EXCEEDED) return std::move(done.result);
        if (!progress.due()) continue;
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        progress.line(waiting_text(seconds, outlook));  // at once: a daemon that hangs answers no question
        const Expected<std::vector<client::Field>> fields = client.stats();
        if (!fields) continue;
        const std::optional<Outlook> now = outlook_of(*fields);
        // The daemon raises the prediction of a job that has outrun it: the first one stands.
        if (!now || !now->alone || !outlook || !outlook->alone) outlook = now;
        progress.line(waiting_text(seconds, outlook));
    }
}

}  // namespace

void add_job_options(CommandLine& line, JobOptions& options) {
    line.text("input", options.input, "FILE", kFileHelp);
    line.require("input");
    add_way_options(line, options);
}

void add_job_options_of_two(CommandLine& line, JobOptions& options) {
    line.text("x", options.input, "FILE", kFileHelp);
    line.text("y", options.second, "FILE", "Another of the same type and shape");
    line.require("x");
    line.require("y");
    add_way_options(line, options);
}

void add_axis_options(CommandLine& line, JobOptions& options) {
    line.word("--axis", options.axis, {"whole", "rows"},
              "The array as one sequence, or rows: each by itself [whole]");
    line.flag("--rows", options.rows, "Of each row by itself: short for --axis rows");
}

void add_nan_option(CommandLine& line, JobOptions& options, const std::string& help) {
    line.flag("--skip-nans", options.skip_nans, help);
}

void add_range_option(CommandLine& line, JobOptions& options, const std::string& help) {
    line.text("--range", options.range, "LO,HI", help);
}

void add_output_options(CommandLine& line, JobOptions& options, const char* formats) {
    std::string words = formats;
    for (std::size_t at = 0; (at = words.find(' ', at)) != std::string::npos; at += 2)
        words.replace(at, 1, ", ");
    line.text("-o,--output", options.output, "FILE",
              "Write the result to this file (" + words + "); - for stdout");
    line.text("--format", options.format, "WORD", "Format of the output file, if its name does not say");
}

Expected<Finished> run_job(const JobOptions& options, const char* operation, client::Request request,
                           const std::function<Expected<void>(const InputHeader&)>& check) {
    Progress progress;
    Finished job;
    Expected<std::vector<Source>> sources = open_inputs(options, job, progress);
    if (!sources) return sources.error();
    Expected<void> checked = check(job.header());
    if (!checked) return checked.error();

    guard_timeout(options.common, operation);
    Expected<client::Client> client = connect(options.common);
    if (!client) return client.error();
    const Clock::time_point start = Clock::now();
    std::vector<InputData> inputs;
    for (std::size_t i = 0; i < sources->size(); ++i) {
        Expected<InputData> data = InputData::read((*sources)[i], job.headers[i], *client, progress);
        if (!data) return data.error();
        inputs.push_back(std::move(*data));
    }
    job.read_ns = nanoseconds_since(start);

    request.shape(job.header().array.type, job.header().rows(), job.header().cols());
    for (std::size_t i = 0; i < inputs.size(); ++i) request.inputs[i] = inputs[i].operand();
    request.priority = priority_of(options.priority);
    request.backend = backend_of(options.backend);
    if (options.common.timeout > 0) {
        const auto whole = static_cast<std::uint64_t>(options.common.timeout * 1e9);
        request.deadline(std::max<std::uint64_t>(whole, job.read_ns + 1) - job.read_ns);
    }
    Expected<client::Result> result = submit_and_wait(*client, request, progress);
    if (!result) return result.error();
    job.result = std::move(*result);
    return job;
}

std::string input_lines(const Finished& job) {
    std::string text;
    for (const InputHeader& header : job.headers)
        text += header.name + ": " + what_it_holds(header) + " (" + header.format_word() + ")\n";
    return text;
}

std::string closing_line(const Finished& job) {
    const tegu_timing timing = job.result.timing();
    const auto text = [](std::uint64_t nanoseconds) {
        return duration_text(static_cast<double>(nanoseconds));
    };
    const double bytes =
        static_cast<double>(job.header().array.bytes) * static_cast<double>(job.headers.size());
    std::string policy = job.result.policy();
    const std::string backend = backend_word(job.result.backend());
    if (policy.compare(0, backend.size(), backend) != 0)
        policy = policy.empty() ? backend : backend + " " + policy;
    return policy + ": computed in " + text(timing.compute_ns) + " (" +
           rate_text(bytes, static_cast<double>(timing.compute_ns)) + "), queued " + text(timing.queue_ns) +
           ", copied " + text(timing.copy_ns) + ", round trip " + text(timing.round_trip_ns) +
           ", input read in " + text(job.read_ns) + "\n";
}

void add_job_report(Json& json, const Finished& job) {
    const tegu_timing timing = job.result.timing();
    const auto us = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; };
    json.key("dtype").text(tegu_element_word(job.header().array.type)).key("shape").begin_array();
    for (const std::uint64_t extent : job.header().array.shape) json.integer(extent);
    json.end_array();
    json.key("backend").text(backend_word(job.result.backend())).key("policy").text(job.result.policy());
    json.key("timing_us").begin_object();
    json.key("queue").number(us(timing.queue_ns)).key("copy").number(us(timing.copy_ns));
    json.key("compute").number(us(timing.compute_ns)).key("round_trip").number(us(timing.round_trip_ns));
    json.key("read").number(us(job.read_ns)).end_object();
}

void add_elements(Json& json, const client::Array& array, bool by_rows,
                  const std::optional<client::Array>& lengths) {
    if (by_rows) json.begin_array();
    for (std::uint64_t r = 0; r < array.rows; ++r) {
        const std::uint64_t length =
            lengths ? std::min(array.cols, lengths->as<std::uint64_t>()[r]) : array.cols;
        json.begin_array();
        for (std::uint64_t c = 0; c < length; ++c) json.element(array, r * array.cols + c);
        json.end_array();
    }
    if (by_rows) json.end_array();
}

void add_cells(Json& json, const client::Array& array, bool by_rows) {
    if (by_rows) json.begin_array();
    for (std::uint64_t r = 0; r < array.rows; ++r) {
        if (array.cols != 1) json.begin_array();
        for (std::uint64_t c = 0; c < array.cols; ++c) json.element(array, r * array.cols + c);
        if (array.cols != 1) json.end_array();
    }
    if (by_rows) json.end_array();
}

Expected<std::string> output_format(const JobOptions& options, const std::string& allowed) {
    if (options.output.empty()) {
        if (!options.format.empty()) return failure(kUsage, "--format needs -o", "--format");
        return std::string();
    }
    if (options.output == "-" && options.common.json)
        return failure(kUsage, "-o - and --json both want stdout", "-o");
    std::string word = options.format;
    if (word.empty() && options.output == "-") word = "npy";
    if (word.empty()) {
        const std::size_t dot = options.output.rfind('.');
        if (dot != std::string::npos && options.output.find('/', dot) == std::string::npos)
            word = options.output.substr(dot + 1);
    }
    if (word.empty() || word.find(' ') != std::string::npos ||
        (" " + allowed + " ").find(" " + word + " ") == std::string::npos) {
        return options.format.empty()
                   ? usage_error("-o", options.output,
                                 "a name that ends in one of: " + allowed + "; or --format")
                   : usage_error("--format", word, allowed);
    }
    return word;
}

}  // namespace cli
}  // namespace tegu
