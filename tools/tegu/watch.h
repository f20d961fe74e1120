// SPDX-License-Identifier: Apache-2.0
// Commands that read from the daemon once, or repeatedly with --watch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/tegu/command.h"
#include "tools/tegu/session.h"

namespace tegu {
namespace cli {

struct WatchOptions {
    bool watch = false;
    double interval = 1;      // seconds
    std::uint64_t count = 0;  // 0: until interrupted
};

void add_watch_options(CommandLine& line, WatchOptions& options);

// Connects, and calls `read_and_show` as often as the options say. Each reading has the time of --timeout;
// what it shows has not. Ends at the first error.
Expected<void> watch(const CommonOptions& common, const WatchOptions& options, const char* command,
                     const std::function<Expected<void>(client::Client& client)>& read_and_show);

// `text` as one of several readings: a terminal shows one page that changes, a file gets one page after
// another.
std::string page(const WatchOptions& options, const std::string& text);

}  // namespace cli
}  // namespace tegu
