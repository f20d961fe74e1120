// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

#include <sys/resource.h>
#include <sysexits.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>

#include "base/log.h"
#include "config/settings_load.h"
#include "config/settings_pages.h"
#include "daemon/default_socket.h"
#include "daemon/options.h"
#include "daemon/reports/scrape_listener.h"
#include "daemon/server.h"
#include "daemon/service/events.h"
#include "daemon/service/journal.h"
#include "daemon/service/notify.h"

namespace tegu::daemon {
namespace {

void print(std::FILE* file, const std::string& text) {
    (void)std::fwrite(text.data(), 1, text.size(), file);
}

// The closest errno for `systemctl status`; 0: none fits.
int errno_of(Status status) {
    switch (status) {
        case Status::BadRequest:
        case Status::BadRange: return EINVAL;
        case Status::NotFound: return ENOENT;
        case Status::BadDescriptor: return EBADF;
        case Status::Denied: return EACCES;
        case Status::Unavailable: return EADDRINUSE;
        case Status::OutOfMemory: return ENOMEM;
        case Status::DeviceLost: return ENODEV;
        case Status::Io: return EIO;
        default: return 0;
    }
}

// Reports the error that ends the daemon, to the log and to the service manager.
int report_failure(const Error& error, int exit_code, const char* event = events::kCannotStart) {
    log(LogLevel::Error, error.message,
        {{events::kMessageId, event},
         {"STATUS", std::string(status_info(error.status).word)},
         {"EXIT_CODE", std::to_string(exit_code)}});
    notify_failed(errno_of(error.status), error.message);
    finish_journal();
    return exit_code;
}

// A socket failure needs the operator: a wrong path or permission, or another daemon runs.
int exit_code_of_socket(const Error& error) {
    switch (error.status) {
        case Status::Unavailable: return EX_UNAVAILABLE;
        case Status::Denied: return EX_NOPERM;
        case Status::BadRange:
        case Status::BadRequest:
        case Status::BadDescriptor:
        case Status::NotFound: return EX_CONFIG;
        default: return EX_OSERR;
    }
}

// Raises the descriptor limit to the hard limit, because buffers use descriptors. Returns the limit.
std::uint64_t raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
    return static_cast<std::uint64_t>(limit.rlim_cur);
}

int check_settings(const config::LoadedSettings& loaded, const std::string& file) {
    for (const config::Diagnostic& diagnostic : loaded.errors)
        print(stderr, config::diagnostic_text(diagnostic) + "\n");
    if (!loaded.ok()) return EX_CONFIG;
    print(stdout, file + ": no errors\n");
    return 0;
}

// Errors of the settings, with one line for a file that cannot be read.
int report_settings(const config::LoadedSettings& loaded, const std::string& file) {
    const config::Diagnostic& first = loaded.errors.front();
    if (first.line == 0)
        return report_failure(make_error(Status::BadRequest, "settings file " + file + ": " + first.text),
                              EX_CONFIG);
    for (const config::Diagnostic& diagnostic : loaded.errors)
        log(LogLevel::Error, config::diagnostic_text(diagnostic));
    return report_failure(make_error(Status::BadRequest, "the settings in " + file + " have errors"),
                          EX_CONFIG);
}

Result<Listener> open_listener(ServerOptions& options) {
    Result<Inherited> inherited = inherit_descriptors();
    if (!inherited) return std::move(inherited).error();
    options.stored = std::move(inherited->stored);
    options.scrapes = std::move(inherited->scrapes);
    if (inherited->listener) return std::move(*inherited->listener);
    const config::Settings::Socket& socket = options.settings.values.socket;
    Result<std::string> path = options.default_socket ? prepare_default_socket() : socket.path;
    if (!path) return std::move(path).error();
    return bind_listener({*path, static_cast<unsigned>(socket.mode), static_cast<int>(socket.backlog)});
}

// A port in use does not stop the daemon.
void open_scrapes(ServerOptions& options) {
    if (options.scrapes || options.settings.values.metrics.listen.empty()) return;
    Result<Listener> bound = bind_scrape_listener(options.settings.values.metrics);
    if (!bound) return log(LogLevel::Warning, "no scrapes are answered: " + bound.error().message);
    options.scrapes = std::move(bound).value();
}

int serve(ServerOptions options) {
    options.descriptors = raise_descriptor_limit();
    Result<Listener> listener = open_listener(options);
    if (!listener) return report_failure(listener.error(), exit_code_of_socket(listener.error()));
    open_scrapes(options);
    Server server(std::move(options), std::move(listener).value());
    Result<void> done = server.run();
    return done ? 0 : report_failure(done.error(), EX_SOFTWARE, events::kFatal);
}

int run(const Options& options) {
    ServerOptions server;
    server.settings.file =
        options.settings_file.empty() ? config::kDefaultSettingsFile : options.settings_file;
    server.settings.file_may_be_missing = options.settings_file.empty();
    const config::LoadedSettings loaded = config::load_settings(
        server.settings.file,
        server.settings.file_may_be_missing ? config::IfMissing::GivesDefaults : config::IfMissing::Fails);
    if (options.check_settings) return check_settings(loaded, server.settings.file);
    if (!options.print_settings) notify_start();
    if (!loaded.ok()) return report_settings(loaded, server.settings.file);
    server.settings.values = loaded.settings;
    server.default_socket = options.socket_path.empty() && !loaded.names("socket.path");
    if (!options.socket_path.empty()) {
        server.settings.values.socket.path = options.socket_path;
        server.settings.socket_from_command_line = true;
    }
    if (options.print_settings) {
        print(stdout, config::settings_toml(server.settings.values));
        return 0;
    }
    server.sysroot = options.sysroot;
    server.settings.fixed_log_level = options.verbose;
    set_log_level(options.verbose ? LogLevel::Debug : server.settings.values.log.level);
    return serve(std::move(server));
}

}  // namespace

int run_daemon(int argc, const char* const* argv) {
    (void)log_to_journal();
    try {
        const std::variant<Options, EarlyExit> parsed = parse_options(argc, argv);
        if (const EarlyExit* exit = std::get_if<EarlyExit>(&parsed)) {
            print(exit->code == 0 ? stdout : stderr, exit->text);
            return exit->code;
        }
        return run(*std::get_if<Options>(&parsed));
    } catch (const std::exception& exception) {
        return report_failure(
            make_error(Status::Internal, std::string("tegud cannot go on: ") + exception.what()), EX_OSERR,
            events::kFatal);
    }
}

}  // namespace tegu::daemon
