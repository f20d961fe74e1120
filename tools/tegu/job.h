// SPDX-License-Identifier: Apache-2.0
// Runs one job of the command: input options, reading, submitting, waiting with progress, and the common part
// of the report. Each operation adds its parameters and the output of its results (tools/tegu/operation.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/tegu/input.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {

struct JobOptions {
    CommonOptions common;
    std::string input, second;  // a path, or "-"; second: empty for operations on one array
    RawWords raw;
    std::string priority = "normal", backend = "auto";
    std::string output, format;  // -o and --format; empty: none
    std::string axis = "whole";
    bool rows = false;  // --rows
    bool skip_nans = false;
    std::string range;  // "LO,HI" of --range; empty: none

    bool by_rows() const { return rows || axis == "rows"; }
};

// Adds the input, its type and shape, priority, backend, and the common options.
void add_job_options(CommandLine& line, JobOptions& options);
// The same for an operation on two arrays, x and y.
void add_job_options_of_two(CommandLine& line, JobOptions& options);
// Adds -o and --format; `formats`: words, separated by blanks.
void add_output_options(CommandLine& line, JobOptions& options, const char* formats);
// Adds --rows and --axis.
void add_axis_options(CommandLine& line, JobOptions& options);
// Add --skip-nans and --range: which operations have them, and what they mean there, differs.
void add_nan_option(CommandLine& line, JobOptions& options, const std::string& help);
void add_range_option(CommandLine& line, JobOptions& options, const std::string& help);

// A finished job.
struct Finished {
    std::vector<InputHeader> headers;  // of the inputs; at least one, all of one type and shape
    std::string format;                // of the file of -o; empty: none
    client::Result result;
    std::uint64_t read_ns = 0;  // reading the inputs into memory that the daemon can use

    const InputHeader& header() const { return headers.front(); }
    // REQUIRES: the result has an array of this role.
    client::Array array(std::uint8_t role) const { return *result.find(role); }
};

// Reads the inputs and runs `request` on them. `check` sees the header before the daemon is asked for
// anything.
Expected<Finished> run_job(const JobOptions& options, const char* operation, client::Request request,
                           const std::function<Expected<void>(const InputHeader&)>& check);

// "numbers.npy: 1000 i32 (npy)", a line for each input.
std::string input_lines(const Finished& job);
// "cpu, avx2 threads=2: computed in 1.2 ms (33.2 GB/s), queued 8 us, copied 0 ns, round trip 1.3 ms; read in
// 3 ms"
std::string closing_line(const Finished& job);
// Adds the keys shape, dtype, backend, policy and timing_us.
void add_job_report(Json& json, const Finished& job);

// Adds an array of a result: numbers of one row, or a list of rows if `by_rows`. Row r ends at lengths[r] if
// there are lengths.
void add_elements(Json& json, const client::Array& array, bool by_rows,
                  const std::optional<client::Array>& lengths = {});
// Adds an array of one cell a row: the cell, or a list of cells if `by_rows`. A cell is a number, or a list
// if it has several.
void add_cells(Json& json, const client::Array& array, bool by_rows);

// The output format of -o and --format: "npy", "pgm" or "png"; empty without -o. `allowed`: words, separated
// by blanks.
Expected<std::string> output_format(const JobOptions& options, const std::string& allowed);

}  // namespace cli
}  // namespace tegu
