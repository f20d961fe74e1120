// SPDX-License-Identifier: Apache-2.0
// Records of a field file: one for each measured case, each board reading and each skipped case.
// docs/field.md describes the file. Times are seconds, and rates follow from them; an unknown value is
// missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/board/watch.h"

namespace tegu::field {

// The varied properties of a case, by name: {"elements", 10000000}, {"type", "f32"}.
using AxisValue = std::variant<std::int64_t, double, std::string>;
using Axes = std::vector<std::pair<std::string, AxisValue>>;

// Facts of the kernel in which a case spends most of its time.
struct KernelFacts {
    std::optional<unsigned> registers;          // of a thread
    std::optional<double> occupancy;            // 0..1: resident warps over the most there can be
    std::optional<std::uint64_t> shared_bytes;  // of a block, static and dynamic
};

struct ResultRecord {
    std::string part, name;  // with the backend they are the key: a file has one result for each
    std::string operation;   // "reduce"; a seed's own word where tegu has no such operation
    std::string backend;     // "cuda", "cpu", "peer:cub", "seed"
    std::string method;      // how it ran, for people
    Axes axes;
    double seconds = 0;                  // median of one run
    double noise = 0;                    // median absolute deviation / median
    unsigned repeats = 0;                // timed runs
    std::optional<std::uint64_t> bytes;  // that a run must read and write at least
    std::optional<double> flops;         // arithmetic operations of a run
    std::optional<double> energy_j;      // of a run
    KernelFacts kernel;
    bool checked = false;    // the result was compared bit for bit with a reference
    bool throttled = false;  // something that passes slowed the board down, again and again
    std::string note;
};

enum class Moment { Before, During, After };

struct ConditionRecord {
    std::string part;
    Moment at = Moment::Before;
    double elapsed_s = 0;  // since the run began
    board::BoardState state;
};

struct SkippedRecord {
    std::string part, name, backend;
    std::string reason;
    bool retry = false;  // for want of time: a run that goes on measures it
};

}  // namespace tegu::field
