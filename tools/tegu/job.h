// SPDX-License-Identifier: Apache-2.0
// The way of one job through the command: options of its input, reading, submitting, waiting with a sign of life, and the part of
// the report that all jobs share. Each operation adds its parameters and says its own results.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/tegu/input.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {

struct JobOptions {
    CommonOptions common;
    std::string input;  // a path, or "-"
    RawWords raw;
    std::string priority = "normal", backend = "auto";
    std::string output, format;  // -o and --format; empty: none
};

// Adds the input, its type and shape, priority, backend, and the common options.
void add_job_options(CommandLine& line, JobOptions& options);
// Adds -o and --format; `formats` lists the words for the help.
void add_output_options(CommandLine& line, JobOptions& options, const char* formats);

// A finished job.
struct Finished {
    InputHeader header;
    client::Result result;
    std::uint64_t read_ns = 0;  // reading the input into memory that the daemon can use
};

// Reads the input and runs `request` on it. `check` sees the header before the daemon is asked for anything.
Expected<Finished> run_job(const JobOptions& options, const char* operation, client::Request request,
                           const std::function<Expected<void>(const InputHeader&)>& check);

// "numbers.npy: 1000 i32 (npy)"
std::string input_line(const JobOptions& options, const InputHeader& header);
// "cpu, avx2 threads=2: computed in 1.2 ms (33.2 GB/s), queued 8 us, copied 0 ns, round trip 1.3 ms; read in 3 ms"
std::string closing_line(const Finished& job);
// Adds the keys shape, dtype, backend, policy and timing_us.
void add_job_report(Json& json, const Finished& job);

// Adds an array of a result: numbers of one row, or a list of rows if `by_rows`. Row r ends at lengths[r] if there are lengths.
void add_elements(Json& json, const client::Array& array, bool by_rows,
                  const std::optional<client::Array>& lengths = {});

// The output format of -o and --format: "npy", "pgm" or "png"; empty without -o. `allowed`: words, separated by blanks.
Expected<std::string> output_format(const JobOptions& options, const std::string& allowed);

}  // namespace cli
}  // namespace tegu
