// SPDX-License-Identifier: Apache-2.0
// tegud with the devices of guard_devices.cpp linked in. $TEGU_TEST_SPEED: what its runs and the CPU's take,
// virtual_times.h. $TEGU_TEST_HOLD: held_jobs.h.
#include "daemon/daemon.h"

int main(int argc, char** argv) {
    return tegu::daemon::run_daemon(argc, argv);
}
