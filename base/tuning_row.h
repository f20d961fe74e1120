// SPDX-License-Identifier: Apache-2.0
// A tuning table as plain data: the launch policy of a class of jobs on a device, and the cost of such a job.
// config reads tables from files, kernels/tuning checks rows against a device and finds them, tegu-tune
// writes them. This file applies no rule.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tegu {

// The position of a value in its file, for messages: "FILE:LINE:COLUMN". line 0: not from a file.
struct SourceLocation {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
};

// Half-open: [begin, end). The default contains every number.
struct TuningRange {
    std::uint64_t begin = 0;
    std::uint64_t end = UINT64_MAX;

    bool contains(std::uint64_t value) const { return begin <= value && value < end; }
    friend bool operator==(const TuningRange& a, const TuningRange& b) {
        return a.begin == b.begin && a.end == b.end;
    }
};

enum class TuningBackend : std::uint8_t { Cpu, Cuda };

// The class of jobs of a row: operation, element width, number of segments, elements per segment, and one
// number of the parameters (the detail, see docs/tuning.md). A whole array is one segment; with Axis::Rows
// each row is one.
struct TuningClass {
    TuningBackend backend = TuningBackend::Cuda;
    std::string operation;  // the stem: "reduce"
    unsigned width = 0;     // bytes of an element: 1, 2, 4, 8; 0: any
    std::string type;       // "f32": this element type alone; empty: any of that width
    std::string variant;    // "distinct", "skip_nans", "mirror", or "plain": none of them; empty: any
    TuningRange sequences;
    TuningRange elements;  // of a segment
    TuningRange detail;
    TuningRange levels;  // levels of a pixel, for maps; other operations: any
};

// One field of a policy, by its name in the policy's struct ("threads_per_block"). A choice has a word
// ("method" = "slide").
struct TuningValue {
    std::string name;
    std::int64_t number = 0;
    std::string word;  // not empty: the value is a word, not a number
    SourceLocation where;
};

struct TuningEvidence {
    std::string provenance = "measured";  // or "model"
    double time_us = 0;                   // of the class's job with this policy; 0: not measured
    double default_us = 0;                // with the default policy, in the same run
    double noise = 0;                     // relative
    std::string date, driver, toolkit, power_mode;
    unsigned clock_mhz = 0;
};

struct TuningRow {
    std::string id;  // unique in its table; replies name it: "TABLE/ID"
    TuningClass jobs;
    unsigned revision = 0;            // of the kernels that were measured
    std::vector<TuningValue> policy;  // fields that are not named keep their defaults
    TuningEvidence evidence;
    SourceLocation where;
};

// The cost of a job on a backend: wall time on an otherwise idle machine, from the start on its thread to the
// complete result, data in place. Between two points the time is interpolated on logarithmic scales. Before
// the first point it is constant; behind the last it grows with the elements.
struct CostPoint {
    double elements = 0;  // of all segments
    double time_us = 0;
};
struct CostRow {
    TuningClass jobs;      // its ranges of segments and elements limit the points
    unsigned threads = 0;  // CPU: threads that the job may use; 0: the whole pool
    unsigned revision = 0;
    std::vector<CostPoint> points;  // elements ascending
    TuningEvidence evidence;
    SourceLocation where;
};

// The device of a table.
struct TuningDevice {
    std::string name;                 // from the driver ("NVIDIA H200") or the device tree
    unsigned compute_capability = 0;  // 90; 0: a table of the CPU alone
    unsigned multiprocessors = 0;     // 0: any device of this compute capability
    unsigned cpu_threads = 0;         // 0: any
};

// An ignored part of a table, with the reason: a row, or the table itself (then `row` is empty).
struct IgnoredRow {
    std::string table;  // its key
    std::string row;    // its id; "cost of reduce" for a cost
    SourceLocation where;
    std::string reason;
};
// "FILE:LINE:COLUMN: row reduce-w4-1e6 is ignored: policy.waves: waves is 0; allowed: 1 to 64": one line
// without control characters.
std::string ignored_text(const IgnoredRow& ignored);

struct TuningTable {
    std::string key;  // "nvidia-h200-132": the name of its file without ".toml"
    std::string path;
    TuningDevice device;
    std::vector<TuningRow> rows;
    std::vector<CostRow> costs;
};

}  // namespace tegu
