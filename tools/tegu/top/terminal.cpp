// SPDX-License-Identifier: Apache-2.0
// Signals are blocked except while the program waits. So none comes between the test of its flag and the
// sleep, or into the output of ncurses.
#include "tools/tegu/top/terminal.h"

#include "tools/tegu/top/key.h"

#define NCURSES_NOMACROS 1
#if __has_include(<ncursesw/curses.h>)
#include <ncursesw/curses.h>
#include <ncursesw/term.h>
#else
#include <curses.h>
#include <term.h>
#endif
// Names of our own.
#undef lines
#undef columns
#undef key_up

#include <langinfo.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tegu {
namespace cli {
namespace top {
namespace {

constexpr int kMaxColumns = 1000, kMaxRows = 500;  // of a frame, whatever the terminal says of itself
constexpr int kEndSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

volatile std::sig_atomic_t end_signal = 0;
// For a crash: what was there before, and the texts that terminfo has for it.
termios found_settings;
char leave_text[256];
volatile std::sig_atomic_t is_open = 0;
struct sigaction found_actions[sizeof kCrashSignals / sizeof *kCrashSignals];

void on_end(int number) {
    end_signal = number;
}

void on_crash(int number) {
    if (is_open != 0) {
        is_open = 0;
        if (write(STDOUT_FILENO, leave_text, std::strlen(leave_text)) >= 0)
            tcsetattr(STDOUT_FILENO, TCSANOW, &found_settings);
    }
    for (std::size_t i = 0; i < sizeof kCrashSignals / sizeof *kCrashSignals; ++i)
        if (kCrashSignals[i] == number) sigaction(number, &found_actions[i], nullptr);
    std::raise(number);
}

void handle(int number, void (*handler)(int), struct sigaction* old) {
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, old);
}

void append_capability(const char* name) {
    const char* text = tigetstr(const_cast<char*>(name));
    if (text == nullptr || text == reinterpret_cast<const char*>(std::intptr_t{-1})) return;
    const std::size_t max_bytes = sizeof leave_text - std::strlen(leave_text) - 1;
    std::strncat(leave_text, text, max_bytes);
}

struct Look {
    short foreground;  // -1: the terminal's own
    attr_t colourful, plain;
};

constexpr short kOwn = -1;

Look look_of(Style style) {
    switch (style) {
        case Style::Label: return {kOwn, A_DIM, A_DIM};
        case Style::Strong: return {kOwn, A_BOLD, A_BOLD};
        case Style::Title: return {COLOR_CYAN, A_BOLD, A_BOLD};
        case Style::Meter: return {COLOR_CYAN, A_NORMAL, A_NORMAL};
        case Style::Track: return {kOwn, A_DIM, A_DIM};
        case Style::Good: return {COLOR_GREEN, A_NORMAL, A_NORMAL};
        case Style::Warn: return {COLOR_YELLOW, A_NORMAL, A_BOLD};
        case Style::Bad: return {COLOR_RED, A_BOLD, A_BOLD};
        case Style::BadgeGood: return {COLOR_GREEN, A_REVERSE, A_REVERSE};
        case Style::BadgeWarn: return {COLOR_YELLOW, A_REVERSE, A_REVERSE | A_BOLD};
        case Style::BadgeBad: return {COLOR_RED, A_REVERSE | A_BOLD, A_REVERSE | A_BOLD};
        case Style::Heading: return {kOwn, A_UNDERLINE, A_UNDERLINE};
        case Style::Chosen: return {COLOR_CYAN, A_UNDERLINE | A_BOLD, A_UNDERLINE | A_BOLD};
        case Style::Key: return {COLOR_CYAN, A_NORMAL, A_BOLD};
        default: return {kOwn, A_NORMAL, A_NORMAL};
    }
}

int key_of(int code) {
    switch (code) {
        case KEY_UP: return kKeyUp;
        case KEY_DOWN: return kKeyDown;
        case KEY_LEFT: return kKeyLeft;
        case KEY_RIGHT: return kKeyRight;
        case KEY_PPAGE: return kKeyPageUp;
        case KEY_NPAGE: return kKeyPageDown;
        case KEY_HOME: return kKeyHome;
        case KEY_END: return kKeyEnd;
        case KEY_F(1): return kKeyHelp;
        default: return code;
    }
}

class Curses : public Terminal {
  public:
    Curses(SCREEN* screen, bool colour) : screen_(screen) {
        ::cbreak();
        ::noecho();
        ::curs_set(0);
        ::nodelay(stdscr, TRUE);
        ::keypad(stdscr, TRUE);
        ::set_escdelay(25);  // ms: how long Escape may be the begin of another key
        colour_ = colour && ::has_colors() && ::start_color() == OK;
        if (colour_ && ::use_default_colors() == OK) background_ = kOwn;
        for (short pair = 1; colour_ && pair < 8; ++pair) ::init_pair(pair, pair, background_);
        const char* type = std::getenv("TERM");
        // The console of Linux has no glyphs for most of what is drawn with more than ASCII.
        unicode_ = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0 &&
                   std::strncmp(type != nullptr ? type : "", "linux", 5) != 0;
        take_signals();
    }
    ~Curses() override {
        is_open = 0;
        ::endwin();
        ::delscreen(screen_);
        pthread_sigmask(SIG_SETMASK, &waiting_, nullptr);
    }

