// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

int main(int argc, char** argv) {
    return tegu::daemon::run_daemon(argc, argv);
}
