# SPDX-License-Identifier: Apache-2.0
"""A private tegud on a socket of its own, and the command beside it. Environment: TEGU_BUILD_DIR, the build
folder."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

BUILD = os.environ.get("TEGU_BUILD_DIR", "build/release")
TEGU = os.path.abspath(os.path.join(BUILD, "bin", "tegu"))
TEGUD = os.path.abspath(os.path.join(BUILD, "bin", "tegud"))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 60  # seconds, for a machine that is busy
PATIENT = "[timeouts]\nhello_ms = 60000\nframe_ms = 60000\nwrite_stall_ms = 60000\n"


class Daemon:
    """with Daemon() as daemon: ...; a folder of its own is the working folder of its commands. settings:
    lines of the settings file; those of this machine are not read."""

    def __init__(self, settings=""):
        self.folder = tempfile.mkdtemp(prefix="tegu-cli-")
        self.socket = os.path.join(self.folder, "tegud.sock")
        self.config = os.path.join(self.folder, "tegud.toml")
        with open(self.config, "w") as file:
            file.write(settings + PATIENT)
        self.process = None
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TEGU_")}
        self.environment.update(
            TEGU_SOCKET=self.socket,
            PATH=os.path.dirname(TEGU) + ":" + os.environ["PATH"],
            DATA=SOURCE + "/tests/data",
            LC_ALL="C",
        )

    def __enter__(self):
        self.start()
        return self

    def start(self):
        with open(os.path.join(self.folder, "tegud.log"), "ab") as log:
            self.process = subprocess.Popen(
                [TEGUD, "--config", self.config, "--socket", self.socket], stdout=log, stderr=log
            )
        end = time.time() + PATIENCE
        while self.run("tegu ping").returncode != 0:
            if self.process.poll() is not None or time.time() > end:
                raise RuntimeError("tegud did not start: " + self.log())
            time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            code = self.process.wait(PATIENCE)
            if code != 0 and failure[0] is None:
                raise RuntimeError("tegud ended with %d: %s" % (code, self.log()))
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        with open(os.path.join(self.folder, "tegud.log"), errors="replace") as log:
            return log.read()

    def run(self, command, data=None):
        """Runs a line of shell; stdout and stderr are bytes."""
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            input=data or b"",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=5 * PATIENCE,
        )

    def json(self, command, data=None):
        """The object that a command prints with --json; asserts that it ends with 0."""
        done = self.run(command + " --json", data)
        assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
        return json.loads(done.stdout.decode())

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as target:
            target.write(content)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as source:
            return source.read()
