// SPDX-License-Identifier: Apache-2.0
// The JSON of a field file: its head, and one line for each record. docs/field.md describes it; an unknown
// value is null.
#pragma once

#include <string>

#include "tools/board/identity.h"
#include "tools/field/part.h"
#include "tools/field/record.h"

namespace tegu::field {

inline constexpr char kSchema[] = "tegu-field/1";

// This program, and the tuning table that its jobs run with.
struct ProgramIdentity {
    std::string version;     // "0.1.0"
    std::string commit;      // "<hash>-dirty" for a tree with changes
    std::string tuning_key;  // of the table that applies; empty: none, the defaults
    std::size_t tuning_rows = 0;
};

// One object on one line each, without an end of line.
std::string identity_json(const board::BoardIdentity& board, const ProgramIdentity& program);
std::string options_json(const RunOptions& options);
std::string record_json(const ResultRecord& record);
std::string record_json(const ConditionRecord& record);
std::string record_json(const SkippedRecord& record);

}  // namespace tegu::field
