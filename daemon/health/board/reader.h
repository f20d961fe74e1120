// SPDX-License-Identifier: Apache-2.0
// Reader: numbers and words from files of the board. Parsing is strict: the whole text must match the
// kernel's format and a plausible range. parse_* are pure and accept any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/health/board/files.h"

namespace tegu::daemon::health {

// The file of a value. Searched once; an empty path means not found.
struct Source {
    std::string path;
    std::string missing;  // with an empty path: the searched locations
};

struct Range {
    std::int64_t low;
    std::int64_t high;  // inclusive
};

// Plausible ranges; a value outside is an error.
inline constexpr Range kAnyCount{0, INT64_MAX};
inline constexpr Range kFlag{0, 1};
inline constexpr Range kMillidegrees{-60'000, 200'000};  // tegrastats prints -256 C for a sensor that is off
inline constexpr Range kTripMillidegrees{-273'000, 300'000};
inline constexpr Range kKilohertz{0, 20'000'000};
inline constexpr Range kHertz{0, 20'000'000'000};
inline constexpr Range kPermille{0, 1000};
inline constexpr Range kMillivolts{0, 80'000};
inline constexpr Range kMilliamperes{-200'000, 200'000};
inline constexpr Range kMilliwatts{-2'000'000, 2'000'000};
inline constexpr Range kPwm{0, 255};
inline constexpr Range kRevolutions{0, 100'000};  // a minute

// A decimal integer, alone or followed by `unit` ("32760 ma"), with blanks and a newline after it. The detail
// has no path.
Value<std::int64_t> parse_integer(std::string_view text, Range range, std::string_view unit = {});
// One line of printable ASCII, at most 128 characters, trimmed; not empty.
Value<std::string> parse_word(std::string_view text);
// Up to 32 characters of `text` in quotes, for details; non-printable characters become '?'.
std::string excerpt(std::string_view text);
// Unknown with "<path>: " before the detail.
Unknown at(const std::string& path, Unknown unknown);

// Splits at `separator`; empty parts stay.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);

class Reader {
  public:
    static constexpr std::size_t kSmall = 4096;  // a page: the maximum size of a sysfs file

    // REQUIRES: `files` outlives it.
    explicit Reader(Files& files) : files_(&files) {}

    Value<std::string> text(const Source& source, std::size_t limit = kSmall, Longer longer = Longer::Refuse);
    Value<std::string> word(const Source& source);
    Value<std::int64_t> integer(const Source& source, Range range, std::string_view unit = {});

    // The first existing path of `paths`, readable or not.
    Source find(std::initializer_list<std::string> paths);
    Source find(const std::string& path) { return find({path}); }
    std::vector<std::string> list(const std::string& path) { return files_->list(path); }
    Value<DiskSpace> space(const std::string& path);

    // True if a file that was found before has vanished: the board has changed.
    bool vanished() const { return vanished_; }
    std::uint64_t files_read() const { return files_read_; }

  private:
    Files* files_;
    bool vanished_ = false;
    std::uint64_t files_read_ = 0;
};

}  // namespace tegu::daemon::health
