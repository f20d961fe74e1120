// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/signals.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tools/tegu/failure.h"

namespace tegu {
namespace cli {
namespace {

// `used` is set last and cleared first, so that a handler never reads a partial path.
struct Temporary {
    char path[4096];
    volatile std::sig_atomic_t used;
};
Temporary temporaries[2];
volatile std::sig_atomic_t was_interrupted = 0;
char timeout_out[512], timeout_err[512];

void remove_temporaries() {
    for (const Temporary& temporary : temporaries)
        if (temporary.used != 0) unlink(temporary.path);
}

void on_fatal(int number) {
    remove_temporaries();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void on_alarm(int) {
    remove_temporaries();
    // Nothing is left to do about a write that fails here.
    if (write(STDOUT_FILENO, timeout_out, std::strlen(timeout_out)) < 0) _exit(kTemporary);
    if (write(STDERR_FILENO, timeout_err, std::strlen(timeout_err)) < 0) _exit(kTemporary);
    _exit(kTemporary);
}

void on_interrupt(int) {
    was_interrupted = 1;
}

void handle(int number, void (*handler)(int)) {
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(number, &action, nullptr);
}

void guard(const std::string& path) {
    for (Temporary& temporary : temporaries) {
        if (temporary.used != 0 || path.size() >= sizeof temporary.path) continue;
        std::memcpy(temporary.path, path.c_str(), path.size() + 1);
        temporary.used = 1;
        return;
    }
}

void copy_text(char (&to)[512], const std::string& from) {
    std::strncpy(to, from.c_str(), sizeof to - 1);
    to[sizeof to - 1] = '\0';
}

}  // namespace

void install_signal_handlers() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old;
        // A signal that the parent ignores (nohup) stays ignored.
        if (sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) handle(number, on_fatal);
    }
    handle(SIGXFSZ, SIG_IGN);
}

// A signal that came between the two steps would leave the file behind.
int create_temporary_file(std::string& path) {
    sigset_t fatal, before;
    sigemptyset(&fatal);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) sigaddset(&fatal, number);
    pthread_sigmask(SIG_BLOCK, &fatal, &before);
    const int fd = mkostemp(path.data(), O_CLOEXEC);
    const int code = errno;
    if (fd >= 0) guard(path);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = code;
    return fd;
}

void release_temporary_file(const std::string& path) {
    for (Temporary& temporary : temporaries)
        if (temporary.used != 0 && path == temporary.path) temporary.used = 0;
}

void arm_timeout(double seconds, const std::string& out, const std::string& err) {
    copy_text(timeout_out, out);
    copy_text(timeout_err, err);
    handle(SIGALRM, on_alarm);
    itimerval timer;
    std::memset(&timer, 0, sizeof timer);
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec =
        static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
}

void catch_interrupt() {
    handle(SIGINT, on_interrupt);
}
bool interrupted() {
    return was_interrupted != 0;
}

}  // namespace cli
}  // namespace tegu
