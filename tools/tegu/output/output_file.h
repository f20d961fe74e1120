// SPDX-License-Identifier: Apache-2.0
// An output file that is written whole or not at all: a temporary file in the same directory, renamed by
// commit(), else removed. An existing target that is not a regular file (a device, a pipe) is written
// directly; "-" is stdout.
#pragma once

#include <cstddef>
#include <string>

#include "tools/tegu/failure.h"

namespace tegu {
namespace cli {

class OutputFile {
  public:
    // Creates the temporary file, so that a directory that cannot be written is found before any work.
    // Symbolic links are followed. `option` is named in errors. A regular file gets the permissions `mode`;
    // 0: those of the file that it replaces, else what the umask leaves.
    static Expected<OutputFile> create(const std::string& path, const char* option = "-o", unsigned mode = 0);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    Expected<void> write(const void* data, std::size_t bytes);
    Expected<void> write(const std::string& text) { return write(text.data(), text.size()); }
    // Has what was written stored before commit() renames, so that a crash of the machine leaves the old file
    // or the new one.
    Expected<void> sync();
    // Closes and renames. After a failure nothing is left behind.
    Expected<void> commit();
    bool is_stdout() const { return path_ == "-"; }

  private:
    OutputFile() = default;
    Error write_failure(int code) const;

    std::string path_;       // as the user wrote it, for messages
    std::string option_;     // the same
    std::string target_;     // what commit() replaces; empty: written directly
    std::string temporary_;  // empty: none
    int fd_ = -1;
};

}  // namespace cli
}  // namespace tegu
