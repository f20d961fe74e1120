// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/operation.h"

#include <optional>

#include "tools/tegu/output/npy_output.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

struct PartCommand {
    JobOptions job;
    std::unique_ptr<Part> part;
};

Expected<void> has_arrays(const Operation& operation, const client::Result& result) {
    for (const std::uint8_t role : operation.roles())
        if (!result.find(role))
            return Error{TEGU_INTERNAL, 0, {}, {}, std::string("the reply lacks ") + tegu_role_word(role)};
    return {};
}

Expected<void> report(const JobOptions& options, const char* name, const Operation& operation,
                      const Finished& job) {
    if (!options.common.json)
        return print(input_lines(job) + operation.human(job) +
                     folded_text(closing_line(job), stdout_columns()));
    Json json = begin_report(name);
    add_job_report(json, job);
    operation.json(json, job);
    return finish_report(json);
}

}  // namespace

Expected<void> Operation::prepare(const InputHeader& header) {
    return require_two_dimensions(header, job_.by_rows() ? "--rows" : nullptr);
}

Expected<void> Operation::write(const Finished& job, OutputFile& file) const {
    std::vector<client::Array> arrays;
    for (std::size_t i = 0; i < job.result.count(); ++i) arrays.push_back(job.result.array(i));
    return write_npy(file, arrays, shape(job));
}

std::vector<std::uint64_t> Operation::shape(const Finished& job) const {
    if (!job_.by_rows()) return {};
    return {job.header().rows()};
}

Expected<void> run_operation(const JobOptions& options, std::uint16_t number, const char* name,
                             Operation& operation) {
    client::Request request(number);
    Expected<void> done = operation.fill(request.params);
    if (!done) return done;
    Expected<std::string> format = output_format(options, operation.formats());
    if (!format) return format.error();
    done = operation.check_format(*format);
    if (!done) return done;
    if (options.by_rows()) request.by_rows();

    std::optional<OutputFile> file;
    const auto prepare = [&](const InputHeader& header) -> Expected<void> {
        Expected<void> fits = operation.prepare(header);
        return fits && !format->empty() ? open_output(options.output, file) : fits;
    };
    Expected<Finished> job = run_job(options, name, request, prepare);
    if (!job) return job.error();
    job->format = std::move(*format);
    done = has_arrays(operation, job->result);
    if (!done) return done;
    if (file) done = operation.write(*job, *file);
    if (done) done = operation.write_more(*job);
    if (!done || (file && file->is_stdout())) return done;
    return report(options, name, operation, *job);
}

std::string column_text(const client::Array& array, bool by_rows, const std::string& unit) {
    const std::string tail = unit.empty() ? unit : " " + unit;
    Table table(by_rows ? "rr" : "lr");
    if (by_rows) table.heading({"row", array.word() + tail});
    for (std::uint64_t r = 0; r < array.rows; ++r)
        table.row(
            {by_rows ? std::to_string(r) : array.word(), element_text(array, r) + (by_rows ? "" : tail)});
    return table.text(by_rows && stdout_has_colour());
}

Action setup_part(CommandLine& line, const Command& one, const PartWords& words) {
    auto command = std::make_shared<PartCommand>();
    command->part = one.make_part(command->job);
    command->part->add_options(line, true);
    if (words.range != nullptr) add_range_option(line, command->job, words.range);
    add_axis_options(line, command->job);
    if (words.nans != nullptr) add_nan_option(line, command->job, words.nans);
    add_job_options(line, command->job);
    add_output_options(line, command->job, command->part->formats());
    return [command, name = one.name] {
        return run_operation(command->job, command->part->number(), name, *command->part);
    };
}

}  // namespace cli
}  // namespace tegu
