// SPDX-License-Identifier: Apache-2.0
// An operation of the command: parameters from options, and the output of the result arrays as text, JSON and
// file. run_operation() does the common part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/tegu/command.h"
#include "tools/tegu/job.h"
#include "tools/tegu/output/output_file.h"

namespace tegu {
namespace cli {

class Operation {
  public:
    virtual ~Operation() = default;
    // Options to parameters. What these point to lives as long as this object. Errors: kUsage.
    virtual Expected<void> fill(tegu_params& params) = 0;
    // Words that -o takes, separated by blanks.
    virtual const char* formats() const { return "npy"; }
    // Checks the options that depend on the format of the output; empty: no output.
    virtual Expected<void> check_format(const std::string&) const { return {}; }
    // Receives the header of the input before the first request to the daemon.
    virtual Expected<void> prepare(const InputHeader& header);
    // The arrays that the result must have. The functions below see results that have them.
    virtual std::vector<std::uint8_t> roles() const = 0;
    virtual std::string human(const Finished& job) const = 0;
    // Adds keys and values.
    virtual void json(Json& json, const Finished& job) const = 0;
    // Writes and commits the file of -o. By default all arrays of the result, as .npy of shape().
    virtual Expected<void> write(const Finished& job, OutputFile& file) const;
    // Writes and commits the files of other options.
    virtual Expected<void> write_more(const Finished&) { return {}; }

  protected:
    // `job` outlives this.
    explicit Operation(const JobOptions& job) : job_(job) {}
    // Of the .npy: by default one element a row, or a scalar.
    virtual std::vector<std::uint64_t> shape(const Finished& job) const;

    const JobOptions& job_;
};

// The way of a command from its options to its report. `number`: TEGU_REDUCE, ...; `name` as on the command
// line.
Expected<void> run_operation(const JobOptions& options, std::uint16_t number, const char* name,
                             Operation& operation);

// A command of one operation: the options of its job, and what the operation makes of them.
template <class Op>
struct OperationCommand {
    JobOptions job;
    Op operation{job};
};
template <class Op>
Action action_of(std::shared_ptr<OperationCommand<Op>> command, std::uint16_t number, const char* name) {
    return [=] { return run_operation(command->job, number, name, command->operation); };
}

// An operation that can be part of a fused job. A part is selected by its main option.
class Part : public Operation {
  public:
    virtual std::uint16_t number() const = 0;
    virtual bool wanted() const = 0;
    // The main option and those that mean something to this operation only. `alone`: of a command of its own,
    // with the defaults of that.
    virtual void add_options(CommandLine& line, bool alone) = 0;

  protected:
    using Operation::Operation;
};
// What --skip-nans and --range mean to a part; null: it has no such option.
struct PartWords {
    const char* nans = nullptr;
    const char* range = nullptr;
};
// The options of a command of one part alone.
Action setup_part(CommandLine& line, const Command& one, const PartWords& words);

template <class Op>
std::unique_ptr<Part> make_part(const JobOptions& job) {
    return std::make_unique<Op>(job);
}

// "2 to 256": the range of a parameter that is a whole number.
template <class Params, class T>
std::string range_text(T Params::*member) {
    std::string text;
    for_each_parameter<Params>([&](const auto& parameter) {
        if constexpr (std::is_same_v<std::decay_t<decltype(parameter)>, Number<Params, T>>)
            if (parameter.member == member)
                text = std::to_string(parameter.min) + " to " + std::to_string(parameter.max);
    });
    return text;
}

// For people: an array of one number a row, with its word and unit. Without `by_rows` one line, else a table.
std::string column_text(const client::Array& array, bool by_rows, const std::string& unit = {});

// A count that was not given.
constexpr std::uint64_t kNotGiven = UINT64_MAX;

}  // namespace cli
}  // namespace tegu
