// SPDX-License-Identifier: Apache-2.0
#include "daemon/options.h"

#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "base/job.h"
#include "config/settings_load.h"

namespace tegu::daemon {

std::variant<Options, EarlyExit> parse_options(int argc, const char* const* argv) {
    Options options;
    CLI::App app("tegud: computes for local processes, which send jobs over a Unix socket. Operations: " +
                     operation_words() + ".",
                 "tegud");
    app.set_version_flag("--version", "tegud " TEGU_VERSION);
    app.add_option("--config", options.settings_file,
                   std::string("Settings file, which must be there (default: ") +
                       config::kDefaultSettingsFile + ", if it is there)")
        ->type_name("FILE");
    app.add_option("--socket", options.socket_path,
                   "Where clients connect, instead of socket.path of the settings. A socket passed by "
                   "systemd goes first. With neither: /run/tegud/tegud.sock, or tegud/tegud.sock in "
                   "$XDG_RUNTIME_DIR for a user who may not write there")
        ->type_name("PATH");
    app.add_option("--sysroot", options.sysroot,
                   "Where the files are read that tell of the board's health (default: /); for tests")
        ->type_name("DIR");
    app.add_flag("--check-config", options.check_settings,
                 "Report every error of the settings file, with line and column, and end");
    app.add_flag("--print-config", options.print_settings,
                 "Print the settings in force as a complete file, and end");
    app.add_flag("-v,--verbose", options.verbose, "Log every connection too");
    app.footer(
        "Signals: SIGHUP reads the settings and the tuning tables again; SIGTERM and SIGINT finish the jobs "
        "in flight "
        "and end, a second one "
        "ends sooner.\n"
        "Example: tegud --socket /tmp/tegud.sock &  tegu --socket /tmp/tegud.sock ping");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream out, errors;
        const int code = app.exit(error, out, errors);
        return EarlyExit{code == 0 ? 0 : EX_USAGE, code == 0 ? out.str() : "tegud: " + errors.str()};
    }
    if (app.count("--config") > 0 && options.settings_file.empty())
        return EarlyExit{EX_USAGE, "tegud: --config: the name of the file is empty\n"};
    return options;
}

}  // namespace tegu::daemon
