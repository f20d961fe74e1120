# SPDX-License-Identifier: Apache-2.0
"""Private daemons, to be attacked."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from memfds import LIBC
from rawconnection import PATIENCE, Connection


def patient(settings):
    """The same settings, and that no client is too slow for its HELLO, unless they say when it is."""
    table, setting = "[timeouts]\n", "hello_ms = 600000\n"
    if "hello_ms" in settings:
        return settings
    if table in settings:
        return settings.replace(table, table + setting)
    return "timeouts." + setting + settings


def open_descriptors(pid):
    """How many a tegud has, but for the files that tell of the board's health: each is open for a moment, now
    and then."""
    folder, count = "/proc/%d/fd" % pid, 0
    for name in os.listdir(folder):
        try:
            count += not os.readlink(os.path.join(folder, name)).startswith(
                ("/etc/", "/proc/", "/sys/", "/var/")
            )
        except FileNotFoundError:
            pass  # closed since
    return count


class Daemon:
    """A private tegud on a temporary socket, with the given settings (TOML), variables and further arguments,
    allowed to open so many descriptors. `program`: within the build folder."""

    def __init__(self, settings="", descriptors=None, environment=(), program="bin/tegud", arguments=()):
        build = os.environ.get("TEGU_BUILD_DIR", "build/release")
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        os.chmod(self.folder, 0o755)
        self.path = os.path.join(self.folder, "s")
        file = os.path.join(self.folder, "tegud.toml")
        with open(file, "w") as out:
            out.write(patient(settings))
        self.log = open(os.path.join(self.folder, "log"), "a+")  # the daemon's place in it is always the end
        inherited = {
            name: value for name, value in os.environ.items() if name != "LD_PRELOAD"
        }  # a sanitizer's runtime, for Python alone
        self.process = subprocess.Popen(
            [os.path.join(build, program), "--config", file, "--socket", self.path] + list(arguments),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=dict(dict(inherited, CUDA_VISIBLE_DEVICES=""), **dict(environment)),
            preexec_fn=lambda: self._prepare(descriptors),
        )
        try:
            self.wait_for(self._answers, "the daemon to answer")
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def _prepare(descriptors):
        """In the child, before it becomes tegud."""
        LIBC.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a test that is killed leaves no daemon behind
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError("tegud ended: " + self.log_text())
        try:
            Connection(self.path).close()
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False

    @staticmethod
    def wait_for(condition, what, patience=PATIENCE):
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("waited in vain for " + what)
            time.sleep(0.01)

    def reload(self, settings):
        """With these settings instead."""
        text = "settings read again"
        before = self.log_text().count(text)
        with open(os.path.join(self.folder, "tegud.toml"), "w") as out:
            out.write(settings)
        self.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: self.log_text().count(text) > before, "the reload")

    @contextlib.contextmanager
    def stopped(self):
        """It does nothing meanwhile, and finds all that was sent when it goes on."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            os.waitpid(self.process.pid, os.WUNTRACED)
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def descriptors(self):
        return open_descriptors(self.process.pid)

    def resident_bytes(self):
        with open("/proc/%d/statm" % self.process.pid) as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def alive(self):
        return self.process.poll() is None

    def log_text(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self, patience=PATIENCE):
        """SIGTERM, if it still runs; returns the exit code."""
        try:
            if self.alive():
                self.process.send_signal(signal.SIGTERM)
            return self.process.wait(patience)
        finally:
            if self.alive():
                self.process.kill()
                self.process.wait()
            self.log.close()
            shutil.rmtree(self.folder, ignore_errors=True)
