# SPDX-License-Identifier: Apache-2.0
"""What the tests of the examples share: where they are, a daemon, and the end of a test that cannot run."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "client"))
sys.dont_write_bytecode = True
import harness  # noqa: E402

EXAMPLES = os.path.join(harness.SOURCE, "examples")
DATA = os.path.join(harness.SOURCE, "tests", "data")
SANITIZED = bool(os.environ.get("TEGU_SANITIZE"))


def skip_without(modules=(), programs=()):
    """Ends the test as skipped, with the reason, unless this Python and this machine have all of these."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    missing += [name for name in programs if shutil.which(name) is None]
    if missing:
        print("SKIPPED: there is no %s; scripts/install-deps.sh examples" % ", ".join(missing))
        sys.exit(harness.SKIPPED)


def program(name):
    """A compiled example of this build."""
    return os.path.join(harness.BUILD, "tests", name)


class Case(unittest.TestCase):
    """A test with a daemon of its own, whose settings are SETTINGS."""

    SETTINGS = ""

    def setUp(self):
        self.daemon = harness.Daemon(self.SETTINGS)
        self.folder = self.daemon.folder
        # It answers: a daemon that is stopped earlier may not have taken over its signals yet.
        tegu = os.path.join(harness.BUILD, "bin", "tegu")
        subprocess.check_call([tegu, "--socket", self.daemon.socket, "ping"], stdout=subprocess.DEVNULL)
        self.addCleanup(self.stop)

    def stop(self):
        self.assertEqual(self.daemon.stop(), 0)

    def run_example(self, *command, status=0, timeout=120):
        """Standard output and standard error of an example that must end with the status."""
        done = subprocess.run(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            env=dict(os.environ, TEGU_SOCKET=self.daemon.socket),
            timeout=timeout,
        )
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout, done.stderr
