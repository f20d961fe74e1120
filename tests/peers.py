# SPDX-License-Identifier: Apache-2.0
"""The libraries that tests compare tegu with (peers.txt): those of the interpreter at hand if it has them,
else pinned ones from PyPI in a folder of the build, venv-peers. Offline, or where PyPI has no wheels for this
Python, a test goes on with what there is, and skips what it cannot ask.

    peers.py BUILD    makes the folder before the tests, however long that takes
Else the first test makes it, in PATIENCE seconds; if that fails, the next ones do not try for RETRY seconds.
Builds with a sanitizer make no such folder: the same comparisons run without one."""

import fcntl
import importlib.util
import os
import subprocess
import sys
import time

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.txt")
PATIENCE = 120  # seconds, a part of what a test may take
RETRY = 3600  # seconds


def go_on_with(*modules):
    """Returns if all modules can be imported, or nobody can provide them. Else starts this script again with
    an interpreter that has them."""
    build = os.environ.get("TEGU_BUILD_DIR")
    here = all(importlib.util.find_spec(module) is not None for module in modules)
    if here or not build or os.environ.get("TEGU_SANITIZE") or "TEGU_PEERS" in os.environ:
        return
    python = _python_of(os.path.join(build, "venv-peers"), PATIENCE)
    if python is not None:
        sys.stdout.flush()
        os.execve(python, [python] + sys.argv, dict(os.environ, TEGU_PEERS=python))


def _python_of(venv, patience):
    """The interpreter of an environment with peers.txt, made if need be; None if it cannot be."""
    with open(LIST) as file:
        wanted = file.read()
    python, made = os.path.join(venv, "bin", "python3"), os.path.join(venv, "made-of.txt")
    failed = venv + ".failed"
    with open(venv + ".lock", "w") as lock:  # tests run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(made):
            with open(made) as file:
                if file.read() == wanted:
                    return python
        if patience and os.path.exists(failed) and time.time() < os.path.getmtime(failed) + RETRY:
            return None
        commands = (
            [sys.executable, "-m", "venv", "--clear", venv],
            [
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--retries",
                "1",
                "--timeout",
                "10",
                "--only-binary",
                ":all:",
                "-r",
                LIST,
            ],
        )
        end = time.monotonic() + patience if patience else None
        for command in commands:
            if not _succeeds(command, None if end is None else end - time.monotonic()):
                with open(failed, "w"):
                    return None
        with open(made, "w") as file:
            file.write(wanted)
    return python


def _succeeds(command, patience):
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=patience)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False


if __name__ == "__main__":
    made_of = _python_of(os.path.join(sys.argv[1], "venv-peers"), None)
    print("peers: " + (made_of or "PyPI does not have all of them for this Python, or does not answer"))
