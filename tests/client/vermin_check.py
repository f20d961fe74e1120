#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package needs no more than Python 3.6; skipped where vermin is not installed."""
import os
import subprocess
import sys

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "client", "python")
SKIPPED = 77

try:
    import vermin  # noqa: F401
except ImportError:
    print("skipped: vermin is not installed")
    sys.exit(SKIPPED)
sys.exit(subprocess.call([sys.executable, "-c", "import vermin; vermin.main()", "--no-tips", "--violations", "-t=3.6-", PACKAGE]))