    Screen screen() const override {
        Screen size;
        getmaxyx(stdscr, size.height, size.width);
        size.width = std::min(size.width, kMaxColumns);
        size.height = std::min(size.height, kMaxRows);
        size.unicode = unicode_;
        return size;
    }

    void draw(const Grid& grid) override {
        ::werase(stdscr);
        for (int row = 0; row < grid.height(); ++row) {
            for (const Grid::Run& run : grid.runs(row)) {
                set_style(run.style);
                ::mvwaddstr(stdscr, row, run.column, run.text.c_str());
            }
        }
        ::wrefresh(stdscr);
    }

    std::optional<int> key() override {
        for (;;) {
            const int code = ::wgetch(stdscr);
            if (code == ERR) return {};
            if (code == 12) ::clearok(stdscr, TRUE);  // Ctrl-L
            return key_of(code);
        }
    }

    bool wait(int fd, double seconds) override {
        pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};
        timespec time;
        time.tv_sec = static_cast<time_t>(seconds);
        time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
        const int ready = ppoll(fds, 2, &time, &waiting_);
        if (ready < 0) return errno == EINTR;
        return (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
    }

    int ended_by() const override { return end_signal; }

  private:
    // ncurses has the handlers of SIGWINCH and SIGTSTP. Those of signals that end the program set a flag;
    // those of a crash restore the terminal first.
    void take_signals() {
        std::memset(leave_text, 0, sizeof leave_text);
        for (const char* name : {"sgr0", "op", "cnorm", "rmkx", "rmcup"}) append_capability(name);
        is_open = 1;
        for (std::size_t i = 0; i < sizeof kCrashSignals / sizeof *kCrashSignals; ++i)
            handle(kCrashSignals[i], on_crash, &found_actions[i]);
        sigset_t blocked;
        sigemptyset(&blocked);
        for (const int number : kEndSignals) {
            struct sigaction old;
            sigaction(number, nullptr, &old);
            if (old.sa_handler == SIG_IGN) continue;  // nohup
            handle(number, on_end, nullptr);
            sigaddset(&blocked, number);
        }
        for (const int number : {SIGWINCH, SIGTSTP, SIGCONT}) sigaddset(&blocked, number);
        pthread_sigmask(SIG_BLOCK, &blocked, &waiting_);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT})
            sigdelset(&waiting_, number);
    }

    void set_style(Style style) {
        const Look look = look_of(style);
        attr_t attributes = colour_ ? look.colourful : look.plain;
        if (style == Style::Track && !unicode_) attributes = A_DIM;
        const short pair = colour_ && look.foreground != kOwn ? look.foreground : 0;
        ::wattr_set(stdscr, attributes, pair, nullptr);
    }

    SCREEN* screen_;
    bool colour_ = false, unicode_ = false;
    short background_ = COLOR_BLACK;
    sigset_t waiting_;  // what is blocked while waiting
};

}  // namespace

bool has_terminal_library() {
    return true;
}

Expected<std::unique_ptr<Terminal>> Terminal::open(bool colour) {
    const char* type = std::getenv("TERM");
    const std::string shown = type == nullptr || *type == '\0' ? "unset" : std::string("'") + type + "'";
    if (isatty(STDIN_FILENO) == 0)
        return failure(kUsage, "keys come from stdin, which is no terminal: use --once", "stdin");
    if (tcgetattr(STDOUT_FILENO, &found_settings) != 0)
        return failure(kUsage, "stdout is no terminal: use --once", "stdout");
    int status = 0;
    if (setupterm(nullptr, STDOUT_FILENO, &status) != OK || tigetstr(const_cast<char*>("cup")) == nullptr)
        return failure(
            kUsage,
            "TERM is " + shown +
                ", which is no terminal that can be drawn on: set TERM to what it is, or use --once",
            "TERM");
    SCREEN* screen = newterm(nullptr, stdout, stdin);
    if (screen == nullptr)
        return failure(kUsage, "ncurses cannot use the terminal (TERM is " + shown + "): use --once", "TERM");
    return std::unique_ptr<Terminal>(new Curses(screen, colour));
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
