// SPDX-License-Identifier: Apache-2.0
// tegu top: the board, the daemon and its clients, live. Without a terminal, or with --once, one frame as
// text. The frames are made in top/layout.cpp.
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "tools/tegu/command.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/session.h"
#include "tools/tegu/signals.h"
#include "tools/tegu/top/source.h"
#include "tools/tegu/top/terminal.h"

namespace tegu {
namespace cli {
namespace {

struct TopOptions {
    CommonOptions common;
    double interval = 1;
    std::string sort = "gpu";
    bool once = false;
};

int text_width() {
    constexpr int kWidth = 80, kMaxWidth = 400;
    winsize size;
    std::memset(&size, 0, sizeof size);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return std::min<int>(size.ws_col, kMaxWidth);
    const char* columns = std::getenv("COLUMNS");
    const int wanted = columns != nullptr ? std::atoi(columns) : 0;
    return wanted >= top::kMinWidth && wanted <= kMaxWidth ? wanted : kWidth;
}

Expected<void> print_json(client::Client& client) {
    const Expected<client::Health> health = client.health(TEGU_HEALTH_JSON);
    if (!health) return health.error();
    Json json = begin_report("top");
    json.key("health");
    json.json(health->text);
    return finish_report(json);
}

// Two answers, as most of what is interesting is what grew between them.
Expected<void> print_once(const TopOptions& options, client::Client& client) {
    top::App app({top::column_of(options.sort), false}, options.interval);
    top::UserNames names;
    for (int i = 0; i < 2; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
        guard_timeout(options.common, "top");
        Expected<top::View> view = top::ask(client, names);
        if (!view) return view.error();
        arm_timeout(0, "", "");
        app.add({top::steady_seconds(), std::move(view)});
    }
    top::Screen screen;
    screen.width = text_width();
    screen.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return print(app.frame(screen, top::steady_seconds(), top::unix_seconds()).text());
}

// Until the user has enough of it; the signal that ended it, or 0.
int watch(const TopOptions& options, top::Source& source, top::Terminal& terminal) {
    top::App app({top::column_of(options.sort), false}, options.interval);
    bool has_view = false;
    for (bool going = true; going;) {
        while (const std::optional<int> key = terminal.key())
            going = app.press(*key, terminal.screen()) && going;
        source.set_interval(app.interval());
        if (std::optional<top::Sample> sample = source.take()) {
            has_view = has_view || static_cast<bool>(sample->view);
            app.add(std::move(*sample));
        }
        if (has_view && going)
            terminal.draw(app.frame(terminal.screen(), top::steady_seconds(), top::unix_seconds()));
        // Once a second also without news: a frame says how old it is.
        if (!terminal.wait(source.fd(), 1) || terminal.ended_by() != 0) going = false;
    }
    return terminal.ended_by();
}

Expected<void> run_live(const TopOptions& options, client::Client client) {
    Expected<std::unique_ptr<top::Terminal>> terminal = top::Terminal::open(stdout_has_colour());
    if (!terminal) return terminal.error();
    Expected<std::unique_ptr<top::Source>> source =
        top::Source::start(std::move(client), options.common, options.interval);
    if (!source) return source.error();
    const int signal = watch(options, **source, **terminal);
    terminal->reset();  // first, so that nothing that follows leaves a terminal that cannot be read
    const bool ended = (*source)->stop();
    if (signal != 0 && signal != SIGINT) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    if (!ended) std::_Exit(0);
    return {};
}

Expected<void> run_top(const TopOptions& options) {
    std::setlocale(LC_CTYPE, "");  // what a character is; numbers stay as they are
    guard_timeout(options.common, "top");
    Expected<client::Client> client = top::connect_once(options.common);
    if (!client) return client.error();
    if (options.common.json) return print_json(*client);
    arm_timeout(0, "", "");
    if (options.once || isatty(STDOUT_FILENO) == 0) return print_once(options, *client);
    return run_live(options, std::move(*client));
}

}  // namespace

Action setup_top(CommandLine& line) {
    auto options = std::make_shared<TopOptions>();
    line.seconds("-i,--interval", options->interval, "Seconds between two readings [1]", 0.1);
    line.word("-s,--sort", options->sort, top::column_words(), "Column of the table that sorts it [gpu]");
    line.flag("-1,--once", options->once, "Print one frame as text, as is done where stdout is no terminal");
    add_common_options(line, options->common, kControlTimeout);
    return [options] { return run_top(*options); };
}

}  // namespace cli
}  // namespace tegu
