// SPDX-License-Identifier: Apache-2.0
// tegu reduce: any set of statistics of an array, of the whole or of each row.
#include <memory>

#include "tools/tegu/command.h"
#include "tools/tegu/job.h"
#include "tools/tegu/npy_output.h"
#include "tools/tegu/terminal.h"
#include "tools/tegu/text.h"

namespace tegu {
namespace cli {
namespace {

struct Options {
    JobOptions job;
    std::string stats = "count,sum,mean,std,min,max";
    bool rows = false, skip_nans = false;
    std::uint64_t ddof = 0;
};

std::string all_statistics() {
    std::string words;
    for (std::uint8_t role = 1; role < TEGU_ROLE_VALUES; ++role)
        if (const char* word = tegu_role_word(role)) words += (words.empty() ? "" : " ") + std::string(word);
    return words;
}

// "sum,std" or "all" as a set of TEGU_STAT_*.
Expected<std::uint32_t> parse_statistics(const std::string& words) {
    std::uint32_t set = 0;
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t end = std::min(words.find(',', begin), words.size());
        const std::string word = words.substr(begin, end - begin);
        const std::uint32_t bit = client::find_statistic(word);
        if (bit == 0 && word != "all") return usage_error("--stats", word, "all, or some of: " + all_statistics());
        set |= bit;
        for (std::uint8_t role = 1; word == "all" && role < TEGU_ROLE_VALUES; ++role)
            if (tegu_role_word(role) != nullptr) set |= 1u << (role - 1);
        begin = end + 1;
    }
    return set;
}

// minmax is one cell of two numbers.
std::string cell(const client::Array& array, std::uint64_t row) {
    std::string text;
    for (std::uint64_t c = 0; c < array.cols; ++c)
        text += (c == 0 ? "" : " .. ") + element_text(array, row * array.cols + c);
    return text;
}

std::string human_whole(const client::Result& result) {
    Table table("lr");
    for (std::size_t i = 0; i < result.count(); ++i) table.row({result.array(i).word(), cell(result.array(i), 0)});
    return table.text(false);
}

std::string human_rows(const client::Result& result) {
    std::vector<std::string> heading = {"row"};
    for (std::size_t i = 0; i < result.count(); ++i) heading.push_back(result.array(i).word());
    Table table(std::string(heading.size(), 'r'));
    table.heading(std::move(heading));
    const std::uint64_t rows = result.count() != 0 ? result.array(0).rows : 0;
    for (std::uint64_t r = 0; r < rows; ++r) {
        std::vector<std::string> cells = {std::to_string(r)};
        for (std::size_t i = 0; i < result.count(); ++i) cells.push_back(cell(result.array(i), r));
        table.row(std::move(cells));
    }
    return table.text(stdout_has_colour());
}

void add_statistic(Json& json, const client::Array& array, bool by_rows) {
    if (by_rows) json.begin_array();
    for (std::uint64_t r = 0; r < array.rows; ++r) {
        if (array.cols != 1) json.begin_array();
        for (std::uint64_t c = 0; c < array.cols; ++c) json.element(array, r * array.cols + c);
        if (array.cols != 1) json.end_array();
    }
    if (by_rows) json.end_array();
}

Expected<void> report(const Options& options, const Finished& job) {
    if (!options.job.common.json) {
        return print(input_line(options.job, job.header) +
                     (options.rows ? human_rows(job.result) : human_whole(job.result)) + closing_line(job));
    }
    Json json = begin_report("reduce");
    add_job_report(json, job);
    json.key("stats").begin_object();
    for (std::size_t i = 0; i < job.result.count(); ++i) {
        json.key(job.result.array(i).word());
        add_statistic(json, job.result.array(i), options.rows);
    }
    json.end_object();
    return finish_report(json);
}

// One element a row; without --rows a scalar. Several statistics become the fields of a structured array.
Expected<void> write_output(const Options& options, const client::Result& result, OutputFile& file) {
    std::vector<client::Array> arrays;
    for (std::size_t i = 0; i < result.count(); ++i) arrays.push_back(result.array(i));
    std::vector<std::uint64_t> shape;
    if (options.rows) shape.push_back(arrays.empty() ? 0 : arrays[0].rows);
    return write_npy(file, arrays, shape);
}

Expected<void> run(const Options& options) {
    Expected<std::uint32_t> statistics = parse_statistics(options.stats);
    if (!statistics) return statistics.error();
    Expected<std::string> format = output_format(options.job, "npy");
    if (!format) return format.error();
    client::Request request = client::Request::reduce(*statistics);
    request.params.reduce.skip_nans = options.skip_nans ? 1 : 0;
    request.params.reduce.ddof = static_cast<std::uint32_t>(options.ddof);
    if (options.rows) request.by_rows();

    std::optional<OutputFile> file;
    const auto prepare = [&](const InputHeader& header) -> Expected<void> {
        Expected<void> fits = require_two_dimensions(header, options.rows ? "--rows" : nullptr);
        return fits && !format->empty() ? open_output(options.job, file) : fits;
    };
    Expected<Finished> job = run_job(options.job, "reduce", request, prepare);
    if (!job) return job.error();
    if (file) {
        Expected<void> written = write_output(options, job->result, *file);
        if (!written || file->is_stdout()) return written;
    }
    return report(options, *job);
}

}  // namespace

Action setup_reduce(CommandLine& line) {
    auto options = std::make_shared<Options>();
    line.text("--stats", options->stats, "WORD,...",
              "Some of: " + all_statistics() + "; or all [" + options->stats + "]");
    line.flag("--rows", options->rows, "Of each row by itself");
    line.flag("--skip-nans", options->skip_nans, "Leave NaN elements out of everything but nans");
    line.count("--ddof", options->ddof, "var and std divide by count - ddof; 0 or 1 [0]", 0, UINT32_MAX);
    add_job_options(line, options->job);
    add_output_options(line, options->job, "npy");
    return [options] { return run(*options); };
}

}  // namespace cli
}  // namespace tegu
