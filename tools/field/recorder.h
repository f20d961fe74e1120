// SPDX-License-Identifier: Apache-2.0
// Recorder: writes a field file, one record at a time; the file is valid JSON after each, because every
// record overwrites the closing brackets. An interrupted run continues with its file and skips recorded
// cases. A record is one line; an incomplete last line after a power cut is dropped.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "tools/field/field_file.h"
#include "tools/field/record.h"

namespace tegu::field {

class Recorder {
  public:
    // Creates the file, or goes on with the one that is there. Other programs are kept from writing it
    // meanwhile. Errors: Io; BadRequest: the file is of another board, another build of tegu or other options
    // (the message names the first that differs), or is no field file; Busy: another run writes it.
    static Result<Recorder> open(const std::string& path, const FieldHead& head);
    // The same, but replaces the content of the file.
    static Result<Recorder> replace(const std::string& path, const FieldHead& head);

    // Whether the file has a result for the case, or the reason why it cannot have one.
    bool has(const std::string& part, const std::string& name, const std::string& backend) const {
        return known_.count(case_key(part, name, backend)) != 0;
    }
    std::size_t results() const { return results_; }        // in the file
    std::size_t continued() const { return continued_; }    // of them, measured by runs before
    double elapsed_before_s() const { return elapsed_s_; }  // of the runs before

    // Errors: Io.
    Result<void> add(const ResultRecord& record);
    Result<void> add(const ConditionRecord& record);
    Result<void> add(const SkippedRecord& record);
    // All cases were measured or left out.
    Result<void> finish();

  private:
    using Clock = std::chrono::steady_clock;
    static Result<Recorder> open_file(const std::string& path);
    Result<void> append(const std::string& record);
    Result<void> write_at(std::uint64_t offset, const std::string& text);
    // Makes the file hold these records and no others.
    Result<void> rewrite(const FieldHead& head, const std::vector<std::string>& records);

    std::string path_;
    Fd file_;
    std::uint64_t end_ = 0;  // of the last record: where the closing brackets begin
    bool empty_ = true;      // no record yet
    std::set<std::string> known_;
    std::size_t results_ = 0, continued_ = 0;
    double elapsed_s_ = 0;
    Clock::time_point synced_;
};

}  // namespace tegu::field
