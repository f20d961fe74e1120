#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""with_daemon.py PROGRAM [ARGUMENT ...]: runs a program with $TEGU_SOCKET naming a private tegud, and passes
its status on."""

import os
import subprocess
import sys

import harness

daemon = harness.Daemon()
try:
    status = subprocess.call(sys.argv[1:], env=dict(os.environ, TEGU_SOCKET=daemon.socket))
finally:
    ended = daemon.stop()
sys.exit(status or ended)
