// SPDX-License-Identifier: Apache-2.0
// The source of input bytes: a file or stdin. A pipe is first copied to a memfd. So its size is known before
// allocations by its header, and the daemon can map it directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tools/tegu/failure.h"
#include "tools/tegu/output/terminal.h"

namespace tegu {
namespace cli {

class Source {
  public:
    // "-": stdin. Errors: kNoInput. A pipe may hold half of the machine's memory.
    static Expected<Source> open(const std::string& path, Progress& progress);
    // Takes the bytes of what is made while it is opened; false ends the work.
    using Sink = std::function<bool(const char* at, std::size_t bytes)>;
    // What `fill` gives to the sink: exactly `bytes`, in memory. Errors: kNoInput, and those of `fill`.
    static Expected<Source> in_memory(std::string name, std::uint64_t bytes,
                                      const std::function<Expected<void>(const Sink&)>& fill,
                                      Progress& progress);
    // [offset, offset + bytes) of `whole`. REQUIRES: inside it.
    static Source part(Source whole, std::string name, std::uint64_t offset, std::uint64_t bytes);
    Source(Source&& other) noexcept;
    Source& operator=(Source&&) = delete;
    ~Source();

    const std::string& name() const { return name_; }  // "stdin" for "-"
    std::uint64_t bytes() const { return bytes_; }
    // The memfd of a pipe, whole from its first byte; -1 for a file.
    int memfd() const { return spooled_ && begin_ == 0 ? fd_ : -1; }
    // Fills `to` with [offset, offset + count) of the file. A file that has shrunk meanwhile is an error.
    Expected<void> read_at(std::uint64_t offset, void* to, std::uint64_t count,
                           Progress* progress = nullptr) const;

  private:
    Source() = default;
    Expected<void> spool(int pipe, Progress& progress);

    std::string name_;
    int fd_ = -1;
    bool spooled_ = false;
    std::uint64_t begin_ = 0;  // of the data in fd_: where stdin stood
    std::uint64_t bytes_ = 0;
};

}  // namespace cli
}  // namespace tegu
