// SPDX-License-Identifier: Apache-2.0
// Journal: the measurements of a run, on disk after every class, so that the next run can continue after a
// power cut. The header identifies the machine; each record has its length and a checksum. Opening truncates
// the file after the last complete record.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "tools/tune/table/journal_text.h"

namespace tegu::tune {

class Journal {
  public:
    // Opens or creates the file. `identity`: one line on the origin of the records. The records of a journal
    // with this identity are kept. Errors: BadRequest (no journal, or one of another identity: both are
    // named), Io, Denied, Busy (another process writes to it).
    static Result<Journal> open(const std::string& path, const std::string& identity);
    Journal(Journal&&) noexcept = default;
    Journal& operator=(Journal&&) noexcept = default;

    const std::string& path() const { return path_; }
    const std::vector<JournalRecord>& records() const { return records_; }
    // The last record of this id; null: there is none.
    const JournalRecord* find(const std::string& id) const;
    std::size_t cut_bytes() const { return cut_bytes_; }  // of a broken end that open() cut off

    // The record is on disk when this returns. Errors: Io.
    Result<void> append(JournalRecord record);
    // Removes the file, when all its findings are used. Errors: Io.
    Result<void> remove();

  private:
    Journal() = default;
    Result<void> read(const std::string& identity);

    std::string path_;
    Fd file_;
    std::vector<JournalRecord> records_;
    std::size_t cut_bytes_ = 0;
};

// Renames a journal to "PATH.old", if there is one. Returns the new name; empty: there was none. Errors: Io.
Result<std::string> set_journal_aside(const std::string& path);

}  // namespace tegu::tune
