# SPDX-License-Identifier: Apache-2.0
"""Imported first by the tests of tegu.dask: the folders of their helpers, an interpreter that has dask, and
an end that counts as skipped where there is none."""

import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "client")]
import harness  # noqa: E402
import peers  # noqa: E402

peers.go_on_with("numpy", "dask", "distributed")
for what in ("CONNECT", "TCP"):  # of the workers, too, on a machine that is busy
    os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__" + what] = "120s"
try:
    import distributed  # noqa: F401
    import dask.array  # noqa: F401
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(harness.SKIPPED)
