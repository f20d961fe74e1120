# SPDX-License-Identifier: Apache-2.0
"""A private tegud for the scripts of this folder, and what it takes to load an instrumented library into
Python."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TEGU_BUILD_DIR", os.path.join(SOURCE, "build", "release"))
SKIPPED = 77
PATIENT = "[timeouts]\nhello_ms = 60000\nframe_ms = 60000\nwrite_stall_ms = 60000\n"  # on a busy machine


def preload_sanitizer():
    """A sanitizer's runtime must be loaded first: starts this script again with it, if the library is
    instrumented."""
    kinds = os.environ.get("TEGU_SANITIZE", "")
    runtime = "libasan.so" if "address" in kinds else "libtsan.so" if "thread" in kinds else None
    if runtime is None or "LD_PRELOAD" in os.environ:
        return
    path = subprocess.check_output(["g++", "-print-file-name=" + runtime]).decode().strip()
    environment = dict(
        os.environ, LD_PRELOAD=path, ASAN_OPTIONS="detect_leaks=0", TSAN_OPTIONS="report_signal_unsafe=0"
    )
    os.execve(sys.executable, [sys.executable] + sys.argv, environment)


class Daemon(object):
    """tegud on a socket of its own; settings: lines of the settings file."""

    program = os.path.join("bin", "tegud")
    environment = {}  # what it has beside that of the test

    def __init__(self, settings=""):
        self.folder = tempfile.mkdtemp(prefix="tegu-client-test-")
        self.socket = os.path.join(self.folder, "sock")
        self.config = os.path.join(self.folder, "tegud.toml")
        with open(self.config, "w") as file:
            file.write(settings + PATIENT)
        self.process = None
        self.start()

    def start(self):
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        environment.update(self.environment)
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(BUILD, self.program), "--config", self.config, "--socket", self.socket],
                stderr=log,
                env=environment,
            )
        end = time.monotonic() + 60
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                with open(os.path.join(self.folder, "log")) as file:
                    raise RuntimeError("tegud did not start: " + file.read())
            time.sleep(0.005)

    def _answers(self):
        """Whether it ends a connection that says no HELLO. Its socket takes connections before it has taken
        over its signals, and the socket's file is there even after a daemon that was killed."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(60)
            try:
                probe.connect(self.socket)
                probe.shutdown(socket.SHUT_WR)
                return probe.recv(1) == b""
            except OSError:
                return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends the daemon; returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait()
        shutil.rmtree(self.folder)
        return status


class GuardedDaemon(Daemon):
    """tegud with the guarded GPU, of memory class B."""

    program = os.path.join("tests", "guard_tegud")
    environment = {"TEGU_TEST_GPU": "B"}
