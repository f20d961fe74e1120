// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/command_line.h"

int main(int argc, char** argv) {
    return tegu::tune::run_command_line(argc, argv);
}
