// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/interrupts.h"

#include <signal.h>

#include <initializer_list>

namespace tegu::tune {
namespace {

std::atomic<bool> g_interrupted{false};  // a handler has nothing else to write to
static_assert(std::atomic<bool>::is_always_lock_free, "safe in a signal handler");

void interrupt(int) {
    g_interrupted = true;
}

bool install() {
    struct sigaction action {};
    action.sa_handler = interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) (void)::sigaction(signal, &action, nullptr);
    return true;
}

}  // namespace

const std::atomic<bool>& interrupts() {
    static const bool installed = install();
    (void)installed;
    return g_interrupted;
}

}  // namespace tegu::tune
