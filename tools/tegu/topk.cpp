// SPDX-License-Identifier: Apache-2.0
// tegu topk: the k best values, best first, and their indices in the array or in each row.
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
    std::uint64_t k = 0;
    bool smallest = false, distinct = false, rows = false;
};

struct Arrays {
    client::Array values, indices;
    std::optional<client::Array> counts;  // distinct: how much of each row is filled

    std::uint64_t length(std::uint64_t row) const {
        return counts ? std::min(values.cols, counts->as<std::uint64_t>()[row]) : values.cols;
    }
};

Expected<Arrays> arrays_of(const client::Result& result) {
    const std::optional<client::Array> values = result.find(TEGU_ROLE_VALUES), indices = result.find(TEGU_ROLE_INDICES);
    if (!values || !indices) return Error{TEGU_INTERNAL, 0, {}, {}, "the reply lacks values or indices"};
    return Arrays{*values, *indices, result.find(TEGU_ROLE_COUNTS)};
}

std::string human_whole(const Arrays& arrays, const InputHeader& header) {
    const bool places = header.array.shape.size() == 2;
    Table table(places ? "rrrrr" : "rrr");
    std::vector<std::string> heading = {"rank", "value", "index"};
    if (places) heading.insert(heading.end(), {"row", "column"});
    table.heading(std::move(heading));
    for (std::uint64_t i = 0; i < arrays.length(0); ++i) {
        const std::int64_t index = arrays.indices.as<std::int64_t>()[i];
        std::vector<std::string> cells = {std::to_string(i + 1), element_text(arrays.values, i), std::to_string(index)};
        const auto cols = static_cast<std::int64_t>(header.cols());
        if (places && cols > 0) cells.insert(cells.end(), {std::to_string(index / cols), std::to_string(index % cols)});
        table.row(std::move(cells));
    }
    return table.text(stdout_has_colour());
}

std::string human_rows(const Arrays& arrays) {
    Table table("rrrr");
    table.heading({"row", "rank", "value", "index"});
    for (std::uint64_t r = 0; r < arrays.values.rows; ++r) {
        for (std::uint64_t i = 0; i < arrays.length(r); ++i) {
            const std::uint64_t at = r * arrays.values.cols + i;
            table.row({std::to_string(r), std::to_string(i + 1), element_text(arrays.values, at),
                       element_text(arrays.indices, at)});
        }
    }
    return table.text(stdout_has_colour());
}

Expected<void> report(const Options& options, const Finished& job, const Arrays& arrays) {
    if (!options.job.common.json) {
        return print(input_line(options.job, job.header) +
                     (options.rows ? human_rows(arrays) : human_whole(arrays, job.header)) + closing_line(job));
    }
    Json json = begin_report("topk");
    add_job_report(json, job);
    json.key("values");
    add_elements(json, arrays.values, options.rows, arrays.counts);
    json.key("indices");
    add_elements(json, arrays.indices, options.rows, arrays.counts);
    return finish_report(json);
}

Expected<void> run(const Options& options) {
    Expected<std::string> format = output_format(options.job, "npy");
    if (!format) return format.error();
    client::Request request = client::Request::topk(options.k, !options.smallest, options.distinct);
    if (options.rows) request.by_rows();
    std::optional<OutputFile> file;
    const auto prepare = [&](const InputHeader& header) -> Expected<void> {
        Expected<void> fits = require_two_dimensions(header, options.rows ? "--rows" : nullptr);
        return fits && !format->empty() ? open_output(options.job, file) : fits;
    };
    Expected<Finished> job = run_job(options.job, "topk", request, prepare);
    if (!job) return job.error();
    Expected<Arrays> arrays = arrays_of(job->result);
    if (!arrays) return arrays.error();
    if (file) {
        std::vector<std::uint64_t> shape = {arrays->values.cols};
        if (options.rows) shape.insert(shape.begin(), arrays->values.rows);
        Expected<void> written = write_npy(*file, {arrays->values, arrays->indices}, shape);
        if (!written || file->is_stdout()) return written;
    }
    return report(options, *job, *arrays);
}

}  // namespace

Action setup_topk(CommandLine& line) {
    auto options = std::make_shared<Options>();
    line.count("-k", options->k, "How many; 1 to the number of elements (of a row)");
    line.require("-k");
    line.flag("--smallest", options->smallest, "The smallest instead of the largest");
    line.flag("--distinct", options->distinct, "Each value once, with its first index");
    line.flag("--rows", options->rows, "Of each row by itself");
    add_job_options(line, options->job);
    add_output_options(line, options->job, "npy");
    return [options] { return run(*options); };
}

}  // namespace cli
}  // namespace tegu
